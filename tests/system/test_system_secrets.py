"""What is masked as a secret, and what is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.system import MASK, Masker

LOOK_ALIKE = "a1B2" * 10


@pytest.mark.parametrize(
    "name",
    [
        "API_KEY",
        "GITHUB_TOKEN",
        "github_token",
        "AWS_SECRET_ACCESS_KEY",
        "DB_PASSWORD",
        "MYSQL_PASSWD",
        "SSH_PASSPHRASE",
        "APP_CREDENTIALS",
        "TOKEN",
        "SECRET_SAUCE",
    ],
)
def test_the_value_of_a_variable_named_like_a_secret_is_masked(name: str) -> None:
    masker = Masker({name: "correct horse"})

    assert masker.text("say 'correct horse' twice: correct horse") == (
        f"say '{MASK}' twice: {MASK}"
    )


@pytest.mark.parametrize("name", ["HOME", "KEYBOARD_LAYOUT", "TOKENIZERS_PARALLELISM", "PATH"])
def test_the_value_of_another_variable_is_not(name: str) -> None:
    assert Masker({name: "correct horse"}).text("correct horse") == "correct horse"


def test_a_short_value_is_left_alone_because_it_may_be_a_word() -> None:
    assert Masker({"API_KEY": "horse12"}).text("horse12") == "horse12"


def test_of_two_values_the_longer_one_is_masked_whole() -> None:
    masker = Masker({"A_KEY": "correct horse", "B_KEY": "correct horse battery"})

    assert masker.text("correct horse battery") == MASK


@pytest.mark.parametrize(
    "token",
    [
        f"sk-ant-{LOOK_ALIKE}",
        f"sk-{LOOK_ALIKE}",
        f"ghp_{LOOK_ALIKE}",
        f"github_pat_{LOOK_ALIKE}",
        f"glpat-{LOOK_ALIKE}",
        f"xoxb-{LOOK_ALIKE}",
        "AKIAABCDEFGHIJKLMNOP",
        f"AIza{LOOK_ALIKE[:35]}",
        f"hf_{LOOK_ALIKE}",
        f"eyJ{LOOK_ALIKE}.eyJ{LOOK_ALIKE}.{LOOK_ALIKE}",
        "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_what_looks_like_a_token_is_masked(token: str) -> None:
    assert Masker({}).text(f"x={token};") == f"x={MASK};"


def test_the_password_in_an_address_is_masked_and_the_rest_is_not() -> None:
    masked = Masker({}).text("postgres://me:pass@db.local/x and http://host:80/a@b")

    assert masked == f"postgres://me:{MASK}@db.local/x and http://host:80/a@b"


@pytest.mark.parametrize("text", ["sk-learn", "task-force-of-many-able-people", "ghp_short", "eyJ"])
def test_words_are_not_tokens(text: str) -> None:
    assert Masker({}).text(text) == text


def test_a_json_value_is_masked_at_every_depth_and_in_keys() -> None:
    masker = Masker({"A_KEY": "correct horse"})

    assert masker.value({"correct horse": [1, None, {"a": "the correct horse"}]}) == {
        MASK: [1, None, {"a": f"the {MASK}"}]
    }


@given(st.text(), st.text(min_size=8), st.text())
def test_no_value_survives(before: str, value: str, after: str) -> None:
    masked = Masker({"A_KEY": value}).text(before + value + after)

    assert value not in masked.replace(MASK, "\0")


def test_a_private_key_is_masked_whole_and_one_without_an_end_is_left() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"
    open_ended = "-----BEGIN EC PRIVATE KEY-----\nMIIE\n"

    assert Masker({}).text(f"a\n{open_ended}{key}\nb\n{key}") == f"a\n{open_ended}{MASK}\nb\n{MASK}"


def test_many_keys_without_an_end_are_each_looked_at_once() -> None:
    text = "-----BEGIN A PRIVATE KEY-----\n" * 50_000  # minutes, if each were sought to the end

    assert Masker({}).text(text) == text


KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\ndef/ghi=\n-----END RSA PRIVATE KEY-----"
SECRETS = {
    "value": "correct horse",
    "lines": "first line\nsecond line",
    "overlapping": "horse battery staple",
    "token": "ghp_" + LOOK_ALIKE[:36],
    "jwt": f"eyJ{LOOK_ALIKE}.eyJ{LOOK_ALIKE}.{LOOK_ALIKE}",
    "key": KEY,
    "address": "https://me:hunter22hunter@example.com",
}
KNOWN = Masker(
    {
        "A_TOKEN": SECRETS["value"],
        "B_TOKEN": SECRETS["lines"],
        "C_TOKEN": SECRETS["overlapping"],
    }
)
PIECES = st.lists(
    st.sampled_from([*SECRETS.values(), " ", "\n", "word", "correct ", "eyJ", "-----BEGIN "]),
    max_size=6,
)


@given(pieces=PIECES, places=st.lists(st.integers(0, 400), max_size=5))
def test_a_text_masked_piece_by_piece_is_masked_like_the_whole(
    pieces: list[str], places: list[int]
) -> None:
    text = " ".join(pieces)
    ends = [*sorted(place for place in places if place < len(text)), len(text)]

    done, waiting, begin = "", "", 0
    for end in ends:
        waiting += text[begin:end]
        begin = end
        settled = KNOWN.settled(waiting)
        done, waiting = done + KNOWN.text(waiting[:settled]), waiting[settled:]

    assert done + KNOWN.text(waiting) == KNOWN.text(text)


@pytest.mark.parametrize("name", ["value", "lines", "overlapping", "key"])
def test_no_end_of_a_secret_is_shown_where_its_beginning_is_not(name: str) -> None:
    secret = SECRETS[name]
    for place in range(1, len(secret)):
        rest = secret[place:] + " and more"
        if name != "key" or "-----END" in rest:
            assert rest[KNOWN.ended(rest) :] == " and more"


@pytest.mark.parametrize("text", ["", "word", "a line\n", "Go on? [y/n] ", "50%", "done: 3 files"])
def test_usual_words_wait_for_nothing(text: str) -> None:
    assert KNOWN.settled(text, at_least=4) == len(text)

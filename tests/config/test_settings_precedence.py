"""Which of several settings files counts, for each kind of key, and where each value stands."""

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest

from config.settings_kit import KINDS, Desk
from gantlet.config import read_sources
from gantlet.rules import SourceKind
from gantlet.tool import Mode, UserError

#: One key of each form that every kind of file may set.
SCALARS: dict[str, Callable[[str], object]] = {
    "model": lambda kind: f"model-{kind}",
    "cleanupPeriodDays": lambda kind: KINDS.index(kind) + 1,
    "includeCoAuthoredBy": lambda kind: kind in {"policy", "local", "user"},
}
LISTS = ["claudeMdExcludes", "availableModels"]
PAIRS = list(combinations(KINDS, 2))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Return a project, a home and a policy."""
    return Desk(tmp_path.resolve())


@pytest.mark.parametrize("key", SCALARS)
@pytest.mark.parametrize(("strong", "weak"), PAIRS, ids=lambda kind: str(kind))
def test_of_two_files_the_stronger_decides_a_scalar(
    desk: Desk, strong: str, weak: str, key: str
) -> None:
    made = SCALARS[key]
    desk.write(weak, {key: made(weak)})
    file = desk.write(strong, f'{{\n\n  "{key}": {_json(made(strong))}\n}}')

    settings = desk.read(trusts=True)

    found = settings.one(key)
    assert found is not None
    assert settings.value(key) == made(strong)
    assert (found.source.kind, found.source.file) == (SourceKind(strong), str(file))
    assert (found.source.line, found.source.key) == (3, key)


def _json(content: object) -> str:
    return str(content).lower() if isinstance(content, bool | int) else f'"{content}"'


@pytest.mark.parametrize("key", LISTS)
def test_lists_of_all_files_are_put_together_and_each_item_knows_its_line(
    desk: Desk, key: str
) -> None:
    for kind in KINDS:
        desk.write(kind, f'{{"{key}": [\n "{kind}",\n "everywhere"]}}')

    items = desk.read(trusts=True).items(key)

    assert items is not None
    assert [(item.content, item.source.kind, item.source.line) for item in items] == [
        ("policy", "policy", 2),
        ("everywhere", "policy", 3),
        ("command line", "command line", 2),
        ("local", "local", 2),
        ("project", "project", 2),
        ("user", "user", 2),
    ]


def test_an_empty_list_is_not_the_same_as_none(desk: Desk) -> None:
    desk.write("user", {"availableModels": []})

    settings = desk.read()

    assert settings.texts("availableModels") == ()
    assert settings.texts("allowedHttpHookUrls") is None


def test_objects_are_merged_by_member_and_variables_by_name(desk: Desk) -> None:
    desk.write("user", {"env": {"A": "user", "B": "user"}, "attribution": {"commit": "me"}})
    desk.write("command line", {"env": {"B": "given"}, "attribution": {"pr": "us"}})

    settings = desk.read()

    assert settings.child_env == {"A": "user", "B": "given"}
    assert settings.env["B"].source.key == "env.B"
    assert settings.env["B"].source.file == str(desk.file("command line"))
    assert settings.value("attribution") == {"commit": "me", "pr": "us"}


def test_drop_ins_of_the_policy_are_merged_in_the_order_of_their_names(desk: Desk) -> None:
    desk.write("policy", {"model": "base", "claudeMdExcludes": ["base"]})
    folder = desk.file("drop-in").parent
    desk.write("drop-in", {"model": "fifty"})
    for name, model in (("10.json", "ten"), ("90.json", "ninety"), (".99.json", "hidden")):
        (folder / name).write_text(f'{{"model": "{model}"}}')
        (folder / name).chmod(0o644)

    settings = desk.read()

    assert settings.text("model") == "ninety"
    assert settings.texts("claudeMdExcludes") == ("base",)


@pytest.mark.parametrize(
    ("named", "read"),
    [
        ("user,project,local", ["local", "project", "user"]),
        ("project", ["project"]),
        (" user , local ", ["local", "user"]),
        ("", []),
        (["user"], ["user"]),
        (None, ["local", "project", "user"]),
    ],
    ids=str,
)
def test_sources_choose_files_but_never_leave_out_the_policy_and_what_is_given(
    desk: Desk, named: str | list[str] | None, read: list[str]
) -> None:
    for kind in KINDS:
        desk.write(kind, {"claudeMdExcludes": [kind]})

    settings = desk.request(sources=read_sources(named), trusts=True).read()

    assert settings.texts("claudeMdExcludes") == ("policy", "command line", *read)


def test_a_source_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UserError, match="'projekt'; there are user, project, local"):
        read_sources("user,projekt")


def test_settings_can_be_given_as_json(desk: Desk) -> None:
    settings = desk.read(given='{"model": "given",\n "permissions": {"deny": ["Bash"]}}')

    found = settings.one("model")
    assert found is not None
    assert (found.content, found.source.file, found.source.line) == ("given", "--settings", 1)
    assert settings.denied == ["Bash"]


def test_a_given_file_that_is_not_there_is_refused(desk: Desk) -> None:
    with pytest.raises(UserError, match="There is no settings file"):
        desk.read(given="nope.json")


def test_the_config_directory_can_lie_elsewhere(desk: Desk) -> None:
    elsewhere = desk.root / "config"
    elsewhere.mkdir()
    (elsewhere / "settings.json").write_text('{"permissions": {"deny": ["Read(/keys/**)"]}}')
    desk.variables["CLAUDE_CONFIG_DIR"] = str(elsewhere)

    [rule] = desk.read().rules

    assert rule.source.anchors.base == (str(elsewhere),)


def test_the_mode_is_the_strongest_files_but_never_a_projects(desk: Desk) -> None:
    desk.write("user", {"permissions": {"defaultMode": "acceptEdits"}})
    desk.write("project", {"permissions": {"defaultMode": "bypassPermissions"}})
    desk.write("local", {"permissions": {"defaultMode": "plan"}})

    settings = desk.read(trusts=True)

    assert settings.context().mode is Mode.ACCEPT_EDITS
    told = "\n".join(settings.remarks)
    assert told.count("'permissions.defaultMode' does not count: a project's files may not") == 2


def test_bypass_is_not_available_where_any_file_switches_it_off(desk: Desk) -> None:
    desk.write("user", {"permissions": {"defaultMode": "bypassPermissions"}})
    on = desk.read().context()
    desk.write("project", {"permissions": {"disableBypassPermissionsMode": "disable"}})
    off = desk.read().context()

    assert (on.mode, on.bypass_available) == (Mode.BYPASS, True)
    assert (off.mode, off.bypass_available) == (Mode.DEFAULT, False)


def test_directories_are_seen_from_home_and_from_the_working_directory(desk: Desk) -> None:
    desk.write("user", {"permissions": {"additionalDirectories": ["~/notes", "../lib"]}})

    directories = desk.read().directories

    assert [one.path for one in directories] == [str(desk.home / "notes"), str(desk.root / "lib")]


def test_a_key_that_nobody_knows_is_kept_and_harms_nothing(desk: Desk) -> None:
    desk.write("user", {"modle": "x", "sandbox": {"enabeld": True}, "$schema": "https://x"})

    settings = desk.read()

    unknown = [one for read in settings.files for one in read.unknown]
    assert [(one.key, one.content) for one in unknown] == [
        ("modle", "x"),
        ("sandbox.enabeld", True),
    ]
    assert settings.problems == ()


def test_settings_are_frozen(desk: Desk) -> None:
    desk.write("user", {"attribution": {"commit": "me"}, "env": {"A": "1"}})
    settings = desk.read()
    found = settings.one("attribution")
    assert found is not None
    assert isinstance(found.content, dict)

    with pytest.raises(AttributeError):
        settings.problems = ()  # type: ignore[misc]
    with pytest.raises(TypeError):
        settings.counted["model"] = ()  # type: ignore[index]
    with pytest.raises(TypeError):
        found.content["commit"] = "you"

"""Which host a URL leads to, and which hosts a rule means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.messages import Behaviour
from gantlet.rules import HostPattern, Rule, Source, SourceKind, host_of, parse_rule


def pattern(text: str) -> HostPattern:
    rule = parse_rule(f"WebFetch(domain:{text})", Behaviour.ALLOW, Source(SourceKind.USER))
    assert isinstance(rule, Rule)
    assert isinstance(rule.spec, HostPattern)
    return rule.spec


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://good.test/path?q=1#f", "good.test"),
        ("http://GOOD.test.:8080/", "good.test"),
        ("https://münchen.test/", "xn--mnchen-3ya.test"),
        ("https://[::1]:443/", "[::1]"),
        ("https://192.0.2.1/", "192.0.2.1"),
        ("https://good.test@evil.test/", None),
        ("https://user:pass@good.test/", None),
        ("https://good.test\\@evil.test/", None),
        ("https://good.test\t.evil.test/", None),
        ("https://evil.test\0.good.test/", None),
        ("https://evil%2etest/", None),
        ("https://good.test:0/", None),
        ("https://good.test:/", None),
        ("https://good.test:99999/", None),
        ("ftp://good.test/", None),
        ("file:///etc/passwd", None),
        ("//good.test/", None),
        ("good.test", None),
        ("", None),
        ("https://-bad.test/", None),
        ("https://a..b/", None),
        ("https://[good.test]/", None),
        (" https://good.test/", None),
        ("https://good\u2028.test/", None),
    ],
)
def test_a_url_leads_to_one_host_or_to_none(url: str, host: str | None) -> None:
    assert host_of(url) == host


@pytest.mark.parametrize(
    ("text", "host", "allows"),
    [
        ("good.test", "good.test", True),
        ("GOOD.test.", "good.test", True),
        ("good.test", "www.good.test", False),
        ("good.test", "good.test.evil.test", False),
        ("good.test", "evilgood.test", False),
        ("*.good.test", "www.good.test", True),
        ("*.good.test", "a.b.good.test", True),
        ("*.good.test", "good.test", False),
        ("*.good.test", "evilgood.test", False),
        ("*", "anything.test", True),
        ("api-*.good.test", "api-1.good.test", True),
        ("api-*.good.test", "api-1.x.good.test", False),
        ("api.*.test", "api.good.test", True),
        ("api.*.test", "api.a.b.test", False),
        ("münchen.test", "xn--mnchen-3ya.test", True),
    ],
)
def test_a_host_is_meant_by_whole_labels(text: str, host: str, allows: bool) -> None:
    assert pattern(text).matches(host, forbids=False) is allows


def test_a_deny_of_a_host_holds_for_what_lies_below_it() -> None:
    assert pattern("bad.test").matches("www.bad.test", forbids=True)
    assert not pattern("bad.test").matches("notbad.test", forbids=True)


@given(st.text(max_size=40))
def test_whatever_a_url_holds_its_host_is_a_plain_name(text: str) -> None:
    host = host_of(f"https://{text}/")

    assert host is None or (host.isascii() and host == host.lower() and "/" not in host)

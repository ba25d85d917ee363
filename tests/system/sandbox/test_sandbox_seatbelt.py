"""The profile for macOS: only its text can be looked at here."""

from pathlib import Path

from gantlet.system.sandbox import NetworkOn, Policy
from gantlet.system.sandbox.seatbelt import Seatbelt


def profile_of(policy: Policy) -> list[str]:
    """Return the lines of a policy's profile."""
    planned = Seatbelt("/usr/bin/python3").plan(policy, policy.writable[0])
    assert planned.fillers == ()
    assert any("never tested" in note for note in planned.notes)
    return planned.prefix[2].splitlines()


def test_a_later_rule_closes_what_an_earlier_one_opened(tmp_path: Path) -> None:
    secret = tmp_path / 'se"cret'
    secret.write_text("")
    lines = profile_of(Policy((str(tmp_path),), denied=(str(secret),)))

    opened = lines.index(f'(allow file-read* file-write* (subpath "{tmp_path}"))')
    closed = lines.index(f'(deny file-write* (subpath "{tmp_path}/.claude"))')
    hidden = lines.index(f'(deny file-read* file-write* (literal "{tmp_path}/se\\"cret"))')
    assert lines.index("(deny file-write*)") < opened < min(closed, hidden)
    assert f'(deny file-write-unlink (literal "{tmp_path}/.claude"))' in lines


def test_the_network_is_denied_unless_it_is_on(tmp_path: Path) -> None:
    off = profile_of(Policy((str(tmp_path),)))
    on = profile_of(Policy((str(tmp_path),), network=NetworkOn()))

    assert "(deny network*)" in off
    assert "(deny network*)" not in on

"""Which hosts the sandbox's proxy may connect to."""

from collections.abc import Iterable

from gantlet.messages.value import value
from gantlet.rules.hosts import HostPattern, plain_host, read_host_pattern
from gantlet.system.sandbox.addresses import could_be_address, read_address

_LOCAL_NAME = "localhost"


@value
class HostList:
    """Allowed and denied hosts. A denied one is denied with all below it, and always wins.

    Attributes:
        allowed: Patterns of names.
        denied: Patterns of names.
        addresses: Addresses that were allowed as such.
        denied_addresses: Addresses that were denied as such.
    """

    allowed: tuple[HostPattern, ...] = ()
    denied: tuple[HostPattern, ...] = ()
    addresses: frozenset[str] = frozenset()
    denied_addresses: frozenset[str] = frozenset()

    def refusal(self, host: str) -> str | None:
        """Return why a host may not be reached, or None if it may."""
        plain = plain_host(host)
        if plain is None:
            return f"{host!r} is not a plain host name, so it is refused."
        if any(pattern.matches(plain, forbids=True) for pattern in self.denied):
            return f"{plain} is denied (sandbox.network.deniedDomains)."
        if any(pattern.matches(plain, forbids=False) for pattern in self.allowed):
            return None
        return f"{plain} is not among the allowed hosts (sandbox.network.allowedDomains)."

    def names_address(self, address: str) -> bool:
        """Return whether an address was allowed as such."""
        return address in self.addresses and address not in self.denied_addresses


def read_hosts(allowed: Iterable[str], denied: Iterable[str]) -> tuple[HostList, tuple[str, ...]]:
    """Return the list, and the entries that could not be read.

    An entry that allows and cannot be read allows nothing. One that denies and cannot be read
    denies everything, because nobody knows what it was to deny.
    """
    bad: list[str] = []
    bad_denials: list[str] = []
    names, addresses = _read_all(allowed, bad)
    denied_names, denied_addresses = _read_all(denied, bad_denials)
    if any(pattern.labels == (_LOCAL_NAME,) for pattern in names):
        addresses |= {"127.0.0.1", "::1"}
    if bad_denials:
        denied_names, addresses = (HostPattern("*", ("*",)),), set()
    return (
        HostList(names, denied_names, frozenset(addresses), frozenset(denied_addresses)),
        (*bad, *bad_denials),
    )


def _read_all(entries: Iterable[str], bad: list[str]) -> tuple[tuple[HostPattern, ...], set[str]]:
    """Return the names and the addresses of a list; what can be neither is added to `bad`."""
    names: list[HostPattern] = []
    addresses: set[str] = set()
    for entry in entries:
        text = entry.strip().lower()
        address = read_address(text)
        pattern = read_host_pattern(text)
        if address is not None:
            addresses.add(str(address))
        elif pattern is None or could_be_address(text):
            bad.append(entry)
        else:
            names.append(pattern)
    return tuple(names), addresses

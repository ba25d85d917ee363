"""Which addresses belong to the public network, and which names are addresses in disguise."""

import ipaddress
import re
from typing import TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_NUMBER = re.compile(r"(?:0[xX][0-9a-fA-F]*|[0-9]+)")
#: Networks whose addresses carry an IPv4 address in their last four bytes.
_CARRIERS = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("64:ff9b:1::/48"))


def read_address(host: str) -> Address | None:
    """Return the address that a host is written as, or None if it is a name."""
    try:
        return ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return None


def could_be_address(host: str) -> bool:
    """Return whether some program would read a host as an address: `127.1`, `0x7f01`, `::1`."""
    last = host.rstrip(".").rpartition(".")[2]
    return ":" in host or "[" in host or _NUMBER.fullmatch(last) is not None


def is_public(address: Address) -> bool:
    """Return whether an address is one of the public network, whatever it carries inside."""
    if isinstance(address, ipaddress.IPv6Address):
        carried = _carried(address)
        if carried is not None:
            return is_public(carried)
    return address.is_global and not address.is_multicast


def _carried(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address inside an IPv6 address."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    if any(address in network for network in _CARRIERS):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return None

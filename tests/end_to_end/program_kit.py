"""The real program in a real process, with the scripted model."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import yaml

COMMAND = [str(Path(sys.executable).with_name("gantlet"))]
SECONDS = 100
#: What fits into any pipe.
SMALL = 1000


class Desk:
    """A home, a folder to work in, and a script."""

    def __init__(self, folder: Path, *replies: Any) -> None:
        self.home = folder / "home"
        self.cwd = folder / "work"
        self.own = folder / "gantlet"
        self.home.mkdir()
        self.cwd.mkdir()
        self.script = folder / "script.yaml"
        self.write_script(*replies)
        self.env = {
            "HOME": str(self.home),
            "GANTLET_HOME": str(self.own),
            "PATH": os.environ["PATH"],
            "ENABLE_TOOL_SEARCH": "false",
            "PYTHONDONTWRITEBYTECODE": os.environ.get("PYTHONDONTWRITEBYTECODE", ""),
        }

    def write_script(self, *replies: Any) -> None:
        self.script.write_text(yaml.safe_dump(list(replies)))

    def argv(self, *words: str) -> list[str]:
        return [*COMMAND, "-p", *words, "--script", str(self.script)]

    def run(self, *words: str, stdin: str = "", **env: str) -> "subprocess.CompletedProcess[str]":
        return self.command(*self.argv(*words)[1:], stdin=stdin, **env)

    def command(
        self, *words: str, stdin: str = "", **env: str
    ) -> "subprocess.CompletedProcess[str]":
        given: dict[str, Any] = {"input": stdin}
        with ExitStack() as stack:
            if len(stdin) < SMALL:  # in the pipe before anybody waits for it
                read, write = os.pipe()
                given = {"stdin": stack.enter_context(os.fdopen(read))}
                with os.fdopen(write, "w") as file:
                    file.write(stdin)
            return subprocess.run(
                [*COMMAND, *words],
                **given,
                cwd=self.cwd,
                env={**self.env, **env},
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )

    def start(self, *words: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            self.argv(*words),
            cwd=self.cwd,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    @property
    def transcripts(self) -> list[Path]:
        return sorted(self.own.glob("projects/*/*.jsonl"))


@contextmanager
def served(desk: Desk) -> Iterator[str]:
    """Have the desk's script played over HTTP meanwhile; give its address."""
    server = subprocess.Popen(
        [desk.argv()[0], "serve-script", str(desk.script)],
        env=desk.env,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        url = next(word for word in line.split() if word.startswith("http")).rstrip(".,")
        yield url
    finally:
        server.terminate()
        server.communicate(timeout=60)


STREAM = ("--output-format", "stream-json", "--verbose")


def frames(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]

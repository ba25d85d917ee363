"""The lines of ignore files: of a project, of what lies above it, and of the whole machine."""

from pathlib import Path

import pytest

from gantlet.system.ignore_files import ignore_lines, showing_lines


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return folder


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_lines_of_the_machine_count_from_anywhere(home: Path) -> None:
    write(home / ".config" / "git" / "ignore", "*.log\n!.env\r\n")
    write(home / ".config" / "fd" / "ignore", "!.fd\n")
    write(home / ".gitconfig", '[core]\n\texcludesFile = "~/mine"\n')
    write(home / "mine", "!.mine\n")

    assert showing_lines("/nowhere/at/all/x") == (("", ".env"), ("", ".fd"), ("", ".mine"))


def test_lines_of_git_end_where_its_repository_does(home: Path) -> None:
    project = home / "work"
    write(project / ".git" / "info" / "exclude", "!of-exclude\n")
    for folder in (home, project, project / "sub"):
        write(folder / ".gitignore", f"x\n!of-{folder.name}\n")
        write(folder / ".ignore", f"!all-{folder.name}\n")

    assert set(showing_lines(f"{project}/sub/.env")) == {
        (str(home), "all-home"),
        (str(project), "all-work"),
        (f"{project}/sub", "all-sub"),
        (str(project), "of-work"),
        (f"{project}/sub", "of-sub"),
        (str(project), "of-exclude"),
    }
    assert set(ignore_lines(str(project), f"{project}/sub/.env")) == {
        (folder, line)
        for folder, name in ((str(project), "work"), (f"{project}/sub", "sub"))
        for line in ("x", f"!of-{name}", "")
    } | {(str(project), "!of-exclude")}


def test_without_a_repository_lines_of_git_do_not_count(home: Path) -> None:
    write(home / "work" / ".gitignore", "!.env\n")

    assert showing_lines(f"{home}/work/.env") == ()

"""Removals that nobody should make by accident."""

import pytest

from gantlet.shell import analyse, critical_removal

CWD, HOME, FURTHER = "/home/me/proj", "/home/me", ("/data/extra",)


def is_critical(command: str) -> bool:
    """Return whether a command line may remove something vital."""
    return critical_removal(analyse(command), CWD, HOME, FURTHER) is not None


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf /",
        "rm -rf /*",
        "rm -rf //",
        "rm -rf /etc",
        "rm -rf /etc/",
        "rm -rf /usr/../etc",
        "rmdir /opt",
        "rm -rf /e*",
        "rm -rf ~",
        "rm -rf ~/",
        "rm -rf ~/*",
        "rm -rf ~root",
        "rm -rf /home/me",
        "rm -rf /home/*",
        "rm -rf .",
        "rm -rf ./",
        "rm -rf ..",
        "rm -rf ../..",
        "rm -rf ../*",
        "rm -rf *",
        "rm -rf ./*",
        "rm -rf .*",
        "rm -rf /home/me/proj",
        "rm -rf /home/me/proj/",
        "rm -rf /home/me/proj/*",
        "rm -rf /home/me/proj/../proj",
        "rm -rf /data/extra/*",
        "rm -rf /data/extra/*.log",
        "rm -rf /data/extra",
        "rm -rf $X/*",
        "rm -rf $X/",
        'rm -rf "$X"/*',
        'rm -rf "$X/"',
        "rm -rf ${X}/*",
        "rm -rf $X*",
        "rm -rf C:/",
        "rm -rf /c/",
        "rm -rf /mnt/c",
        "cd / && rm -rf *",
        "cd / && rm -rf etc",
        "cd .. && rm -rf proj",
        "cd src && rm -rf ..",
        "cd $X && rm -rf *",
        "cd $X && rm -rf .",
        "sudo rm -rf /",
        "timeout 5 rm -rf /",
        "sh -c 'rm -rf /'",
        "echo $(rm -rf /)",
        "echo `rm -rf ~`",
        "cat <(rm -rf /)",
        "echo / | xargs rm -rf /",
        "find / -delete",
        "find . -delete",
        "find . -name '*' -delete",
        "find . -name '*.json' -delete",
        "find . ! -name '*.py' -delete",
        "find . -name '*.pyc' -o -delete",
        "find . -path '*/settings*' -exec rm {} +",
        "find . -iname '.MCP*' -delete",
        "find ~ -exec rm {} +",
        "'rm' -rf '/'",
        "r\\m -rf /",
        "X=rm; $X -rf /",
        "rm -rf -- /",
        "rm --recursive --force /",
        "rm -rf src /",
        "f() { rm -rf /; }; f",
        "if true; then rm -rf /; fi",
        "rm -rf '/",
        "rm -rf $HOME",
        'rm -rf "$HOME"',
        'rm -rf "$HOME"/',
        "rm -rf ${HOME}/*",
        "rm -rf ${HOME:?}",
        'rm -rf "${X}/"',
        "rm -rf $X/$Y",
        'rm -rf "$PWD"',
        "rm -rf $(pwd)",
        "cd && rm -rf *",
        "cd ~ && rm -rf .",
        'cd "$HOME" && rm -rf *',
        "cd ~/x && rm -rf ..",
        "find $HOME -delete",
        "find / | xargs rm",
        "parallel rm -rf ::: /",
        "busybox rm -rf ~",
    ],
)
def test_a_vital_removal_is_told(command: str) -> None:
    assert is_critical(command)


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf node_modules",
        "rm -rf ./build",
        "rm -f a b c",
        "rm *.pyc",
        "rm -rf src/*",
        "rm -rf /tmp/x",
        "rm -rf ~/proj/build",
        "rm -rf /home/me/other",
        "rm -rf /data/extra/sub",
        "rmdir a",
        "rm -rf ../sibling",
        'rm -rf "$X/build"',
        'rm "$X"',
        "cd build && rm -rf *",
        "cd src && rm -rf sub",
        "echo 'rm -rf /'",
        "grep 'rm -rf /' f",
        "ls /",
        "find . -name '*.pyc' -delete",
        "find . \\( -name '*.pyc' -o -name '*.pyo' \\) -delete",
        "find . -path './build/*' -delete",
        "find src -name '*.json' -delete",
        "rm -rf '~'",
        "rm -rf '*'",
        "mv a /tmp",
        "rm -rf $HOME/x/y",
        'rm -rf "$PWD/build"',
        "cd ~/x && rm -rf y",
        "find build -delete",
    ],
)
def test_an_ordinary_removal_is_not(command: str) -> None:
    assert not is_critical(command)


def test_the_reason_names_the_command_and_what_is_lost() -> None:
    reason = critical_removal(analyse("ls && rm -rf /etc"), CWD, HOME, FURTHER)

    assert reason == "`rm /etc` would remove the root directory or what is directly in it."

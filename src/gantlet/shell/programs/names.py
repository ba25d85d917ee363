"""Names of programs, for a glob that stands where a program's name should."""

from gantlet.shell.programs.table import PROGRAMS

_OTHERS = """
apt apt-get at awk bash brew bun busybox bzip2 cargo chattr chgrp chmod chown chroot conda cp
crontab curl dash dd deno dig doas docker dpkg env eval exec fdisk find ftp gcc gem gh git go gpg
gradle gunzip gzip halt helm host init insmod install ip iptables kill killall ksh kubectl less link
ln lua mail make mkdir mkfifo mkfs mknod modprobe mount mv mvn nano nc ncat netcat nice node nohup
npm npx nsenter nslookup openssl pacman parted passwd patch perl php ping pip pip3 pkill pnpm podman
poweroff printenv psql python python3 reboot rm rmdir rmmod rpm rsync ruby scp screen script sed sh
shred shutdown socat sqlite3 ssh strace su sudo swapoff systemctl tar tcpdump tee telnet terraform
timeout tmux touch truncate umount unlink unshare unzip useradd userdel usermod vi vim watch wget
wipefs xargs yarn yum zip zsh
"""

PROGRAM_NAMES: tuple[str, ...] = tuple(dict.fromkeys((*PROGRAMS, *_OTHERS.split())))

#: Programs whose words are names and data: nothing among them is run as a command.
_TAKES_NAMES = """
ansible ansible-playbook apk apt apt-cache apt-get apropos aptitude brew bundle bundler cargo chgrp
chmod choco chown code composer conda cp createdb createuser diff dnf docker dpkg dropdb emacs
flatpak gem gh git glab go gradle gradlew groupadd helm heroku info install just kill killall
kubectl ln make man mamba mkdir mv mvn mvnw mysql nano nix-env npm nvim open pacman passwd patch
pip pip3 pipx pkg pkill pnpm poetry port psql pytest rails rake rm rmdir rpm ruff scoop service snap
subl systemctl task tee terraform touch truncate tsc tox nox useradd userdel usermod uv vercel vi
vim whatis winget xdg-open yarn yay yum zypper
"""
TAKES_NAMES = frozenset((*PROGRAMS, *_TAKES_NAMES.split()))

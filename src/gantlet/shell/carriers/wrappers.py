"""Wrappers as data: their options, and what stands before the command they run."""

from gantlet.messages.value import value
from gantlet.shell.options import Grammar, grammar_of


@value
class Wrapper:
    """How to find the command in a wrapper's arguments.

    Attributes:
        options: Its options, in the notation of `options`; values of kind `script` are run by a
            shell, of kind `dir` are where the command runs.
        skips: How many operands stand before the command.
        assigns: Whether `name=value` may stand before the command; so may a lone `-`.
        joins: Whether the words are joined and handed to a shell.
        subcommands: If given, the first operand must be one of these.
        is_runner: It runs in another environment; rules that allow do not see through it.
    """

    options: str = ""
    skips: int = 0
    assigns: bool = False
    joins: bool = False
    subcommands: frozenset[str] = frozenset()
    is_runner: bool = False

    @property
    def grammar(self) -> Grammar:
        """The options, read once."""
        return grammar_of(self.options)


_ENV = (
    "-i,--ignore-environment -0,--null -v,--debug -u,--unset= -C,--chdir=dir -S,--split-string= "
    "--block-signal[=] --default-signal[=] --ignore-signal[=] --list-signal-handling"
)
_SUDO = (
    "-A,--askpass -b,--background -B,--bell -E -H,--set-home -i,--login -K,--remove-timestamp "
    "-k,--reset-timestamp -l,--list -N,--no-update -n,--non-interactive -P,--preserve-groups "
    "-S,--stdin -s,--shell -v,--validate -V,--version -e,--edit --preserve-env[=] -C,--close-from= "
    "-D,--chdir=dir -g,--group= -h,--host= -p,--prompt= -R,--chroot=dir -r,--role= "
    "-T,--command-timeout= -t,--type= -U,--other-user= -u,--user="
)
_UNSHARE = (
    "-m,--mount[=] -u,--uts[=] -i,--ipc[=] -n,--net[=] -p,--pid[=] -U,--user[=] -C,--cgroup[=] "
    "-T,--time[=] -f,--fork -r,--map-root-user -c,--map-current-user --map-auto --map-users= "
    "--map-groups= --map-user= --map-group= --mount-proc[=] --kill-child[=] --propagation= "
    "--setgroups= --keep-caps -R,--root=dir -w,--wd=dir -S,--setuid= -G,--setgid= --monotonic= "
    "--boottime="
)
_NSENTER = (
    "-a,--all -m,--mount[=] -u,--uts[=] -i,--ipc[=] -n,--net[=] -p,--pid[=] -U,--user[=] "
    "-C,--cgroup[=] -T,--time[=] -r,--root[=] -w,--wd[=] -W,--wdns[=] -F,--no-fork -e,--env "
    "-Z,--follow-context --preserve-credentials -t,--target= -S,--setuid= -G,--setgid="
)
_STRACE = (
    "-c -C -d -D -f -F -h -i -k -n -N -q -r -t -T -v -V -w -x -y -z -Z -A --follow-forks "
    "--quiet[=] --timestamps[=] -a= -b= -e= --trace= -E= -I= -o= --output= -O= -p= --attach= -P= "
    "-s= -S= -u= -U= -X= -l="
)
_SSH = (
    "-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y -B= -b= -c= -D= -E= -e= "
    "-F= -I= -i= -J= -L= -l= -m= -O= -o= -p= -Q= -R= -S= -W= -w="
)
_FLOCK = (
    "-s,--shared -x,--exclusive -e -u,--unlock -n,--nb,--nonblock -w,--wait,--timeout= "
    "-E,--conflict-exit-code= -o,--close -F,--no-fork --verbose -c,--command=script"
)
_XARGS = (
    "-0,--null -r,--no-run-if-empty -t,--verbose -p,--interactive -x,--exit -o,--open-tty "
    "-a,--arg-file= -d,--delimiter= -E= -e[=] --eof[=] -I= -i[=] --replace[=] -L= --max-lines[=] "
    "-l[=] -n,--max-args= -P,--max-procs= -s,--max-chars= --process-slot-var= --show-limits -J= "
    "-R= -S="
)
_WATCH = (
    "-b,--beep -c,--color -C,--no-color -d,--differences[=] -e,--errexit -f,--follow -g,--chgexit "
    "-n,--interval= -p,--precise -q,--equexit= -r,--no-rerun -s,--shotsdir= -t,--no-title "
    "-w,--no-wrap -x,--exec"
)
_DOCKER_EXEC = (
    "-d,--detach --detach-keys= -e,--env= --env-file= -i,--interactive --privileged -t,--tty "
    "-u,--user= -w,--workdir="
)
_KUBECTL_EXEC = "-c,--container= -i,--stdin -q,--quiet -t,--tty -n,--namespace= --context= -f="
_NPX = "-y,--yes --no --no-install -q,--quiet -p,--package= -c,--call=script -w,--workspace="
_UV_RUN = (
    "--isolated --no-sync --frozen --locked --active --all-extras --no-dev -q,--quiet -v,--verbose "
    "--with= --extra= --group= -p,--python= --env-file= --package= --directory=dir --project= "
    "-m,--module"
)

#: What runs the rest of its words as a command.
WRAPPERS: dict[str, Wrapper] = {
    "env": Wrapper(_ENV, assigns=True),
    "timeout": Wrapper(
        "-v,--verbose --foreground -f --preserve-status -p -k,--kill-after= -s,--signal=", skips=1
    ),
    "gtimeout": Wrapper("-v --foreground --preserve-status -k,--kill-after= -s,--signal=", skips=1),
    "nice": Wrapper("-n,--adjustment= -NUM"),
    "ionice": Wrapper("-c,--class= -n,--classdata= -t,--ignore -p,--pid= -P,--pgid= -u,--uid="),
    "nohup": Wrapper(),
    "setsid": Wrapper("-c,--ctty -f,--fork -w,--wait"),
    "stdbuf": Wrapper("-i,--input= -o,--output= -e,--error="),
    "time": Wrapper(
        "-p,--portability -v,--verbose -q,--quiet -a,--append -f,--format= -o,--output="
    ),
    "command": Wrapper("-p"),
    "builtin": Wrapper(),
    "exec": Wrapper("-c -l -a="),
    "noglob": Wrapper(),
    "nocorrect": Wrapper(),
    "sudo": Wrapper(_SUDO, assigns=True),
    "doas": Wrapper("-L -n -s -a= -C= -u="),
    "pkexec": Wrapper("--disable-internal-agent --keep-cwd --user="),
    "gosu": Wrapper(skips=1),
    "su-exec": Wrapper(skips=1),
    "chroot": Wrapper("--userspec= --groups= --skip-chdir", skips=1),
    "unshare": Wrapper(_UNSHARE),
    "nsenter": Wrapper(_NSENTER),
    "setpriv": Wrapper(
        "--clear-groups --keep-groups --init-groups --no-new-privs --reset-env --inh-caps= "
        "--ambient-caps= --bounding-set= --ruid= --euid= --rgid= --egid= --reuid= --regid= "
        "--groups= --securebits= --pdeathsig= --selinux-label= --apparmor-profile="
    ),
    "flock": Wrapper(_FLOCK, skips=1),
    "watch": Wrapper(_WATCH, joins=True),
    "strace": Wrapper(_STRACE),
    "ltrace": Wrapper(
        "-c -C -f -h -i -L -r -S -t -T -V -a= -A= -D= -e= -F= -l= -n= -o= -p= -s= -u= -x="
    ),
    "taskset": Wrapper("-a,--all-tasks -c,--cpu-list -p,--pid", skips=1),
    "chrt": Wrapper("-a -b -d -f -i -m -o -p -r -R -v -T= -P= -D=", skips=1),
    "numactl": Wrapper(
        "-a,--all -l,--localalloc -s,--show -H,--hardware -i,--interleave= -p,--preferred= "
        "-m,--membind= -N,--cpunodebind= -C,--physcpubind="
    ),
    "prlimit": Wrapper(
        "--as[=] --core[=] --cpu[=] --data[=] --fsize[=] --memlock[=] --nofile[=] --nproc[=] "
        "--rss[=] --stack[=] -p,--pid="
    ),
    "setarch": Wrapper("-B -F -I -L -R -S -T -X -Z -3 -v --uname-2.6", skips=1),
    "linux64": Wrapper("-B -F -I -L -R -S -T -X -Z -3 -v"),
    "linux32": Wrapper("-B -F -I -L -R -S -T -X -Z -3 -v"),
    "systemd-run": Wrapper(
        "--user --scope -P,--pipe -t,--pty -d,--same-dir -G,--collect -q,--quiet --wait "
        "--no-block -r,--remain-after-exit -u,--unit= -p,--property= -E,--setenv= --slice= "
        "--working-directory=dir --uid= --gid= --description="
    ),
    "systemd-inhibit": Wrapper("--what= --who= --why= --mode="),
    "dbus-run-session": Wrapper("--config-file= --dbus-daemon="),
    "xvfb-run": Wrapper(
        "-a,--auto-servernum -l,--listen-tcp -e,--error-file= -n,--server-num= -s,--server-args="
    ),
    "fakeroot": Wrapper("-u -s= -i= -l= -b="),
    "proot": Wrapper("-0 -r= -b= -w= -q= -R= -S="),
    "firejail": Wrapper("--quiet --noprofile --net= --private[=] --profile="),
    "proxychains": Wrapper("-q -f="),
    "proxychains4": Wrapper("-q -f="),
    "torsocks": Wrapper("-i,--isolate -d -q -u= -p= -a= -P="),
    "unbuffer": Wrapper("-p"),
    "rlwrap": Wrapper("-a -A -c -i -m -n -N -r -R -f= -H= -b= -s= -C= -P= -p="),
    "catchsegv": Wrapper(),
    "caffeinate": Wrapper("-d -i -m -s -u -t= -w="),
    "cpulimit": Wrapper("-i -z -f -l= -c= -m= -e= -p="),
    "tini": Wrapper("-s -g -v -w -p= -e="),
    "dumb-init": Wrapper("-c,--single-child -v,--verbose -r,--rewrite="),
    "chpst": Wrapper(
        "-v -P -0 -1 -2 -u= -U= -b= -e= -/= -n= -l= -L= -m= -d= -o= -p= -f= -c= -r= -t="
    ),
    "softlimit": Wrapper("-a= -c= -d= -f= -l= -m= -o= -p= -r= -s= -t="),
    "setuidgid": Wrapper(skips=1),
    "envdir": Wrapper(skips=1),
    "xargs": Wrapper(_XARGS),
    "ssh": Wrapper(_SSH, skips=1, joins=True, is_runner=True),
    "mosh": Wrapper("--ssh=script --client= --server= -p,--port= --predict= -4 -6", skips=1),
    "dbclient": Wrapper("-T -t -f -N -y -p= -l= -i=", skips=1, joins=True, is_runner=True),
    "npx": Wrapper(_NPX, is_runner=True),
    "bunx": Wrapper("--bun -y -p,--package=", is_runner=True),
    "uvx": Wrapper("--isolated -q,--quiet --from= --with= -p,--python=", is_runner=True),
    "npm": Wrapper(_NPX, subcommands=frozenset({"exec", "x", "explore"}), is_runner=True),
    "pnpm": Wrapper(
        "-C,--dir=dir -r,--recursive --filter= -c,--shell-mode --package=",
        subcommands=frozenset({"exec", "dlx"}),
        is_runner=True,
    ),
    "yarn": Wrapper(
        "--cwd=dir -p,--package= -q,--quiet", subcommands=frozenset({"exec", "dlx"}), is_runner=True
    ),
    "bun": Wrapper("--bun", subcommands=frozenset({"x"}), is_runner=True),
    "uv": Wrapper(_UV_RUN, subcommands=frozenset({"run"}), is_runner=True),
    "poetry": Wrapper(
        "-C,--directory=dir -P,--project= -n -q -v", subcommands=frozenset({"run"}), is_runner=True
    ),
    "pipenv": Wrapper("--bare", subcommands=frozenset({"run"}), is_runner=True),
    "pdm": Wrapper(
        "-p,--project= -s,--site-packages", subcommands=frozenset({"run"}), is_runner=True
    ),
    "rye": Wrapper("-q -v", subcommands=frozenset({"run"}), is_runner=True),
    "hatch": Wrapper("-e,--env= -q -v", subcommands=frozenset({"run"}), is_runner=True),
    "pipx": Wrapper(
        "--spec= --python= --pip-args= -q,--quiet", subcommands=frozenset({"run"}), is_runner=True
    ),
    "conda": Wrapper(
        "-n,--name= -p,--prefix= --no-capture-output --live-stream --cwd=dir -v",
        subcommands=frozenset({"run"}),
        is_runner=True,
    ),
    "bundle": Wrapper("--keep-file-descriptors", subcommands=frozenset({"exec"}), is_runner=True),
    "mise": Wrapper(
        "-c,--command=script -j,--jobs= -q -y", subcommands=frozenset({"exec", "x"}), is_runner=True
    ),
    "asdf": Wrapper(subcommands=frozenset({"exec"}), is_runner=True),
    "rbenv": Wrapper(subcommands=frozenset({"exec"}), is_runner=True),
    "pyenv": Wrapper(subcommands=frozenset({"exec"}), is_runner=True),
    "direnv": Wrapper(skips=1, subcommands=frozenset({"exec"}), is_runner=True),
    "devbox": Wrapper(
        "-c,--config= -e,--env= -q,--quiet", subcommands=frozenset({"run"}), is_runner=True
    ),
    "docker": Wrapper(_DOCKER_EXEC, skips=1, subcommands=frozenset({"exec"}), is_runner=True),
    "podman": Wrapper(_DOCKER_EXEC, skips=1, subcommands=frozenset({"exec"}), is_runner=True),
    "kubectl": Wrapper(_KUBECTL_EXEC, skips=1, subcommands=frozenset({"exec"}), is_runner=True),
}

#: Names under which another entry goes.
for _name, _like in {"sudoedit": "sudo", "i386": "linux32", "x86_64": "linux64"}.items():
    WRAPPERS[_name] = WRAPPERS[_like]

#: What a rule that allows sees through, as the contract has it.
ALLOW_WRAPPERS = frozenset(
    {"timeout", "time", "nice", "nohup", "stdbuf", "command", "builtin", "noglob", "xargs"}
)

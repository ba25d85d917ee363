"""The numbers of the system calls that a sandboxed command has no business with."""

from gantlet.messages.value import value


@value
class Machine:
    """One processor's numbering.

    Attributes:
        audit_arch: How the kernel's filters name it.
        numbers: A number for each call it has.
        foreign_from: Numbers from here on belong to another calling convention; 0 if there is none.
    """

    audit_arch: int
    numbers: dict[str, int]
    foreign_from: int = 0


#: The same number everywhere.
_COMMON = {
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "clone3": 435,
    "openat2": 437,
    "pidfd_getfd": 438,
    "process_madvise": 440,
    "mount_setattr": 442,
    "quotactl_fd": 443,
    "fchmodat2": 452,
    "open_tree_attr": 467,
}

_TABLE = """
acct 163 89
add_key 248 217
adjtimex 159 171
bpf 321 280
chroot 161 51
clock_adjtime 305 266
clock_settime 227 112
clone 56 220
delete_module 176 106
fanotify_init 300 262
fchmod 91 52
fchmodat 268 53
finit_module 313 273
init_module 175 105
ioctl 16 29
kcmp 312 272
kexec_file_load 320 294
kexec_load 246 104
keyctl 250 219
lookup_dcookie 212 18
mknodat 259 33
mount 165 40
nfsservctl 180 42
open_by_handle_at 304 265
openat 257 56
perf_event_open 298 241
pivot_root 155 41
process_vm_readv 310 270
process_vm_writev 311 271
ptrace 101 117
quotactl 179 60
reboot 169 142
request_key 249 218
setdomainname 171 162
sethostname 170 161
setns 308 268
settimeofday 164 170
socket 41 198
socketpair 53 199
swapoff 168 225
swapon 167 224
syslog 103 116
umount2 166 39
unshare 272 97
userfaultfd 323 282
vhangup 153 58
"""
#: Calls that only this processor has.
_X86 = {"chmod": 90, "creat": 85, "ioperm": 173, "iopl": 172, "mknod": 133, "open": 2}
_ROWS = [line.split() for line in _TABLE.split("\n") if line]

#: By the name that `os.uname` gives the processor.
MACHINES = {
    "x86_64": Machine(
        0xC000003E,
        {name: int(number) for name, number, _ in _ROWS} | _COMMON | _X86,
        foreign_from=0x40000000,
    ),
    "aarch64": Machine(0xC00000B7, {name: int(number) for name, _, number in _ROWS} | _COMMON),
}

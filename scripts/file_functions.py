"""Decides which functions of the C library touch files or descriptors.

The system's own headers decide, never the lists of what Headrace intercepts:

1. by type: it takes or returns a FILE, DIR, FTS, aiocb or message queue;
2. by parameter: glibc names its parameters consistently. A number or array called …fd…, fildes or pipedes is
   a descriptor; a string called path, file, dir, from, to, template, … is a path;
3. by header: everything in a header that is about files or descriptors alone (sys/socket.h, sys/epoll.h, …),
   which finds what only returns a descriptor;
4. by descent, for exported symbols that no header declares: the name without its decoration (__read, read64,
   __read_chk, __isoc99_fscanf, _IO_fopen) is one of the above; and everything called _IO_…;
5. by name, for the few whose prototypes show nothing (sync, getpt) or that only old headers declared
   (__xstat).
"""

from __future__ import annotations

import re

from c_declarations import Declaration, declared_functions

# Headers in which every function is about files or descriptors (rule 3).
FILE_HEADERS = """
aio.h dirent.h err.h error.h fcntl.h fts.h ftw.h glob.h mntent.h mqueue.h pty.h stdio.h stdio_ext.h
sys/epoll.h sys/eventfd.h sys/fanotify.h sys/file.h sys/inotify.h sys/ioctl.h sys/mount.h sys/pidfd.h
sys/sendfile.h sys/signalfd.h sys/socket.h sys/stat.h sys/statfs.h sys/statvfs.h sys/timerfd.h sys/uio.h
sys/xattr.h utime.h
"""
# Headers of mixed content, where rules 1 and 2 decide.
MIXED_HEADERS = """
dlfcn.h execinfo.h fstab.h grp.h gshadow.h malloc.h poll.h printf.h pwd.h sched.h semaphore.h shadow.h spawn.h
stdlib.h sys/acct.h sys/ipc.h sys/mman.h sys/quota.h sys/select.h sys/shm.h sys/swap.h sys/time.h sys/vfs.h
syslog.h termios.h ttyent.h ulimit.h unistd.h utmp.h utmpx.h wchar.h wordexp.h
"""
# In these, a string called name is the name of a file, or of an object that is one below /dev/shm.
NAME_HEADERS = {"semaphore.h", "stdlib.h", "sys/mman.h", "unistd.h"}

FILE_TYPES = re.compile(r"\b(_*FILE|DIR|FTS|FTS64|FTSENT|FTSENT64|aiocb|aiocb64|mqd_t)\b")
NUMBER = re.compile(r"^(const )?(unsigned )?(int|unsigned)( ?\*)?$|\bpollfd\b")
DESCRIPTOR = re.compile(r"fd(?!s?_?set)|fildes|filedes|pipedes")
TEXT = re.compile(r"^(const )?char ?\*( ?const ?\*?)?$")
PATH = re.compile(r"path|file|^(dir|from|to|old|new|target|template|library|pattern|dev)$")
# Functions on strings and process state in the headers above.
NOT_FILES = re.compile(
    r"^_*v?(sn?|as|sw)(printf|scanf)(_chk)?$|^_*obstack_v?printf(_chk)?$"
    r"|^(ctermid|cuserid|umask|getumask|hasmntopt)$"
    r"|^((un)?setenv|(secure_)?getenv|set(hostname|domainname|login))$"
)
# Functions of <wchar.h> that use the standard streams without naming them.
STANDARD_STREAMS = re.compile(r"^_*v?w(printf|scanf)(_chk)?$|^(get|put)wchar(_unlocked)?$")
# Functions whose prototypes show nothing, and entry points that only old headers declared (rule 5).
KNOWN = """
bindresvport closelog get_current_dir_name getcwd getpt getwd login logout logwtmp openlog pivot_root
posix_openpt psiginfo psignal quotactl rcmd rcmd_af rexec rexec_af rresvport rresvport_af sync syscall syslog
vsyslog __getcwd_chk __getwd_chk __syslog_chk __vsyslog_chk
__fxstat __fxstatat __lxstat __xmknod __xmknodat __xstat __overflow __uflow __underflow __woverflow __wuflow
__wunderflow chflags fattach fchflags fdetach getmsg getpmsg gets __gets_chk gtty isastream llseek putmsg
putpmsg revoke stty uselib ustat
"""


def file_functions(exported: set[str]) -> dict[str, str]:
    """Those of the exported functions that touch files or descriptors, each with what tells so."""
    declared = declared_functions(sorted({*FILE_HEADERS.split(), *MIXED_HEADERS.split()}))
    found = {name: reason for name in declared if (reason := declared_reason(declared[name]))}
    known = set(KNOWN.split())
    result = {}
    for name in exported:
        reason = found.get(name, "")
        if not reason and (name in known or name.removesuffix("64") in known):
            reason = "known by name"
        if not reason and name not in declared:
            reason = descent(name, found)
        if reason:
            result[name] = reason
    return result


def declared_reason(function: Declaration) -> str:
    """How a declared function shows that it touches files or descriptors, or ""."""
    if NOT_FILES.match(function.name):
        return ""
    for kind, name in (*function.parameters, (function.result, "the result")):
        if FILE_TYPES.search(kind):
            return f"{function.header}: {name or 'a parameter'} is of type {kind}"
        if NUMBER.search(kind) and DESCRIPTOR.search(name):
            return f"{function.header}: parameter {name} is a descriptor"
        is_name = name == "name" and kind.startswith("const") and function.header in NAME_HEADERS
        if TEXT.match(kind) and (is_name or PATH.search(name)):
            return f"{function.header}: parameter {name} is a path"
    if STANDARD_STREAMS.match(function.name):
        return f"{function.header}: uses a standard stream"
    if function.header in FILE_HEADERS.split():
        return f"{function.header} is about files or descriptors alone"
    return ""


def descent(name: str, found: dict[str, str]) -> str:
    """How an undeclared symbol shows that it touches files or descriptors, or ""."""
    plain = re.sub(r"^(__libc_|__isoc(99|23)_|_IO_|__)", "", name)
    for base in (
        plain,
        plain.removesuffix("_chk"),
        plain.removesuffix("_2"),
        plain.removesuffix("_nocancel"),
    ):
        for form in (base, base.removesuffix("64"), base.replace("64v2", "v2"), base.replace("64_", "_")):
            if form in found:
                return f"a form of {form}"
    if name.startswith("_IO_") and not NOT_FILES.match(plain):
        return "a part of stdio"
    return ""

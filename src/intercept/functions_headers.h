// Every system header whose types or functions functions.def names.
//
// Who defines wrappers must give them their symbol name through an asm label (`ret wrapper params __asm__("read")`)
// instead of redeclaring the function: glibc's declarations are partly noexcept, noreturn or fortified inline, wrappers
// are none of these.
#pragma once

#if defined(_FILE_OFFSET_BITS) && _FILE_OFFSET_BITS == 64
#error "_FILE_OFFSET_BITS=64 makes the headers rename open to open64; functions.def needs the plain names"
#endif

#include <aio.h>
#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <mntent.h>
#include <mqueue.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <threads.h>
#include <unistd.h>
#include <utime.h>
#include <utmp.h>
#include <wchar.h>
#include <wordexp.h>

#if __GLIBC_PREREQ(2, 36)
#include <sys/pidfd.h>
#endif

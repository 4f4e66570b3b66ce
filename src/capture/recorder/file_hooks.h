// Hooks of the calls that open, close and duplicate descriptors, and of those on open descriptors.
#pragma once

#include "capture/recorder/calls.h"
#include "capture/recorder/flags.h"
#include "capture/recorder/posix_aio.h"
#include "capture/recorder/rings.h"
#include "intercept/functions_headers.h"

namespace headrace::capture {

/// Flags of open(2) for a mode of fopen.
int flags_of_mode(const char* mode);
/// The descriptor of a stream; −1 for streams over memory, whose `_fileno` means nothing. Preserves errno.
int descriptor_of(FILE* stream);
/// The descriptor that all requests of a list are on; −1: there is none.
int common_descriptor(struct aiocb* const* list, int count);
/// Forgets the descriptors that a received message carries.
void forget_received(const struct msghdr* message);

template <class Next>
struct FileHooks : Next {
  // ---- opening
  static int open(const char* path, int flags, mode_t mode) {
    return on_open(Fn::open, AT_FDCWD, path, flags, [&] { return Next::open(path, flags, mode); });
  }
  static int openat(int directory, const char* path, int flags, mode_t mode) {
    return on_open(Fn::openat, directory, path, flags, [&] { return Next::openat(directory, path, flags, mode); });
  }
  static int __open_2(const char* path, int flags) {
    return on_open(Fn::__open_2, AT_FDCWD, path, flags, [&] { return Next::__open_2(path, flags); });
  }
  static int __openat_2(int directory, const char* path, int flags) {
    return on_open(Fn::__openat_2, directory, path, flags, [&] { return Next::__openat_2(directory, path, flags); });
  }
  static int creat(const char* path, mode_t mode) {
    return on_open(Fn::creat, AT_FDCWD, path, O_CREAT | O_TRUNC | O_WRONLY, [&] { return Next::creat(path, mode); });
  }
  static int shm_open(const char* name, int flags, mode_t mode) {
    return on_new(Fn::shm_open, [&] { return Next::shm_open(name, flags, mode); });
  }
  static int open_by_handle_at(int mount, struct file_handle* handle, int flags) {
    return on_new(Fn::open_by_handle_at, [&] { return Next::open_by_handle_at(mount, handle, flags); });
  }
  static DIR* opendir(const char* path) {
    Timed time;
    DIR* stream = timed(Fn::opendir, OnPath{AT_FDCWD, path}, time, [&] { return Next::opendir(path); });
    if (stream)
      opened(Fn::opendir, dirfd(stream), AT_FDCWD, path, O_DIRECTORY, 0, time);
    else
      open_failed(Fn::opendir, AT_FDCWD, path, time);
    return stream;
  }
  static int mkstemp(char* pattern) {
    return on_open(Fn::mkstemp, AT_FDCWD, pattern, kTemporary, [&] { return Next::mkstemp(pattern); }, flag::temporary);
  }
  static int mkostemp(char* pattern, int flags) {
    return on_open(
        Fn::mkostemp, AT_FDCWD, pattern, kTemporary | flags, [&] { return Next::mkostemp(pattern, flags); },
        flag::temporary);
  }
  static int mkstemps(char* pattern, int suffix) {
    return on_open(
        Fn::mkstemps, AT_FDCWD, pattern, kTemporary, [&] { return Next::mkstemps(pattern, suffix); }, flag::temporary);
  }
  static int mkostemps(char* pattern, int suffix, int flags) {
    return on_open(
        Fn::mkostemps, AT_FDCWD, pattern, kTemporary | flags, [&] { return Next::mkostemps(pattern, suffix, flags); },
        flag::temporary);
  }

  // ---- closing: the tag goes first, since another thread may get the number the moment the real call is done
  static int close(int fd) {
    return on_close(Fn::close, fd, [&] { return Next::close(fd); });
  }
  static int closedir(DIR* stream) {
    return on_close(Fn::closedir, stream ? dirfd(stream) : -1, [&] { return Next::closedir(stream); });
  }
  static int mq_close(mqd_t queue) {
    return on_close(Fn::mq_close, queue, [&] { return Next::mq_close(queue); });
  }
  static int close_range(unsigned first, unsigned last, int flags) {
    constexpr int kMarkOnly = 1 << 2;  // CLOSE_RANGE_CLOEXEC
    if (!(flags & kMarkOnly)) before_close(first, last);
    int result = Next::close_range(first, last, flags);
    if (result == 0 && !(flags & kMarkOnly)) forget_range(first, last);
    return result;
  }
  static void closefrom(int first) {
    before_close(first > 0 ? static_cast<unsigned>(first) : 0, ~0u);
    Next::closefrom(first);
    forget_range(first > 0 ? static_cast<unsigned>(first) : 0, ~0u);
  }

  // ---- duplicates
  static int dup(int fd) {
    return on_duplicate(Fn::dup, fd, [&] { return Next::dup(fd); });
  }
  static int dup2(int fd, int target) {
    if (fd != target) before_close(target);
    return on_duplicate(Fn::dup2, fd, [&] { return Next::dup2(fd, target); });
  }
  static int dup3(int fd, int target, int flags) {
    if (fd != target) before_close(target);
    return on_duplicate(Fn::dup3, fd, [&] { return Next::dup3(fd, target, flags); });
  }
  static int fcntl(int fd, int command, void* argument) {
    auto call = [&] { return Next::fcntl(fd, command, argument); };
    switch (command) {
      case F_DUPFD:
      case F_DUPFD_CLOEXEC:
        return on_duplicate(Fn::fcntl, fd, call);
      case F_SETLK:
      case F_SETLKW:
      case F_GETLK:
      case F_OFD_SETLK:
      case F_OFD_SETLKW:
      case F_OFD_GETLK:
        return on_descriptor(Fn::fcntl, fd, Metadata::kLocks, call);
      default:
        return on_descriptor(Fn::fcntl, fd, Metadata::kControls, call);
    }
  }

  // ---- descriptors of other things: only so that a reused number is not taken for the file it once was
  static int socket(int domain, int type, int protocol) {
    return on_new(Fn::socket, [&] { return Next::socket(domain, type, protocol); });
  }
  static int accept(int fd, struct sockaddr* address, socklen_t* size) {
    return on_new(Fn::accept, [&] { return Next::accept(fd, address, size); });
  }
  static int accept4(int fd, struct sockaddr* address, socklen_t* size, int flags) {
    return on_new(Fn::accept4, [&] { return Next::accept4(fd, address, size, flags); });
  }
  static int pipe(int* fds) {
    return on_pair(Fn::pipe, fds, [&] { return Next::pipe(fds); });
  }
  static int pipe2(int* fds, int flags) {
    return on_pair(Fn::pipe2, fds, [&] { return Next::pipe2(fds, flags); });
  }
  static int socketpair(int domain, int type, int protocol, int* fds) {
    return on_pair(Fn::socketpair, fds, [&] { return Next::socketpair(domain, type, protocol, fds); });
  }
  static ssize_t recvmsg(int fd, struct msghdr* message, int flags) {
    ssize_t result = Next::recvmsg(fd, message, flags);
    if (result >= 0 && message) forget_received(message);
    return result;
  }
  static int recvmmsg(int fd, struct mmsghdr* messages, unsigned count, int flags, struct timespec* timeout) {
    int result = Next::recvmmsg(fd, messages, count, flags, timeout);
    for (int i = 0; i < result; ++i) forget_received(&messages[i].msg_hdr);
    return result;
  }
  static int epoll_create(int size) {
    return on_new(Fn::epoll_create, [&] { return Next::epoll_create(size); });
  }
  static int epoll_create1(int flags) {
    return on_new(Fn::epoll_create1, [&] { return Next::epoll_create1(flags); });
  }
  static int eventfd(unsigned count, int flags) {
    return on_new(Fn::eventfd, [&] { return Next::eventfd(count, flags); });
  }
  static int timerfd_create(clockid_t clock, int flags) {
    return on_new(Fn::timerfd_create, [&] { return Next::timerfd_create(clock, flags); });
  }
  static int signalfd(int fd, const sigset_t* mask, int flags) {
    return on_new(Fn::signalfd, [&] { return Next::signalfd(fd, mask, flags); });
  }
  static int inotify_init() {
    return on_new(Fn::inotify_init, [&] { return Next::inotify_init(); });
  }
  static int inotify_init1(int flags) {
    return on_new(Fn::inotify_init1, [&] { return Next::inotify_init1(flags); });
  }
  static int fanotify_init(unsigned flags, unsigned event_flags) {
    return on_new(Fn::fanotify_init, [&] { return Next::fanotify_init(flags, event_flags); });
  }
  static int memfd_create(const char* name, unsigned flags) {
    return on_new(Fn::memfd_create, [&] { return Next::memfd_create(name, flags); });
  }
  static int getpt() {
    return on_new(Fn::getpt, [&] { return Next::getpt(); });
  }
  static int posix_openpt(int flags) {
    return on_new(Fn::posix_openpt, [&] { return Next::posix_openpt(flags); });
  }
  static int openpty(int* master, int* slave, char* name, const struct termios* attributes,
                     const struct winsize* size) {
    Timed time;
    int result = timed(time, [&] { return Next::openpty(master, slave, name, attributes, size); });
    if (result == 0) forget_descriptor(*master), forget_descriptor(*slave);
    plain_call(Fn::openpty, result == 0, time);
    return result;
  }
  static int login_tty(int fd) {
    int result = Next::login_tty(fd);
    if (result == 0) forget_range(0, 2), forget_descriptor(fd);
    return result;
  }
  static mqd_t mq_open(const char* name, int flags, mode_t mode, struct mq_attr* attributes) {
    return on_new(Fn::mq_open, [&] { return Next::mq_open(name, flags, mode, attributes); });
  }

  // ---- on open files
  static off_t lseek(int fd, off_t offset, int whence) {
    Timed time;
    off_t result = timed(Fn::lseek, OnDescriptor{fd}, time, [&] { return Next::lseek(fd, offset, whence); });
    moved_position(Fn::lseek, fd, result, time);
    return result;
  }
  static int fstat(int fd, struct stat* result) {
    return on_descriptor(Fn::fstat, fd, Metadata::kStats, [&] { return Next::fstat(fd, result); });
  }
  static int __fxstat(int version, int fd, struct stat* result) {
    return on_descriptor(Fn::__fxstat, fd, Metadata::kStats, [&] { return Next::__fxstat(version, fd, result); });
  }
  static int fstatfs(int fd, struct statfs* result) {
    return on_descriptor(Fn::fstatfs, fd, Metadata::kStats, [&] { return Next::fstatfs(fd, result); });
  }
  static int fstatvfs(int fd, struct statvfs* result) {
    return on_descriptor(Fn::fstatvfs, fd, Metadata::kStats, [&] { return Next::fstatvfs(fd, result); });
  }
  static long fpathconf(int fd, int name) {
    return on_descriptor(Fn::fpathconf, fd, Metadata::kStats, [&] { return Next::fpathconf(fd, name); });
  }
  static int fsync(int fd) {
    return on_descriptor(Fn::fsync, fd, Metadata::kSyncs, [&] { return Next::fsync(fd); });
  }
  static int fdatasync(int fd) {
    return on_descriptor(Fn::fdatasync, fd, Metadata::kSyncs, [&] { return Next::fdatasync(fd); });
  }
  static int sync_file_range(int fd, off_t offset, off_t size, unsigned flags) {
    return on_descriptor(Fn::sync_file_range, fd, Metadata::kSyncs,
                         [&] { return Next::sync_file_range(fd, offset, size, flags); });
  }
  static int syncfs(int fd) {
    return on_descriptor(Fn::syncfs, fd, Metadata::kSyncs, [&] { return Next::syncfs(fd); });
  }
  static void sync() {
    Timed time;
    timed(Fn::sync, OnNothing(), time, [&] { return Next::sync(), 0; });
    plain_call(Fn::sync, true, time);
  }
  static int msync(void* address, size_t size, int flags) {
    return on_nothing(Fn::msync, [&] { return Next::msync(address, size, flags); });
  }
  static int ftruncate(int fd, off_t size) {
    return on_descriptor(Fn::ftruncate, fd, Metadata::kTruncates, [&] { return Next::ftruncate(fd, size); });
  }
  static int fallocate(int fd, int mode, off_t offset, off_t size) {
    return on_descriptor(Fn::fallocate, fd, Metadata::kAllocates,
                         [&] { return Next::fallocate(fd, mode, offset, size); });
  }
  static int posix_fallocate(int fd, off_t offset, off_t size) {
    return on_error_number(Fn::posix_fallocate, fd, Metadata::kAllocates,
                           [&] { return Next::posix_fallocate(fd, offset, size); });
  }
  static int posix_fadvise(int fd, off_t offset, off_t size, int advice) {
    return on_error_number(Fn::posix_fadvise, fd, Metadata::kAdvises,
                           [&] { return Next::posix_fadvise(fd, offset, size, advice); });
  }
  static ssize_t readahead(int fd, off_t offset, size_t size) {
    return on_descriptor(Fn::readahead, fd, Metadata::kAdvises, [&] { return Next::readahead(fd, offset, size); });
  }
  static void* mmap(void* address, size_t size, int protection, int flags, int fd, off_t offset) {
    if (fd < 0 || (flags & MAP_ANONYMOUS)) return Next::mmap(address, size, protection, flags, fd, offset);
    Timed time;
    void* result = timed(time, [&] { return Next::mmap(address, size, protection, flags, fd, offset); });
    mapped(Fn::mmap, fd, size, result != MAP_FAILED, time);
    return result;
  }
  static int flock(int fd, int operation) {
    return on_descriptor(Fn::flock, fd, Metadata::kLocks, [&] { return Next::flock(fd, operation); });
  }
  static int lockf(int fd, int command, off_t size) {
    return on_descriptor(Fn::lockf, fd, Metadata::kLocks, [&] { return Next::lockf(fd, command, size); });
  }
  static int ioctl(int fd, unsigned long request, void* argument) {
    return on_descriptor(Fn::ioctl, fd, Metadata::kControls, [&] { return Next::ioctl(fd, request, argument); });
  }
  static int fchmod(int fd, mode_t mode) {
    return on_descriptor(Fn::fchmod, fd, Metadata::kAttributes, [&] { return Next::fchmod(fd, mode); });
  }
  static int fchown(int fd, uid_t user, gid_t group) {
    return on_descriptor(Fn::fchown, fd, Metadata::kAttributes, [&] { return Next::fchown(fd, user, group); });
  }
  static int futimes(int fd, const struct timeval* times) {
    return on_descriptor(Fn::futimes, fd, Metadata::kAttributes, [&] { return Next::futimes(fd, times); });
  }
  static int futimens(int fd, const struct timespec* times) {
    return on_descriptor(Fn::futimens, fd, Metadata::kAttributes, [&] { return Next::futimens(fd, times); });
  }
  static ssize_t fgetxattr(int fd, const char* name, void* value, size_t size) {
    return on_descriptor(Fn::fgetxattr, fd, Metadata::kAttributes,
                         [&] { return Next::fgetxattr(fd, name, value, size); });
  }
  static int fsetxattr(int fd, const char* name, const void* value, size_t size, int flags) {
    return on_descriptor(Fn::fsetxattr, fd, Metadata::kAttributes,
                         [&] { return Next::fsetxattr(fd, name, value, size, flags); });
  }
  static ssize_t flistxattr(int fd, char* list, size_t size) {
    return on_descriptor(Fn::flistxattr, fd, Metadata::kAttributes, [&] { return Next::flistxattr(fd, list, size); });
  }
  static int fremovexattr(int fd, const char* name) {
    return on_descriptor(Fn::fremovexattr, fd, Metadata::kAttributes, [&] { return Next::fremovexattr(fd, name); });
  }
  static struct dirent* readdir(DIR* stream) {
    Timed time;
    auto* result = timed(Fn::readdir, OnDescriptor{dirfd(stream)}, time, [&] { return Next::readdir(stream); });
    descriptor_call(Fn::readdir, dirfd(stream), Metadata::kDirectoryReads, true, time);
    return result;
  }
  static int readdir_r(DIR* stream, struct dirent* entry, struct dirent** result) {
    return on_error_number(Fn::readdir_r, dirfd(stream), Metadata::kDirectoryReads,
                           [&] { return Next::readdir_r(stream, entry, result); });
  }
  static int fchdir(int fd) {
    forget_working_directory();
    int result = Next::fchdir(fd);
    if (result == 0) changed_working_directory(fd);
    return result;
  }

  // ---- asynchronous: submission is counted here, the bytes when the result is fetched
  static int aio_read(struct aiocb* request) {
    return on_one_request(Fn::aio_read, request, LIO_READ, [&] { return Next::aio_read(request); });
  }
  static int aio_write(struct aiocb* request) {
    return on_one_request(Fn::aio_write, request, LIO_WRITE, [&] { return Next::aio_write(request); });
  }
  static int aio_fsync(int operation, struct aiocb* request) {
    return on_descriptor(Fn::aio_fsync, request->aio_fildes, Metadata::kSyncs,
                         [&] { return Next::aio_fsync(operation, request); });
  }
  static int aio_suspend(const struct aiocb* const* list, int count, const struct timespec* timeout) {
    return on_nothing(Fn::aio_suspend, [&] { return Next::aio_suspend(list, count, timeout); });
  }
  static int lio_listio(int mode, struct aiocb* const* list, int count, struct sigevent* event) {
    for (int i = 0; i < count; ++i)
      if (list[i]) note_request(list[i], list[i]->aio_lio_opcode);
    const int result = on_request(
        Fn::lio_listio, [&] { return Next::lio_listio(mode, list, count, event); },
        [&] { return common_descriptor(list, count); });
    const int saved = errno;
    for (int i = 0; i < count; ++i) {
      if (!list[i]) continue;
      if (result != 0 && saved == EINVAL)
        take_request(list[i]);
      else if (mode == LIO_WAIT)
        Next::aio_error(list[i]);
    }
    errno = saved;
    return result;
  }

 protected:
  static constexpr int kTemporary = O_CREAT | O_EXCL | O_RDWR;

  template <typename Call>
  static HEADRACE_INLINE int on_open(Fn function, int directory, const char* path, int flags, Call call,
                                     uint32_t record_flags = 0) {
    Timed time;
    int fd = timed(function, OnPath{directory, path}, time, call);
    if (fd >= 0)
      opened(function, fd, directory, path, flags, record_flags, time);
    else
      open_failed(function, directory, path, time);
    return fd;
  }
  static HEADRACE_INLINE uint64_t tag_before_close(int fd) { return in_vfork_child() ? kUnknownTag : take_tag(fd); }
  template <typename Call>
  static HEADRACE_INLINE int on_close(Fn function, int fd, Call call) {
    before_close(fd);
    uint64_t tag = tag_before_close(fd);
    Timed time;
    int result = timed(function, OnTag{tag}, time, call);
    // A close that fails with EBADF had no tag; after EINTR and EIO Linux has closed the descriptor all the same.
    if (result == 0 || tag != kUnknownTag)
      closed(function, tag, time);
    else
      plain_call(function, false, time);
    return result;
  }
  static void forget_range(unsigned first, unsigned last) { forget_descriptors(first, last); }
  template <typename Call>
  static int on_duplicate(Fn function, int fd, Call call) {
    Timed time;
    int result = timed(time, call);
    if (result >= 0)
      duplicated(function, fd, result, time);
    else
      plain_call(function, false, time);
    return result;
  }
  template <typename Call>
  static int on_new(Fn function, Call call) {
    Timed time;
    int fd = timed(function, OnNothing(), time, call);
    if (fd >= 0) forget_descriptor(fd);
    plain_call(function, fd >= 0, time);
    return fd;
  }
  template <typename Call>
  static int on_pair(Fn function, int* fds, Call call) {
    Timed time;
    int result = timed(time, call);
    if (result == 0) forget_descriptor(fds[0]), forget_descriptor(fds[1]);
    plain_call(function, result == 0, time);
    return result;
  }
  template <typename Call>
  static HEADRACE_INLINE auto on_descriptor(Fn function, int fd, Metadata::Count which, Call call) {
    Timed time;
    auto result = timed(function, OnDescriptor{fd}, time, call);
    descriptor_call(function, fd, which, result >= 0, time);
    return result;
  }
  template <typename Call>
  static int on_error_number(Fn function, int fd, Metadata::Count which, Call call) {
    Timed time;
    int result = timed(function, OnDescriptor{fd}, time, call);
    descriptor_call(function, fd, which, result == 0, time);
    return result;
  }
  template <typename Call>
  static int on_one_request(Fn function, const struct aiocb* request, int operation, Call call) {
    note_request(request, operation);
    const int result = on_request(function, call, [&] { return request->aio_fildes; });
    if (result != 0) take_request(request);
    return result;
  }
  /// `descriptor` is asked once the call is over.
  template <typename Call, typename Descriptor>
  static int on_request(Fn function, Call call, Descriptor descriptor) {
    Timed time;
    int result = timed(function, OnNothing(), time, call);
    call_about(function, state.tracing ? descriptor() : -1, result >= 0, time);
    return result;
  }
  template <typename Call>
  static auto on_nothing(Fn function, Call call) {
    Timed time;
    auto result = timed(function, OnNothing(), time, call);
    plain_call(function, result >= 0, time);
    return result;
  }
};

}  // namespace headrace::capture

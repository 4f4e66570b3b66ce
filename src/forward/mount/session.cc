#include "forward/mount/session.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <linux/magic.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "forward/mount/operations.h"

namespace headrace::forward::mount {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr unsigned kThreads = 32;  // a call that waits for a server keeps one
constexpr uint64_t kMapsOfDirect =
    1ull << 36;  // FUSE_DIRECT_IO_ALLOW_MMAP of Linux 6.6, which libfuse 3.14 does not know

Session& session_of(void* data) { return *static_cast<Session*>(data); }

void begin(void* data, fuse_conn_info* connection) {
  connection->want &= ~static_cast<unsigned>(FUSE_CAP_WRITEBACK_CACHE | FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE |
                                             FUSE_CAP_SPLICE_MOVE);
  // Bits that a write takes away are the servers' affair.
  connection->want |= connection->capable & FUSE_CAP_HANDLE_KILLPRIV;
  session_of(data).is_ready();
}

ssize_t take_question(int fd, void* into, size_t bytes, void* data) {
  const ssize_t got = read(fd, into, bytes);
  if (got > 0) session_of(data).look_at_question(static_cast<char*>(into), static_cast<size_t>(got));
  return got;
}

ssize_t give_answer(int fd, iovec* parts, int count, void* data) {
  if (count == 2)
    session_of(data).look_at_answer(static_cast<char*>(parts[0].iov_base), parts[0].iov_len,
                                    static_cast<char*>(parts[1].iov_base), parts[1].iov_len);
  return writev(fd, parts, count);
}

fuse_lowlevel_ops operations() {
  fuse_lowlevel_ops all = {};
  all.init = begin;
  all.lookup = look_up;
  all.forget = forget;
  all.forget_multi = forget_many;
  all.mknod = make_node;
  all.mkdir = make_directory;
  all.symlink = make_symlink;
  all.link = make_link;
  all.readlink = read_link;
  all.unlink = unlink_name;
  all.rmdir = remove_directory;
  all.rename = rename_name;
  all.getattr = get_attributes;
  all.setattr = set_attributes;
  all.access = check_access;
  all.statfs = get_space;
  all.open = open_file;
  all.create = create_file;
  all.read = read_file;
  all.write = write_file;
  all.flush = flush_file;
  all.fsync = sync_file;
  all.release = release_file;
  all.opendir = open_directory;
  all.readdir = read_directory;
  all.releasedir = release_directory;
  all.fsyncdir = sync_directory;
  all.ioctl = control;
  all.getlk = get_lock;
  all.setlk = set_lock;
  all.flock = lock_whole;
  return all;
}

/// As a value in a list of options.
std::string quoted(const std::string& text) {
  std::string all;
  for (const char letter : text) {
    if (letter == ',' || letter == '\\') all += '\\';
    all += letter;
  }
  return all;
}

void wake_up(int) {}

}  // namespace

Result<std::unique_ptr<Session>> Session::make(Mount& mount, const std::string& mountpoint,
                                               std::function<void()> ready) {
  std::unique_ptr<Session> made(new Session(mount, mountpoint, std::move(ready)));
  // auto_unmount: also when this process is killed.
  const std::string options =
      "fsname=" + quoted(mount.servers().directory()) + ",subtype=headrace,nosuid,nodev,auto_unmount";
  fuse_args arguments = FUSE_ARGS_INIT(0, nullptr);
  for (const char* word : {"headrace", "-o", options.c_str()}) fuse_opt_add_arg(&arguments, word);
  const fuse_lowlevel_ops all = operations();
  made->session_ = fuse_session_new(&arguments, &all, sizeof all, made.get());
  fuse_opt_free_args(&arguments);
  if (made->session_ == nullptr) return Status(Code::kIo, "libfuse cannot begin");
  errno = 0;
  if (fuse_session_mount(made->session_, mountpoint.c_str()) != 0)
    return Status(Code::kIo,
                  mountpoint + ": cannot be mounted; it needs /dev/fuse, and the command fusermount3 (Debian: fuse3)");
  made->keep_device();
  fuse_custom_io io{};  // newer versions have more members
  io.writev = give_answer;
  io.read = take_question;
  fuse_session_custom_io(made->session_, &io, fuse_session_fd(made->session_));
  struct sigaction action = {};
  action.sa_handler = wake_up;  // without SA_RESTART: who waits for the kernel looks whether it is over
  sigaction(SIGUSR1, &action, nullptr);
  return made;
}

/// When this process is killed, fusermount3 hears of it by a socket, and takes the mount away if the kernel says that
/// nobody serves it: so the kernel has to know first. It lets go of descriptors from the highest number on.
void Session::keep_device() {
  constexpr int kBehindSocket = 16;
  const int fd = fuse_session_fd(session_);
  device_ = fcntl(fd, F_DUPFD_CLOEXEC, fd + kBehindSocket);
}

Session::~Session() {
  if (session_ == nullptr) return;
  if (device_ >= 0) close(device_);
  fuse_session_unmount(session_);
  fuse_session_destroy(session_);
}

// The first message says what the kernel can, and its answer what it shall. libfuse answers for what it knows.

void Session::look_at_question(const char* message, size_t bytes) {
  fuse_in_header head;
  fuse_init_in asked = {};
  if (first_call_ != 0 || bytes < sizeof head) return;
  memcpy(&head, message, sizeof head);
  if (head.opcode != FUSE_INIT) return;
  memcpy(&asked, message + sizeof head, std::min(bytes - sizeof head, sizeof asked));
  const uint64_t can = asked.flags | (asked.flags & FUSE_INIT_EXT ? uint64_t{asked.flags2} << 32 : 0);
  if (can & kMapsOfDirect) first_call_ = head.unique;
}

void Session::look_at_answer(const char* head, size_t head_bytes, char* body, size_t body_bytes) const {
  fuse_out_header header;
  fuse_init_out answered;
  if (first_call_ == 0 || head_bytes != sizeof header || body_bytes != sizeof answered) return;
  memcpy(&header, head, sizeof header);
  if (header.unique != first_call_ || header.error != 0) return;
  memcpy(&answered, body, sizeof answered);
  answered.flags |= FUSE_INIT_EXT;
  answered.flags2 |= static_cast<uint32_t>(kMapsOfDirect >> 32);
  memcpy(body, &answered, sizeof answered);
}

void Session::serve_in_thread() {
  fuse_buf message = {};
  while (!fuse_session_exited(session_)) {
    const int got = fuse_session_receive_buf(session_, &message);
    if (got == -EINTR) continue;
    if (got <= 0) break;
    fuse_session_process_buf(session_, &message);
  }
  free(message.mem);
  --serving_;
  serving_.notify_all();
}

void Session::serve() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    serving_ = kThreads;
    for (unsigned i = 0; i < kThreads; ++i) threads_.emplace_back([this] { serve_in_thread(); });
  }
  for (unsigned left = serving_; left > 0; left = serving_) serving_.wait(left);
  const std::lock_guard<std::mutex> lock(mutex_);
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Session::end() {
  const int directory = open(mountpoint_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct statfs kind = {};
  if (directory >= 0 && fstatfs(directory, &kind) == 0 && kind.f_type == FUSE_SUPER_MAGIC) syncfs(directory);
  if (directory >= 0) close(directory);
  fuse_session_exit(session_);
  while (serving_ > 0) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (std::thread& thread : threads_) pthread_kill(thread.native_handle(), SIGUSR1);
    }
    const timespec pause{0, 5'000'000};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace headrace::forward::mount

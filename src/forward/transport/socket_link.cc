#include "forward/transport/socket_link.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

namespace headrace::forward {

using base::Code;
using base::Status;

namespace {

Placer* placer;

uint64_t inode_of(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 ? status.st_ino : 0;
}

}  // namespace

void place_descriptors(Placer* place) { placer = place; }

int placed(int fd) { return placer != nullptr && fd >= 0 ? placer(fd) : fd; }

SocketLink::SocketLink(int fd, bool own_user, std::string peer)
    : fd_(fd), inode_(placer != nullptr ? inode_of(fd) : 0), own_user_(own_user), peer_(std::move(peer)) {}

SocketLink::~SocketLink() {
  if (is_mine()) close(fd_);
}

bool SocketLink::is_mine() const { return inode_ == 0 || inode_ == inode_of(fd_); }

ssize_t SocketLink::receive(void* into, size_t bytes, int* passed) {
  if (!is_mine()) return -EBADF;
  if (passed == nullptr) {
    const ssize_t got = recv(fd_, into, bytes, 0);
    return got < 0 ? -errno : got;
  }
  iovec part{into, bytes};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = recvmsg(fd_, &message, MSG_CMSG_CLOEXEC);
  if (got < 0) return -errno;
  const cmsghdr* head = CMSG_FIRSTHDR(&message);
  if (head != nullptr && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
      head->cmsg_len == CMSG_LEN(sizeof(int))) {
    memcpy(passed, CMSG_DATA(head), sizeof(int));
  }
  return got;
}

ssize_t SocketLink::send(const iovec* parts, int count, int pass) {
  if (!is_mine()) return -EBADF;
  msghdr message = {};
  message.msg_iov = const_cast<iovec*>(parts);
  message.msg_iovlen = static_cast<size_t>(count);
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  if (pass >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(head), &pass, sizeof(int));
  }
  const ssize_t put = sendmsg(fd_, &message, MSG_NOSIGNAL);
  return put < 0 ? -errno : put;
}

Status connect_socket(int fd, const sockaddr* to, socklen_t size, int patience_ms, const std::string& name) {
  // The time to send is also the time to connect.
  const timeval wait{patience_ms / 1000, patience_ms % 1000 * 1000};
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
  if (connect(fd, to, size) == 0) {
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    return {};
  }
  const int error = errno == EINPROGRESS || errno == EAGAIN ? ETIMEDOUT : errno;
  const bool nobody = error == ENOENT || error == ECONNREFUSED || error == ETIMEDOUT || error == EHOSTUNREACH ||
                      error == ENETUNREACH || error == ECONNRESET;
  return {
      nobody ? Code::kNotFound : Code::kIo,
      name + ": " + strerror(error) + (error == EACCES ? "; it belongs to another user" : "; is the server running?")};
}

}  // namespace headrace::forward

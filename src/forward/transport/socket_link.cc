#include "forward/transport/socket_link.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

namespace headrace::forward {

using base::Code;
using base::Status;

SocketLink::~SocketLink() { close(fd_); }

ssize_t SocketLink::receive(void* into, size_t bytes, int* passed) {
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
  return {error == ENOENT ? Code::kNotFound : Code::kIo, name + ": " + strerror(error) + "; is the server running?"};
}

}  // namespace headrace::forward

#include "forward/transport/unix.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "forward/transport/socket_link.h"

namespace headrace::forward {
namespace {

using base::Code;
using base::Result;
using base::Status;

Result<sockaddr_un> unix_address(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path)
    return Status(Code::kInvalid, "unix:" + path + ": a socket's path has 1 to 107 bytes");
  memcpy(address.sun_path, path.data(), path.size());
  return address;
}

ucred credentials_of(int fd) {
  ucred peer = {};
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) peer.uid = static_cast<uid_t>(-1);
  return peer;
}

class UnixListener : public Listener {
 public:
  UnixListener(int fd, std::string path) : fd_(fd), path_(std::move(path)) {
    struct stat status;
    if (lstat(path_.c_str(), &status) == 0) inode_ = status.st_ino;
  }
  ~UnixListener() override {
    close(fd_);
    // Not one that somebody else has put there meanwhile.
    struct stat status;
    if (lstat(path_.c_str(), &status) == 0 && status.st_ino == inode_) unlink(path_.c_str());
  }
  int descriptor() const override { return fd_; }
  std::string address() const override { return "unix:" + path_; }
  std::unique_ptr<Link> accept() override {
    const int fd = accept4(fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return nullptr;
    const ucred peer = credentials_of(fd);
    return std::make_unique<SocketLink>(fd, peer.uid == geteuid(), "process " + std::to_string(peer.pid));
  }

 private:
  const int fd_;
  const std::string path_;
  ino_t inode_ = 0;
};

/// A socket that a server left behind when it was killed; nobody answers there.
bool is_left_behind(const sockaddr_un& address) {
  struct stat status;
  if (lstat(address.sun_path, &status) != 0 || !S_ISSOCK(status.st_mode) || status.st_uid != geteuid()) return false;
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const bool refused =
      connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 && errno == ECONNREFUSED;
  close(fd);
  return refused;
}

}  // namespace

Result<std::unique_ptr<Listener>> listen_unix(const std::string& path) {
  HEADRACE_ASSIGN(const sockaddr_un address, unix_address(path));
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return Status(Code::kIo, std::string("socket: ") + strerror(errno));
  if (is_left_behind(address)) unlink(address.sun_path);
  const mode_t mask = umask(0177);
  const bool bound = bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  const int why = errno;
  umask(mask);
  if (!bound || ::listen(fd, SOMAXCONN) != 0) {
    close(fd);
    return Status(Code::kIo, "unix:" + path + ": " + strerror(bound ? errno : why));
  }
  return std::unique_ptr<Listener>(std::make_unique<UnixListener>(fd, path));
}

Result<std::unique_ptr<Link>> connect_unix(const std::string& path, int patience_ms) {
  HEADRACE_ASSIGN(const sockaddr_un address, unix_address(path));
  const int fd = placed(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (fd < 0) return Status(Code::kIo, std::string("socket: ") + strerror(errno));
  auto link = std::make_unique<SocketLink>(fd, true, "unix:" + path);
  HEADRACE_TRY(
      connect_socket(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address, patience_ms, "unix:" + path));
  // A client trusts a server of its own user alone.
  const uid_t server = credentials_of(fd).uid;
  if (server != geteuid()) return Status(Code::kInvalid, "unix:" + path + ": is a server of another user");
  return std::unique_ptr<Link>(std::move(link));
}

}  // namespace headrace::forward

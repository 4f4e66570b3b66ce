// A directory of the servers of one command: for sockets, the secret and where they can be reached. Nobody else may
// enter it, and it is removed when whoever made it and all servers are gone, however they ended.
#pragma once
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace headrace::programs {

class ServerDirectory {
 public:
  /// Below the first of `places` where it can be made and its path has at most `longest` bytes.
  static base::Result<std::unique_ptr<ServerDirectory>> make(const std::vector<std::string>& places, size_t longest);
  /// Waits until it is removed, for which the servers have to be gone.
  ~ServerDirectory();
  ServerDirectory(const ServerDirectory&) = delete;
  ServerDirectory& operator=(const ServerDirectory&) = delete;

  const std::string& path() const { return path_; }
  /// The names in it that begin so, in order.
  std::vector<std::string> names(const std::string& begin) const;
  /// A descriptor that keeps the directory as long as it is open somewhere; closed by exec unless its flag is changed.
  int alive() const { return alive_[1]; }

 private:
  explicit ServerDirectory(std::string path) : path_(std::move(path)) {}
  base::Status watch();

  std::string path_;
  int alive_[2] = {-1, -1};
  pid_t watcher_ = 0;
};

}  // namespace headrace::programs

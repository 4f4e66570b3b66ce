// forward_files WHERE DIRECTORY PROCESSES FILES: creates and closes, looks at and removes FILES files in one directory,
// from many processes; a line with the rates. WHERE is a server's address and DIRECTORY below its first root, or
// "plain" for the same with the calls of the system.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "base/clock.h"
#include "forward/client/client.h"
#include "forward/client/together.h"

namespace {

using namespace headrace;
using namespace headrace::forward;

double now() { return static_cast<double>(base::clock_ns(CLOCK_MONOTONIC)) / 1e9; }

class Plain {
 public:
  explicit Plain(const std::string& directory) : directory_(directory) {}
  bool create(const std::string& name) const {
    const int fd = open((directory_ + "/" + name).c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
    return fd >= 0 && close(fd) == 0;
  }
  bool look(const std::string& name) const {
    struct stat status;
    return stat((directory_ + "/" + name).c_str(), &status) == 0;
  }
  bool remove(const std::string& name) const { return unlink((directory_ + "/" + name).c_str()) == 0; }

 private:
  const std::string directory_;
};

class Forwarded {
 public:
  Forwarded(const std::string& address, const std::string& directory) {
    auto client = Client::open({address}, {});
    if (!client.ok()) return;
    client_ = std::move(*client);
    const auto found = client_->lookup(client_->roots()[0].handle, directory, true);
    if (found.ok()) directory_ = found->handle;
  }
  bool create(const std::string& name) const {
    return !directory_.empty() && client_->create(directory_, name, kExclusive, 0600).ok();
  }
  bool look(const std::string& name) const { return client_->lookup(directory_, name, true).ok(); }
  bool remove(const std::string& name) const { return client_->remove(directory_, name, false) == 0; }

 private:
  std::unique_ptr<Client> client_;
  Handle directory_;
};

template <typename Files>
int work(const Files& files, const std::string& what, unsigned number, unsigned each, pthread_barrier_t* barrier) {
  bool good = true;
  pthread_barrier_wait(barrier);
  for (unsigned i = 0; i < each && good; ++i) {
    const std::string name = "file." + std::to_string(number) + "." + std::to_string(i);
    good = what == "create" ? files.create(name) : what == "stat" ? files.look(name) : files.remove(name);
  }
  pthread_barrier_wait(barrier);
  return good ? 0 : 1;
}

}  // namespace

int main(int count, char** values) {
  if (count != 6) return 2;
  const std::string where = values[1], directory = values[2], what = values[5];
  const auto processes = static_cast<unsigned>(atoi(values[3]));
  if (processes == 0) return 2;
  const unsigned each = static_cast<unsigned>(atoi(values[4])) / processes;
  pthread_barrier_t* const barrier = make_barrier(processes);
  if (barrier == nullptr) return 1;
  fork_all(processes, [&](unsigned i) {
    return where == "plain" ? work(Plain(directory), what, i, each, barrier)
                            : work(Forwarded(where, directory), what, i, each, barrier);
  });
  pthread_barrier_wait(barrier);
  const double begin = now();
  pthread_barrier_wait(barrier);
  const double end = now();
  const int failed = wait_all();
  printf("%.0f a second; %d of %u failed\n", each * static_cast<double>(processes) / (end - begin), failed, processes);
  return failed == 0 ? 0 : 1;
}

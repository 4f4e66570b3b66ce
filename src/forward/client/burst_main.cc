// forward_burst WHERE FILE CLIENTS REQUEST TOTAL [WORD]...: many processes write one file, each every so many-th
// request of REQUEST bytes, TOTAL bytes in all; says how fast that was as they see it, and until all is stored.
//
// With the word own-files each process has a file of its own, FILE.0 and so on, and writes its requests there in a row.
// WHERE is a server's address, or several with commas between, or "plain" for the same with pwrite and FILE being a
// path. Words: depth=N calls under way at once; read: each reads all of the file; leave: end without a commit;
// wait=FILE: commit when there is such a file. Words for plain: delay=MICROSECONDS before each write, one-writer at a
// time, direct (O_DIRECT), dsync (O_DSYNC).
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "base/clock.h"
#include "forward/client/client.h"
#include "forward/client/together.h"

namespace {

using namespace headrace;
using namespace headrace::forward;

struct Options {
  std::string where, file, wait;
  unsigned clients = 1, depth = 1, delay_us = 0;
  size_t request = 4096;
  uint64_t total = 0;
  bool read = false, leave = false, one_writer = false, own_files = false, direct = false, dsync = false;
};

/// What the processes share.
struct Common {
  pthread_barrier_t* barrier;
  pthread_mutex_t writer;
};

double now() { return static_cast<double>(base::clock_ns(CLOCK_MONOTONIC)) / 1e9; }

/// How a process writes: begin(offset), finish() before it is said to have written, store() at the end.
class Plain {
 public:
  Plain(const Options& options, Common* common) : options_(options), common_(common) {
    const int flags = (options.read ? O_RDONLY : O_WRONLY) | O_CREAT | (options.direct ? O_DIRECT : 0) |
                      (options.dsync ? O_DSYNC : 0);
    fd_ = open(options.file.c_str(), flags, 0600);
  }
  bool good() const { return fd_ >= 0; }
  bool begin(const uint8_t* from, uint64_t offset) {
    if (options_.one_writer) pthread_mutex_lock(&common_->writer);
    const timespec time{0, static_cast<long>(options_.delay_us) * 1000};
    if (options_.delay_us != 0) nanosleep(&time, nullptr);
    const auto at = static_cast<off_t>(offset);
    const ssize_t put = options_.read ? pread(fd_, const_cast<uint8_t*>(from), options_.request, at)
                                      : pwrite(fd_, from, options_.request, at);
    if (options_.one_writer) pthread_mutex_unlock(&common_->writer);
    return put == static_cast<ssize_t>(options_.request);
  }
  bool finish() { return true; }
  bool store() { return fsync(fd_) == 0; }

 private:
  const Options& options_;
  Common* common_;
  int fd_;
};

class Forwarded {
 public:
  explicit Forwarded(const Options& options) : options_(options) {
    std::vector<std::string> addresses;
    for (size_t at = 0; at < options.where.size();) {
      const size_t end = std::min(options.where.find(',', at), options.where.size());
      addresses.push_back(options.where.substr(at, end - at));
      at = end + 1;
    }
    auto client = Client::open(addresses, {});
    if (!client.ok()) return;
    client_ = std::move(*client);
    const auto file = client_->create(client_->roots()[0].handle, options.file, 0, 0600);
    if (file.ok()) handle_ = file->handle;
  }
  bool good() const { return !handle_.empty(); }
  bool begin(const uint8_t* from, uint64_t offset) {
    if (under_way_.size() >= options_.depth && !wait()) return false;
    Request request;
    request.op = options_.read ? Op::kRead : Op::kWrite;
    request.handle = handle_;
    request.extents = {{offset, options_.request}};
    // Requests do not cross stripes here.
    Channel& channel = client_->channel(client_->layout().owner(hash_of_file(handle_), offset));
    under_way_.emplace_back(&channel, std::make_unique<Pending>());
    channel.submit(request, {{const_cast<uint8_t*>(from), options_.request}}, options_.request,
                   under_way_.back().second.get());
    return true;
  }
  bool finish() {
    while (!under_way_.empty()) {
      if (!wait()) return false;
    }
    return true;
  }
  bool store() {
    std::vector<BadRange> bad;
    const int error = client_->commit(handle_, {}, &bad);
    for (const BadRange& each : bad)
      printf("lost %llu %llu %s\n", static_cast<unsigned long long>(each.where.offset),
             static_cast<unsigned long long>(each.where.length), strerror(static_cast<int>(each.error)));
    return error == 0;
  }

 private:
  bool wait() {
    const int error = under_way_.front().first->wait(under_way_.front().second.get());
    under_way_.pop_front();
    return error == 0;
  }
  const Options& options_;
  std::unique_ptr<Client> client_;
  Handle handle_;
  std::deque<std::pair<Channel*, std::unique_ptr<Pending>>> under_way_;
};

template <typename Writer>
int write_part(Writer writer, const Options& options, Common* common, unsigned number) {
  const bool good = writer.good();
  auto* from = static_cast<uint8_t*>(aligned_alloc(4096, (options.request + 4095) / 4096 * 4096));
  memset(from, static_cast<int>('a' + number % 26), options.request);
  pthread_barrier_wait(common->barrier);
  bool wrote = good;
  const uint64_t step = options.read ? options.request : options.request * options.clients;
  for (uint64_t at = options.read ? 0 : options.request * number; wrote && at < options.total; at += step)
    wrote = writer.begin(from, options.own_files ? at / step * options.request : at);
  wrote = good && writer.finish() && wrote;
  pthread_barrier_wait(common->barrier);
  const timespec moment{0, 1'000'000};
  while (!options.wait.empty() && access(options.wait.c_str(), F_OK) != 0) nanosleep(&moment, nullptr);
  const bool stored = wrote && (options.leave || options.read || writer.store());
  fflush(stdout);
  pthread_barrier_wait(common->barrier);
  return stored ? 0 : 1;
}

bool parse(int count, char** values, Options* options) {
  if (count < 6) return false;
  options->where = values[1];
  options->file = values[2];
  options->clients = static_cast<unsigned>(atoi(values[3]));
  options->request = static_cast<size_t>(atoll(values[4]));
  options->total = static_cast<uint64_t>(atoll(values[5]));
  for (int i = 6; i < count; ++i) {
    const std::string word = values[i];
    if (word.starts_with("depth="))
      options->depth = static_cast<unsigned>(atoi(values[i] + 6));
    else if (word.starts_with("wait="))
      options->wait = word.substr(5);
    else if (word.starts_with("delay="))
      options->delay_us = static_cast<unsigned>(atoi(values[i] + 6));
    else if (word == "read")
      options->read = true;
    else if (word == "own-files")
      options->own_files = true;
    else if (word == "leave")
      options->leave = true;
    else if (word == "one-writer")
      options->one_writer = true;
    else if (word == "direct")
      options->direct = true;
    else if (word == "dsync")
      options->dsync = true;
    else
      return false;
  }
  return options->clients > 0 && options->request > 0 && options->depth > 0;
}

}  // namespace

int main(int count, char** values) {
  Options options;
  if (!parse(count, values, &options)) return 2;
  void* memory = mmap(nullptr, sizeof(Common), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  auto* common = new (memory) Common;
  common->barrier = make_barrier(options.clients);
  if (common->barrier == nullptr) return 1;
  pthread_mutexattr_t mutex;
  pthread_mutexattr_init(&mutex);
  pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&common->writer, &mutex);
  const std::string name = options.file;
  fork_all(options.clients, [&](unsigned i) {
    if (options.own_files) options.file = name + "." + std::to_string(i);
    return options.where == "plain" ? write_part(Plain(options, common), options, common, i)
                                    : write_part(Forwarded(options), options, common, i);
  });
  pthread_barrier_wait(common->barrier);
  const double begin = now();
  pthread_barrier_wait(common->barrier);
  const double written = now();
  pthread_barrier_wait(common->barrier);
  const double stored = now();
  const int failed = wait_all();
  const double bytes = static_cast<double>(options.total) * (options.read ? options.clients : 1);
  printf("%s %.3f s, %.1f MB/s, %.0f requests/s; stored %.3f s, %.1f MB/s; %d of %u failed\n",
         options.read ? "read" : "written", written - begin, bytes / (written - begin) / 1e6,
         bytes / static_cast<double>(options.request) / (written - begin), stored - begin,
         bytes / (stored - begin) / 1e6, failed, options.clients);
  return failed == 0 ? 0 : 1;
}

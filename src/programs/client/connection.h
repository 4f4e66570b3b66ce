// What is behind the pointers of <headrace/forward.h>.
#pragma once
#include <headrace/forward.h>
#include <unistd.h>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "forward/client/client.h"
#include "forward/client/started.h"

struct headrace_forward {
  headrace_forward() = default;
  ~headrace_forward();
  headrace_forward(const headrace_forward&) = delete;
  headrace_forward& operator=(const headrace_forward&) = delete;

  /// After fork it is the parent's.
  bool is_own() const { return process == getpid(); }
  /// A path as one below `root`; nothing where it is not below the prefix.
  std::optional<std::string> below_root(const char* path) const;

  /// Puts a request among those that next() gives; called with a channel's lock held.
  void has_done(headrace_forward_request* request);
  headrace_forward_request* next();
  void forget(headrace_forward_request* request);
  int descriptor();

  pid_t process = getpid();
  std::string prefix, base;  // base: "" or with "/" at the end
  headrace::forward::Handle root;
  std::unique_ptr<headrace::forward::Client> client;

 private:
  std::mutex mutex_;
  std::deque<headrace_forward_request*> done_;
  int event_ = -1;  // counts done_, from the first descriptor() on
  std::vector<std::thread> threads_;
};

struct headrace_forward_file {
  headrace_forward& connection;
  const headrace::forward::Handle handle;
  const headrace::forward::Nonce owner;  // what servers know the open file by
  std::atomic<bool> written = false;
};

struct headrace_forward_request {
  headrace_forward_request(headrace_forward_file& of, void* its_context)
      : connection(of.connection),
        context(its_context),
        started(*connection.client, of.handle, [this] { connection.has_done(this); }) {}

  headrace_forward& connection;
  void* const context;
  uint64_t bytes = 0;  // of a write
  bool is_append = false;
  uint64_t* counts = nullptr;  // of a read, by extent: the caller's
  std::mutex mutex;            // one thread at a time waits
  headrace::forward::Started started;

  int64_t result();
};

// A forwarding server in this process.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "forward/backend/backend.h"
#include "forward/protocol/secret.h"
#include "forward/server/shared.h"

namespace headrace::forward {

class EventLoop;

class Server {
 public:
  struct Options {
    std::vector<std::string> addresses;
    Secret secret;
    Limits limits;
    unsigned event_threads = 1;
    unsigned storage_threads = 8;
    WriteBufferOptions write_buffer;
    Placing place = Placing::kFile;
    uint64_t stripe = 0;  // of files, and of what --place says; 0 = as the file system says, and the usual one
    uint64_t node = this_node();
    std::function<void()>
        on_unkept;        // a client that kept the server is gone; by any thread. Empty = nobody may keep it
    std::string journal;  // a file that the next server takes over when this one is killed (journal.h); "" = none
    std::optional<std::string> munge;  // socket of its daemon, "" = the usual one: it shows who may have the secret
  };
  static base::Result<std::unique_ptr<Server>> start(std::unique_ptr<Backend> backend, Options options);
  ~Server();
  /// Answers the calls that run, closes all connections and brings what is held to the files. Gives what could not be
  /// stored and nobody was told, in words.
  std::vector<std::string> finish();

  /// What clients connect to; ports that the kernel chose are in it.
  const std::vector<std::string>& addresses() const { return addresses_; }
  /// Whether a client has said that it keeps the server.
  bool kept() const { return shared_.kept; }
  const Counters& counters() const { return counters_; }
  const Buffers& buffers() const { return buffers_; }
  WriteBuffer& write_buffer() { return write_buffer_; }

 private:
  Server(std::unique_ptr<Backend> backend, const Options& options);
  base::Status open(const Options& options);

  std::unique_ptr<Backend> backend_;
  Counters counters_;
  Buffers buffers_;
  HandleMaker handles_;
  std::unique_ptr<Journal> journal_;
  Sessions sessions_;
  Appends appends_;
  const std::optional<Munge> munge_;
  Pool pool_, munge_pool_;
  Locks locks_;
  SharedReads reads_;
  Opens opens_;
  WriteBuffer write_buffer_;
  Shared shared_;
  std::vector<std::unique_ptr<EventLoop>> loops_;
  std::vector<std::string> addresses_;
  size_t next_loop_ = 0;
  bool finished_ = false;
};

}  // namespace headrace::forward

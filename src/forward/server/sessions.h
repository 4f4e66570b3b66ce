// What a server remembers of its clients so that a call that is sent again after a broken connection is not done again.
//
// A client has a random name of 128 bits, which it keeps over connections. Answers to calls that must happen once are
// kept until the client says that it has them, or has been away for a minute. Safe in any thread.
#pragma once
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "forward/protocol/messages.h"
#include "forward/server/journal.h"

namespace headrace::forward {

class EventLoop;

/// Where a client's answers go: a connection may be gone by then, and its number is never used again.
struct Route {
  EventLoop* loop = nullptr;
  uint64_t connection = 0;
};

class Session {
 public:
  enum class Standing {
    kNew,      // to be done
    kRunning,  // being done; the answer will go the new way
    kDone,     // was done; `answer` is what it came to
    kPassed,   // the client has had its answer: this is an echo
    kTooMany,  // the client does not say what it has received
  };
  /// `before`: of a new call that an earlier server began, what there was by then.
  Standing begin(uint64_t id, uint64_t passed, Route route, std::vector<uint8_t>* answer,
                 std::optional<uint64_t>* before);
  /// The call is done; gives the way its answer goes.
  Route finish(uint64_t id, const std::vector<uint8_t>& answer);

  Session(Journal* journal, const Nonce& client) : journal_(journal), client_(client) {}

 private:
  friend class Sessions;
  struct Slot {
    bool done = false;
    Route route;
    std::vector<uint8_t> answer;
  };
  Journal* const journal_;
  const Nonce client_;
  std::mutex mutex_;
  std::map<uint64_t, Slot> slots_;
  uint64_t passed_ = 0;
  unsigned connections_ = 0;
  uint64_t left_ns_ = 0;
};

class Sessions {
 public:
  /// Before there are clients; null: a server that is killed leaves nothing.
  void keep_in(Journal* journal) { journal_ = journal; }
  std::shared_ptr<Session> attach(const Nonce& client);
  void detach(const std::shared_ptr<Session>& session);

 private:
  Journal* journal_ = nullptr;
  std::mutex mutex_;
  std::map<Nonce, std::shared_ptr<Session>> sessions_;
};

}  // namespace headrace::forward

// Requests whose data count later than they are made: receives, when they are complete, and persistent ones, each time
// they are started. A bounded table; what does not fit is counted. Traces have their messages as well.
//
// A request is looked up before the call that may complete it, since its handle may be another's by the time that call
// returns. Thread-safe, as far as MPI lets threads use a request.
#pragma once
#include "capture/recorder/mpi_collectives.h"
#include "capture/recorder/mpi_messages.h"

namespace headrace::capture::mpi {

struct Request {
  Communicator* communicator = nullptr;  // which it keeps; null where nothing is traced, or it is not known
  uint64_t bytes = 0;                    // that it hands over each time, or receives of a partitioned one
  int32_t peer = 0, tag = 0;             // of a message
  uint32_t root = 0;                     // of an operation of all, as of Together
  uint64_t put_in = 0, got_out = 0;
  Handle file = 0;  // of an operation on one, like the following
  DirectionIndex direction = kRead;
  uint32_t next = 0;      // of those that one call may complete
  uint32_t position = 0;  // among its requests
  enum class Kind : uint8_t { kReceive, kSend, kMessage, kOperation, kFile } kind = Kind::kReceive;
  bool persistent = false, partitioned = false, active = false, in_hand = false;
};

/// A nonblocking operation on a file was started.
void follow_transfer(const void* request, Handle file, DirectionIndex direction);

/// A call that may complete requests, of operations on files too, which get its time: begins with those that are
/// followed, in the order of their positions.
class Completion {
 public:
  /// Before the call. `count` < 0: as many as is not known, none.
  Completion(int64_t count, const void* requests);

  bool any() const { return first_ != 0; }
  /// What to hand on for the program's one status, or its statuses, where it has none: our own.
  void* status(void* given, void* own) const;
  void* statuses(int64_t count, void* given) const;

  // After it; one of these, which give the bytes that were received. The status is what was handed on.
  uint64_t one(int64_t position, const void* status, Timed time);  // position < 0: none
  uint64_t all(const void* statuses, Timed time);
  uint64_t some(int64_t count, const int* positions, const void* statuses, Timed time);
  uint64_t none();
  /// The call failed, which may still have completed some: their handles are other ones now.
  void failed(const void* requests);

 private:
  uint64_t complete(Request* request, const void* status, Timed time);
  void give_time(const Request& request, Timed time);
  uint32_t first_ = 0;
  bool time_given_ = false;
};

// ---- what wrappers say of their calls, as in mpi_messages.h

/// Bytes that requests hand over which were started.
uint64_t handed_by(int64_t count, const void* requests);
struct Started {
  static constexpr bool kAlways = true;
  int64_t count;
  const void* requests;
  void record(Timed time, uint64_t) const;
};
struct Cancelled {
  static constexpr bool kAlways = true;
  const void* request;
  void record(Timed, uint64_t) const;
};
/// Before a request is freed; null: it is not followed.
Request* request_to_free(const void* request);
/// It was not freed, and can still complete.
void keep_request(Request* request);
struct Freed {
  static constexpr bool kAlways = true;
  Request* request;
  void record(Timed, uint64_t) const;
};
/// A receive was started of a message that was taken from the queue.
struct MatchedLater {
  static constexpr bool kAlways = true;
  Handle message;
  const void* request;
  void record(Timed, uint64_t) const;
};

void follow_operation(const void* request, uint64_t bytes, const Together& each);
/// A request was made that does an operation of all each time it is started. `what()`: that, for traces; `bytes`: what
/// this rank hands over each time.
template <typename What>
struct Repeated {
  static constexpr bool kAlways = true;
  uint64_t bytes;
  What what;
  const void* request;
  void record(Timed, uint64_t) const { follow_operation(request, bytes, follows_messages() ? what() : Together{}); }
};
template <typename What>
Repeated<What> again(uint64_t bytes, What what, const void* request) {
  return {bytes, std::move(what), request};
}

// ---- calls that receive. One that fails may have taken a message all the same.
void record_received(Handle comm, const void* status, bool worked, Timed time);
void record_matched(Handle message, const void* status, bool worked, Timed time);
void record_exchange(const Sending& sending, uint64_t bytes, const void* status, bool worked, Timed time);
/// Bytes of what was received, in whole items of this type.
uint64_t received_in(const Library& m, const void* status, Handle type);

}  // namespace headrace::capture::mpi

// Requests whose completion a trace tells of: receives, and persistent ones, from when they are made until they are
// over. A bounded table; what does not fit is counted as a message that was not recorded.
//
// A request is looked up before the call that may complete it, since its handle may be another's by the time that call
// returns. Thread-safe, as far as MPI lets threads use a request.
#pragma once
#include "capture/recorder/mpi_messages.h"

namespace headrace::capture::mpi {

struct Request {
  Communicator* communicator = nullptr;  // which it keeps
  uint64_t bytes = 0;                    // that it sends each time, or receives of a partitioned one
  int32_t peer = 0, tag = 0;
  uint32_t next = 0;      // of those that one call may complete
  uint32_t position = 0;  // among its requests
  enum class Kind : uint8_t { kReceive, kSend, kMessage } kind = Kind::kReceive;
  bool persistent = false, partitioned = false, active = false, in_hand = false;
};

/// A call that may complete requests: begins with those that are followed, in the order of their positions.
class Completion {
 public:
  /// Before the call. `count` < 0: as many as is not known, none.
  Completion(int64_t count, const void* requests);

  bool any() const { return first_ != 0; }
  /// What to hand on for the program's one status, or its statuses, where it has none: our own.
  void* status(void* given, void* own) const;
  void* statuses(int64_t count, void* given) const;

  // After it; one of these. The status is what was handed on.
  void one(int64_t position, const void* status, Timed time);  // position < 0: none
  void all(const void* statuses, Timed time);
  void some(int64_t count, const int* positions, const void* statuses, Timed time);
  void none();
  /// The call failed, which may still have completed some: their handles are other ones now.
  void failed(const void* requests);

 private:
  static void complete(Request* request, const void* status, Timed time);
  uint32_t first_ = 0;
};

// ---- what wrappers say of their calls, as in mpi_messages.h

struct Started {
  int64_t count;
  const void* requests;
  void record(Timed time, uint64_t) const;
};
struct Cancelled {
  const void* request;
  void record(Timed, uint64_t) const;
};
/// Before a request is freed; null: it is not followed.
Request* request_to_free(const void* request);
/// It was not freed, and can still complete.
void keep_request(Request* request);
struct Freed {
  Request* request;
  void record(Timed, uint64_t) const;
};
/// A receive was started of a message that was taken from the queue.
struct MatchedLater {
  Handle message;
  const void* request;
  void record(Timed, uint64_t) const;
};

// ---- calls that receive. One that fails may have taken a message all the same.
void record_received(Handle comm, const void* status, bool worked, Timed time);
void record_matched(Handle message, const void* status, bool worked, Timed time);
void record_exchange(const Sending& sending, uint64_t bytes, const void* status, bool worked, Timed time);
/// Bytes of what was received, in whole items of this type.
uint64_t received_in(const Library& m, const void* status, Handle type);

}  // namespace headrace::capture::mpi

// What a trace has of messages between ranks: a send when it starts, a receive when it is complete, with the rank and
// tag that it came from and with. Messages to and from nobody (MPI_PROC_NULL), and those that were cancelled, are none.
//
// Events are recorded before their call is, at one of its two ends. What cannot be recorded is counted, lest a check of
// the trace take its other end for lost.
#pragma once
#include "capture/recorder/mpi_communicators.h"

namespace headrace::capture::mpi {

/// `over`: null if it is not known.
void record_send(Communicator* over, int peer, int tag, uint64_t bytes, Timed time);
/// `status`: of a receive that is complete. The bytes that it got, traced or not; 0: it was cancelled, or nobody sent.
uint64_t record_receive(Communicator* over, const void* status, Timed time);
/// Of one that says itself what it receives.
uint64_t record_receive_from(Communicator* over, int peer, int tag, uint64_t bytes, Timed time);
/// Some were cancelled: statuses must be asked.
void expect_cancelled();

// ---- what the rows of mpi.def say of their calls; each is recorded after a call that succeeded.

struct Nothing {};
inline Nothing none() { return {}; }

struct Sending {
  Handle comm;
  int peer, tag;
  void record(Timed time, uint64_t bytes) const {
    if (peer >= 0) record_send(communicator_of(comm), peer, tag, bytes, time);
  }
};
inline Sending to(int peer, int tag, Handle comm) { return {comm, peer, tag}; }

/// A receive was started.
struct Coming {
  static constexpr bool kAlways = true;
  int peer;
  Handle comm;
  const void* request;
  void record(Timed time, uint64_t) const;
};
inline Coming coming(int peer, Handle comm, const void* request) { return {peer, comm, request}; }

struct SendingAndComing {
  static constexpr bool kAlways = true;
  Sending sending;
  Coming coming;
  void record(Timed time, uint64_t bytes) const {
    if (follows_messages()) sending.record(time, bytes);
    coming.record(time, bytes);
  }
};
inline SendingAndComing to_and_coming(int peer, int tag, int source, Handle comm, const void* request) {
  return {{comm, peer, tag}, {source, comm, request}};
}

/// A request was made that can be started again and again.
struct Persistent {
  static constexpr bool kAlways = true;
  bool sends;
  int peer, tag;
  uint64_t bytes;
  Handle comm;
  const void* request;
  bool partitioned = false;
  void record(Timed time, uint64_t) const;
};
inline Persistent to_start(int peer, int tag, int64_t count, Handle type, Handle comm, const void* request) {
  return {true, peer, tag, sent(peer, count, type), comm, request};
}
inline Persistent to_come(int peer, Handle comm, const void* request) { return {false, peer, 0, 0, comm, request}; }

/// The same of one whose parts are handed over one by one: it is one message, from its start until all are there.
inline Persistent in_parts(bool sends, int peer, int tag, int parts, int64_t count, Handle type, Handle comm,
                           const void* request) {
  return {sends, peer, tag, sent(peer, parts * count, type), comm, request, true};
}

/// A message was taken from the queue, to be received by its handle.
struct Taken {
  bool is;
  Handle comm;
  const void* message;
  void record(Timed time, uint64_t) const;
};
inline Taken taken(int is, Handle comm, const void* message) { return {is != 0, comm, message}; }

/// One-sided: reads or changes memory of another rank.
struct Reaching {
  int peer;
  Handle window;
  /// Its rank in MPI_COMM_WORLD, plus 1; 0: nobody's, or not known.
  uint32_t reached() const { return peer < 0 ? 0 : rank_in_window(window, peer) + 1; }
};
inline Reaching reaching(int peer, Handle window) { return {peer, window}; }

struct WindowMade {
  const void* made;
  void record(Timed, uint64_t) const { forget_window(handle_at(made, 0)); }  // of one that was freed unseen
};
inline WindowMade window_at(const void* made) { return {made}; }

struct Made {
  const char* how;
  Handle parent;
  const void* made;
  bool all_members;
  int tag;
  void record(Timed, uint64_t) const { communicator_made(how, parent, handle_at(made, 0), all_members, tag); }
};
inline Made copied(const char* how, Handle parent, const void* made) { return {how, parent, made, true, 0}; }
inline Made derived(const char* how, Handle parent, const void* made, int tag = 0) {
  return {how, parent, made, false, tag};
}

/// Ranks were started, which the log has only if they are captured as well.
struct Spawning {
  static constexpr bool kAlways = true;
  int root;
  Handle comm;
  Made made;
  void record(Timed time, uint64_t) const;
};
inline Spawning spawning(const char* how, int root, Handle comm, const void* made) {
  return {root, comm, derived(how, comm, made)};
}

struct Named {
  Handle comm;
  const char* name;
  void record(Timed, uint64_t) const { communicator_named(comm, name); }
};
inline Named named(Handle comm, const char* name) { return {comm, name}; }

}  // namespace headrace::capture::mpi

// The wrappers of MPI's functions that receive messages, start or complete requests, and of those that free what is
// followed.
#include "capture/recorder/mpi_waits.h"
#include "programs/preload/mpi_wrapper.h"

extern "C" {

// ---- one message; the functions of large counts differ in the type of theirs
#define RECEIVE(id, Count, fits)                                                                    \
  TWICE(id, (void* buffer, Count count, Handle type, int peer, int tag, Handle comm, void* status), \
        const Library& m = library(caller);                                                         \
        if (known.narrow && !(fits)) function = nullptr; return receives(                           \
            m, LibraryFn::MPI_##id, status,                                                         \
            [&](void* seen) { return run(function, buffer, count, type, peer, tag, comm, seen); },  \
            [&](const void* seen) { return received_in(m, seen, type); },                           \
            [&](const void* seen, bool worked, Timed time) { record_received(comm, seen, worked, time); });)
#define MATCHED(id, Count, fits)                                                                                       \
  TWICE(id, (void* buffer, Count count, Handle type, void* message, void* status), const Library& m = library(caller); \
        if (known.narrow && !(fits)) function = nullptr;                                                               \
        const Handle taken = follows_messages() ? handle_at(message, 0) : 0; return receives(                          \
            m, LibraryFn::MPI_##id, status,                                                                            \
            [&](void* seen) { return run(function, buffer, count, type, message, seen); },                             \
            [&](const void* seen) { return received_in(m, seen, type); },                                              \
            [&](const void* seen, bool worked, Timed time) { record_matched(taken, seen, worked, time); });)
#define MATCHED_LATER(id, Count, fits)                                                                 \
  TWICE(id, (void* buffer, Count count, Handle type, void* message, void* request),                    \
        if (known.narrow && !(fits)) function = nullptr;                                               \
        const Handle taken = follows_messages() ? handle_at(message, 0) : 0; return counted(           \
            LibraryFn::MPI_##id, [&] { return run(function, buffer, count, type, message, request); }, \
            [] { return uint64_t{0}; }, [&] { return MatchedLater{taken, request}; });)
#define EXCHANGE(id, Count, fits)                                                                                   \
  TWICE(id,                                                                                                         \
        (const void* buffer, Count count, Handle type, int peer, int tag, void* into, Count room, Handle into_type, \
         int source, int into_tag, Handle comm, void* status),                                                      \
        const Library& m = library(caller);                                                                         \
        if (known.narrow && !(fits)) function = nullptr; return receives(                                           \
            m, LibraryFn::MPI_##id, status,                                                                         \
            [&](void* seen) {                                                                                       \
              return run(function, buffer, count, type, peer, tag, into, room, into_type, source, into_tag, comm,   \
                         seen);                                                                                     \
            },                                                                                                      \
            [&](const void*) { return sent(peer, count, type); },                                                   \
            [&](const void* seen, bool worked, Timed time) {                                                        \
              record_exchange({comm, peer, tag}, sent(peer, count, type), seen, worked, time);                      \
            });)
#define EXCHANGE_IN_PLACE(id, Count, fits)                                                                           \
  TWICE(id,                                                                                                          \
        (void* buffer, Count count, Handle type, int peer, int tag, int source, int into_tag, Handle comm,           \
         void* status),                                                                                              \
        const Library& m = library(caller);                                                                          \
        if (known.narrow && !(fits)) function = nullptr; return receives(                                            \
            m, LibraryFn::MPI_##id, status,                                                                          \
            [&](void* seen) { return run(function, buffer, count, type, peer, tag, source, into_tag, comm, seen); }, \
            [&](const void*) { return sent(peer, count, type); },                                                    \
            [&](const void* seen, bool worked, Timed time) {                                                         \
              record_exchange({comm, peer, tag}, sent(peer, count, type), seen, worked, time);                       \
            });)
#define BOTH(ROW, id, counts) \
  ROW(id, int, true)          \
  ROW(id##_c, int64_t, (fit_an_int counts))
BOTH(RECEIVE, Recv, (count))
BOTH(MATCHED, Mrecv, (count))
BOTH(MATCHED_LATER, Imrecv, (count))
BOTH(EXCHANGE, Sendrecv, (count, room))
BOTH(EXCHANGE_IN_PLACE, Sendrecv_replace, (count))

// ---- requests
TWICE(Wait, (void* request, void* status),
      return completes_one(
          LibraryFn::MPI_Wait, 1, request, status, [&](void* seen) { return run(function, request, seen); },
          [] { return 0; });)
TWICE(Test, (void* request, int* flag, void* status),
      return completes_one(
          LibraryFn::MPI_Test, 1, request, status, [&](void* seen) { return run(function, request, flag, seen); },
          [&] { return *flag ? 0 : -1; });)
TWICE(Waitany, (int count, void* requests, int* index, void* status),
      return completes_one(
          LibraryFn::MPI_Waitany, count, requests, status,
          [&](void* seen) { return run(function, count, requests, index, seen); }, [&] { return *index; });)
TWICE(Testany, (int count, void* requests, int* index, int* flag, void* status),
      return completes_one(
          LibraryFn::MPI_Testany, count, requests, status,
          [&](void* seen) { return run(function, count, requests, index, flag, seen); },
          [&] { return *flag ? *index : -1; });)
TWICE(Waitall, (int count, void* requests, void* statuses),
      return completes_many(
          LibraryFn::MPI_Waitall, count, requests, statuses,
          [&](void* seen) { return run(function, count, requests, seen); },
          [](Completion& completion, const void* seen, Timed time) { return completion.all(seen, time); });)
TWICE(Testall, (int count, void* requests, int* flag, void* statuses),
      return completes_many(
          LibraryFn::MPI_Testall, count, requests, statuses,
          [&](void* seen) { return run(function, count, requests, flag, seen); },
          [&](Completion& completion, const void* seen, Timed time) {
            return *flag ? completion.all(seen, time) : completion.none();
          });)
#define SOME(id)                                                                             \
  TWICE(id, (int count, void* requests, int* done, int* indices, void* statuses),            \
        return completes_many(                                                               \
            LibraryFn::MPI_##id, count, requests, statuses,                                  \
            [&](void* seen) { return run(function, count, requests, done, indices, seen); }, \
            [&](Completion& completion, const void* seen, Timed time) {                      \
              return completion.some(*done, indices, seen, time);                            \
            });)
SOME(Waitsome)
SOME(Testsome)
TWICE(Start, (void* request),
      return counted(
          LibraryFn::MPI_Start, [&] { return run(function, request); }, [&] { return handed_by(1, request); },
          [&] { return Started{1, request}; });)
TWICE(Startall, (int count, void* requests),
      return counted(
          LibraryFn::MPI_Startall, [&] { return run(function, count, requests); },
          [&] { return handed_by(count, requests); }, [&] { return Started{count, requests}; });)
TWICE(Cancel, (void* request),
      return counted(
          LibraryFn::MPI_Cancel, [&] { return run(function, request); }, [] { return uint64_t{0}; },
          [&] { return Cancelled{request}; });)
TWICE(Request_free, (void* request),
      Request* followed = follows_requests() && frame == 0 ? request_to_free(request) : nullptr;
      const int result = counted(
          LibraryFn::MPI_Request_free, [&] { return run(function, request); }, [] { return uint64_t{0}; },
          [&] { return Freed{followed}; });
      if (followed && result != 0) keep_request(followed); return result;)

// ---- communicators: another may have the handle when the call is over
#define FREES(id)                                                                                       \
  TWICE(id, (void* comm), if (follows_messages() && frame == 0) communicator_freed(handle_at(comm, 0)); \
        return counted(LibraryFn::MPI_##id, [&] { return run(function, comm); });)
FREES(Comm_free)
FREES(Comm_disconnect)
TWICE(Win_free, (void* window), if (follows_messages()) forget_window(handle_at(window, 0));
      return counted(LibraryFn::MPI_Win_free, [&] { return run(function, window); });)

}  // extern "C"

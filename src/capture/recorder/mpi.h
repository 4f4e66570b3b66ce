// What the recorder must know of the MPI library that a program uses, found out while it runs.
//
// The same code serves every MPI: handles are integers or pointers and pass unchanged; a few constants differ and are
// chosen by the library's own name (docs/decisions/0003-one-code-for-every-mpi.md). Of a library that is not known,
// calls and times are counted, and bytes where no constant is needed.
#pragma once
#include <atomic>

#include "capture/recorder/library.h"

namespace headrace::capture::mpi {

using Handle = uint64_t;

/// Functions that the recorder calls itself, by their PMPI_ names; and constants.
struct Library {
  int (*type_size)(Handle, int*);
  int (*type_get_extent)(Handle, int64_t*, int64_t*);
  int (*get_count)(const void*, Handle, int*);
  int (*comm_rank)(Handle, int*);
  int (*comm_size)(Handle, int*);
  int (*comm_remote_size)(Handle, int*);
  int (*file_get_byte_offset)(Handle, int64_t, int64_t*);
  int (*file_get_position)(Handle, int64_t*);
  int (*file_get_info)(Handle, Handle*);
  int (*info_get_nkeys)(Handle, int*);
  int (*info_get_nthkey)(Handle, int, char*);
  int (*info_get)(Handle, const char*, int, char*, int*);
  int (*info_free)(Handle*);
  int (*topo_test)(Handle, int*);
  int (*cartdim_get)(Handle, int*);
  int (*cart_shift)(Handle, int, int, int*, int*);
  int (*graph_neighbors_count)(Handle, int, int*);
  int (*dist_graph_neighbors_count)(Handle, int*, int*, int*);
  int (*comm_group)(Handle, Handle*);
  int (*comm_remote_group)(Handle, Handle*);
  int (*comm_test_inter)(Handle, int*);
  int (*comm_get_parent)(Handle*);
  int (*query_thread)(int*);
  int (*initialized)(int*);
  int (*finalized)(int*);
  int (*group_size)(Handle, int*);
  int (*group_rank)(Handle, int*);
  int (*group_translate_ranks)(Handle, int, const int*, Handle, int*);
  int (*group_free)(Handle*);
  int (*win_get_group)(Handle, Handle*);
  int (*get_elements)(const void*, Handle, int64_t*);
  int (*test_cancelled)(const void*, int*);
  const void* code;  // an address inside the library
  Handle world, self, comm_null, info_null, byte_type, bitwise_or, errors_return;
  const void* in_place;
  const void* status_ignore;
  int cart, graph, dist_graph;  // kinds of topologies
  int proc_null;
  uint32_t status_bytes, status_source;  // of a status, and where in it the source is; its tag and error follow
  bool known;                            // the constants are those of this library
  bool narrow;                           // handles have 32 bits
  char name[64];                         // "Open MPI v4.1.4", cut at the first comma or line end
};

/// The library of the program, looked for at the first call as its code at `caller` sees it. Thread-safe.
const Library& library(const void* caller);
/// The one that was found.
const Library& found_library();

inline Handle clean(const Library& m, Handle handle) { return m.narrow ? static_cast<uint32_t>(handle) : handle; }
/// The handle in an array of the program's.
inline Handle handle_at(const void* handles, int64_t index) {
  return found_library().narrow ? static_cast<const uint32_t*>(handles)[index]
                                : static_cast<const uint64_t*>(handles)[index];
}

// What arguments mean to collective operations.
using Buffer = const void*;
using Types = const void*;
/// An array of counts, of either width; null: none was given.
class Counts {
 public:
  Counts(const int* counts) : counts_(counts) {}                        // NOLINT: as the program gives them
  Counts(const int64_t* counts) : counts_(counts), are_large_(true) {}  // NOLINT
  explicit operator bool() const { return counts_ != nullptr; }
  int64_t operator[](int64_t i) const {
    return are_large_ ? static_cast<const int64_t*>(counts_)[i] : static_cast<const int*>(counts_)[i];
  }

 private:
  const void* counts_;
  bool are_large_ = false;
};

// Bytes of what a rank hands over, after a call that succeeded; 0 where the arguments do not say. A root below 0 means,
// between two groups, that this rank only gets it or has no part: what its arguments are then is nobody's business, and
// to ask MPI about them may end the program.
uint64_t size_of(int64_t count, Handle type);
inline uint64_t sent(int peer, int64_t count, Handle type) { return peer < 0 ? 0 : size_of(count, type); }
inline uint64_t at_root(int root, int64_t count, Handle type) { return root < 0 ? 0 : size_of(count, type); }
/// Whether it is MPI_IN_PLACE: then the count and type of the other buffer say what there is.
bool in_place(Buffer buffer);
// A rank's own part of what is gathered or scattered; the second count and type are of the other buffer.
uint64_t part(Buffer buffer, int64_t count, Handle type, int64_t other, Handle other_type);
uint64_t part(Buffer buffer, int64_t count, Handle type, Counts others, Handle other_type, Handle comm);
inline uint64_t part_of(int root, Buffer buffer, int64_t count, Handle type, int64_t other, Handle other_type) {
  return root < 0 ? 0 : part(buffer, count, type, other, other_type);
}
inline uint64_t part_of(int root, Buffer buffer, int64_t count, Handle type, Counts others, Handle other_type,
                        Handle comm) {
  return root < 0 ? 0 : part(buffer, count, type, others, other_type, comm);
}
// To all ranks; between two groups, to those of the other.
uint64_t to_all(Buffer buffer, int64_t count, Handle type, int64_t room, Handle into_type, Handle comm);
uint64_t to_each(Buffer buffer, Counts counts, Handle type, Counts rooms, Handle into_type, Handle comm);
uint64_t typed_to_each(Buffer buffer, Counts counts, Types types, Counts rooms, Types into_types, Handle comm);
/// To all ranks of one's own group.
uint64_t to_members(int64_t room, Handle type, Handle comm);
uint64_t to_members(Counts rooms, Handle type, Handle comm);
// Of a communicator with a topology; none of what goes beyond its edge counts.
uint64_t to_neighbours(int64_t count, Handle type, Handle comm);
uint64_t to_each_neighbour(Counts counts, Handle type, Handle comm);
uint64_t typed_to_neighbours(Counts counts, Types types, Handle comm);
// The same of what comes from them.
uint64_t from_neighbours(int64_t count, Handle type, Handle comm);
uint64_t from_each_neighbour(Counts counts, Handle type, Handle comm);
uint64_t typed_from_neighbours(Counts counts, Types types, Handle comm);
/// The sum of as many counts.
int64_t sum(Counts counts, int64_t ranks);
uint64_t sum(Counts counts, Types types, int64_t ranks);

/// Whether data of this type lie in pieces.
bool in_pieces(const Library& m, Handle type);
/// ROMIO lets a path begin with the type of its file system and a colon.
const char* without_type(const char* path);
/// Keeps the hints of `info` as properties "PREFIX.KEY".
void keep_hints(const Library& m, const LibraryObject* object, const char* prefix, Handle info);
/// Finds out this process's rank, and how clocks differ. After MPI_Init.
void note_rank(const Library& m);

/// Room for a status of any MPI; the largest, of the standard interface, has 32 bytes.
struct alignas(16) OwnStatus {
  char bytes[128];
};

/// Whether requests are followed, so that bytes count when they are handed over.
HEADRACE_INLINE bool follows_requests() { return found_library().known; }
/// Whether a trace is to have the messages and communicators of this process.
HEADRACE_INLINE bool follows_messages() { return HEADRACE_UNLIKELY(state.tracing) && found_library().known; }

extern __thread uintptr_t frame __attribute__((tls_model("initial-exec"), visibility("hidden")));

/// Whether ranks store events together (mpi_flushes.h), and what that takes behind a collective operation.
extern bool flushes_together __attribute__((visibility("hidden")));
HEADRACE_COLD void meet(Handle comm);

/// Runs `call` and counts it with `bytes()`, unless another call of MPI makes it. `event()`: what a trace has of it.
template <typename Call, typename Bytes, typename Event>
HEADRACE_INLINE int counted(LibraryFn function, Call call, Bytes bytes, Event event) {
  Outermost outermost(&frame);
  if (!outermost) return call();
  const uint64_t before = profiled_so_far();
  Timed time;
  const int result = timed_library(function, time, call);
  const int saved = errno;
  const uint64_t moved = result == 0 && time.recorded() ? bytes() : 0;
  if constexpr (requires { event().record(time, moved); }) {
    constexpr bool kTracedOrNot = requires { decltype(event())::kAlways; };
    if (result == 0 && (kTracedOrNot ? follows_requests() : follows_messages())) event().record(time, moved);
  }
  OnFile on;
  if constexpr (requires { event().reached(); })
    if (follows_messages() && result == 0) on.handle = event().reached();
  library_call(function, result == 0, moved, time, before, true, on);
  if constexpr (requires { event().met_over; })
    if (HEADRACE_UNLIKELY(flushes_together) && result == 0) meet(event().met_over);
  errno = saved;
  return result;
}
template <typename Call>
HEADRACE_INLINE int counted(LibraryFn function, Call call) {
  return counted(function, call, [] { return uint64_t{0}; }, [] {});
}

}  // namespace headrace::capture::mpi

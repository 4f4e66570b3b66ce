// Calls of libraries above the C library: MPI, MPI-IO, HDF5, PnetCDF.
//
// Every call counts in the profile of its function on its thread, with the ticks that it spent inside other profiled
// calls. What moved data counts in the record of its file, in the library's layer, as reads and writes of descriptors
// do in theirs. These calls take microseconds, so a search by handle replaces the descriptor table.
//
// No guard is held across the real call: the outermost call of a library is told by its place on the stack, which is
// right again at the latest when the program returns from where it jumped to.
#pragma once
#include "capture/recorder/calls.h"
#include "capture/recorder/open_calls.h"
#include "intercept/library_functions.h"

namespace headrace::capture {

using intercept::LibraryFn;

/// How an operation was asked for; they add up.
enum How : uint32_t {
  kTogether = 1,     // collective
  kLater = 2,        // nonblocking
  kInTwo = 4,        // split
  kSharedPlace = 8,  // at the pointer that all ranks share
  kInPieces = 16     // noncontiguous
};

/// A file or dataset that a library has open.
struct LibraryObject {
  uint64_t handle;  // 0: free
  uint32_t record, spool;
  uint32_t file;  // of a dataset: the record of its file, which counts its transfers too; 0: none
  Layer layer;
  bool in_pieces;     // the view is not contiguous
  bool changed;       // for whoever opened it, like the following
  uint32_t waits[2];  // how often all of these were done
  uint32_t whole_as_of;
  uint64_t whole;
  uint64_t later[2];  // bytes of nonblocking operations that wait to be done, by direction
};

/// Ticks that this thread has spent inside profiled calls; 0 when nothing is counted here.
HEADRACE_INLINE uint64_t profiled_so_far() {
  return HEADRACE_LIKELY(block != nullptr) && !in_vfork_child() ? block->profiled : 0;
}

/// Counts a call. `before`: profiled_so_far() when it began. `message`: its bytes went to or came from other ranks.
void library_call(LibraryFn function, bool ok, uint64_t bytes, Timed time, uint64_t before, bool message = false,
                  const OnFile& on = {});

/// Counts a part of a call that is counted itself, by the C library's function. `inside`: ticks of it that are others.
void part_of_call(LibraryFn function, bool ok, uint64_t bytes, Timed time, uint64_t inside);

/// What a library's call did: bytes that it moved, and the number by which events name what it was on, if they do.
struct Done {
  Done(uint64_t moved = 0, uint32_t on = 0) : bytes(moved), handle(on) {}  // NOLINT: most do nothing but move
  uint64_t bytes;
  uint32_t handle;
  uint64_t end = 0;  // ticks; 0: when the library's function returned
};

/// The number by which events name the file or dataset; 0: nothing is known, or nothing recorded.
HEADRACE_COLD uint32_t event_handle_of(const LibraryObject* object);
/// The same of a file that has no object.
HEADRACE_COLD uint32_t event_handle_of(Layer layer, const char* path);
HEADRACE_INLINE uint32_t event_handle(const LibraryObject* object) {
  return HEADRACE_LIKELY(!state.tracing) || !object ? 0 : event_handle_of(object);
}

/// Counts a call that cannot be looked at. False.
HEADRACE_COLD bool passed_by();

/// A library opened `path`, or a dataset whose name is "FILE:NAME". `how`: kTogether or 0. Returns its object; null
/// when the path is excluded or memory is out.
LibraryObject* library_opened(Layer layer, uint64_t handle, const char* path, RecordKind kind, uint32_t how,
                              Timed time);
/// The same of a dataset `name`, whose first `file_length` characters are its file's path; a colon follows them.
LibraryObject* library_opened_in(Layer layer, uint64_t handle, char* name, size_t file_length, Timed time);
/// A part of an open file that is not opened by itself.
LibraryObject* library_part(const LibraryObject* file, uint64_t handle, const char* name);
/// Whether its record has no properties yet.
bool library_is_new(const LibraryObject* object);
/// What is open under a handle; null: nothing known.
LibraryObject* library_object(Layer layer, uint64_t handle);
void library_closed(LibraryObject* object, Timed time);
/// It was closed, and nobody saw when.
void library_forgotten(LibraryObject* object);

/// A read or write that is over, or was started if it is nonblocking. `offset` < 0: not known.
void library_transfer(const LibraryObject* object, DirectionIndex direction, int64_t offset, uint64_t bytes,
                      uint32_t how, Timed time);
/// A read or write that failed.
void library_failed(const LibraryObject* object, DirectionIndex direction);
/// The second call of a split operation, or whatever else belongs to an operation that is counted already.
void library_time(const LibraryObject* object, DirectionIndex direction, Timed time);
/// A call that opened the object took longer than was counted so far.
void library_more_time(const LibraryObject* object, Timed more);
/// Any other call on the object.
void library_metadata(const LibraryObject* object, Metadata::Count which, bool ok, Timed time);
/// A view was set.
void library_view(LibraryObject* object, bool in_pieces);

/// Keeps a fact about the object, in place of an earlier value of the same key.
void library_property(const LibraryObject* object, const char* key, const char* value);

/// The rank of this process in its parallel program.
void set_rank(int rank, int ranks, uint64_t instance, bool spawned);

/// Tells the outermost call of a library on this thread from those that the library makes itself. Lives in the wrapper.
class Outermost {
 public:
  explicit HEADRACE_INLINE Outermost(uintptr_t* slot) : slot_(slot) {
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    is_ = *slot == 0 || here > *slot;  // further out than the one that is remembered: that one is over
    if (is_) *slot = here;
  }
  HEADRACE_INLINE ~Outermost() {
    if (is_) *slot_ = 0;
  }
  Outermost(const Outermost&) = delete;
  Outermost& operator=(const Outermost&) = delete;
  explicit operator bool() const { return is_; }

 private:
  uintptr_t* slot_;
  bool is_;
};

}  // namespace headrace::capture

// Calls of HDF5. Several of its libraries may be in one process (wheels bring their own), so that everything hangs on
// the one that the calling code would have reached.
//
// What is asked of HDF5 besides the program's own calls is asked after one that succeeded or before a close, since any
// call of HDF5 forgets the errors of the one before, which a program reads.
#pragma once
#include "capture/recorder/library.h"
#include "intercept/caller.h"

namespace headrace::capture::hdf5 {

using Id = int64_t;  // hid_t, from 1.10 on
using Status = int;  // herr_t, htri_t

inline constexpr uint32_t kFunctions =
    static_cast<uint32_t>(LibraryFn::kEndOfHdf5) - static_cast<uint32_t>(LibraryFn::kHdf5);

/// Functions that the recorder itself calls; null where a library has none.
struct Api {
#define ASKED(name, returns, params) returns(*name) params;
#include "capture/recorder/hdf5_asked.def"
#undef ASKED
};

struct Facts {
  intercept::LoadedRange range;
  unsigned version[3];
  bool counts;  // a version whose ids have 64 bits
  Api ask;
  const Id* default_access;  // H5P_LST_FILE_ACCESS_ID_g
};

struct Library : Facts {
  uint32_t number;                           // distinguishes equal ids of two libraries
  std::atomic<void*> functions[kFunctions];  // the real ones
};

/// Code that calls HDF5, and the library that it reaches. Never changes once it is published.
struct Caller {
  intercept::LoadedRange range;
  Library* library;
};

/// Finds, or looks up, the library for a caller; null: there is none.
HEADRACE_COLD const Caller* find_caller(const void* caller);
HEADRACE_COLD void* find_function(Library& m, LibraryFn function, const char* name, const void* caller);

/// The library that this caller's function is in. `last`: the wrapper's caller before this one.
HEADRACE_INLINE Library* library_of(std::atomic<const Caller*>& last, const void* caller) {
  const Caller* known = last.load(std::memory_order_acquire);
  if (HEADRACE_UNLIKELY(!known || !known->range.contains(caller))) {
    known = find_caller(caller);
    if (!known) return nullptr;
    last.store(known, std::memory_order_release);
  }
  return known->library;
}

template <typename F>
HEADRACE_INLINE F* real(Library* m, LibraryFn function, const char* name, const void* caller) {
  if (HEADRACE_UNLIKELY(!m)) return nullptr;
  const uint32_t at = static_cast<uint32_t>(function) - static_cast<uint32_t>(LibraryFn::kHdf5);
  void* found = m->functions[at].load(std::memory_order_relaxed);
  return reinterpret_cast<F*>(HEADRACE_LIKELY(found != nullptr) ? found : find_function(*m, function, name, caller));
}

/// Whether a call is the program's, and not one that HDF5 makes of itself.
HEADRACE_INLINE bool is_counted(const Library& m, const void* caller) {
  if (HEADRACE_UNLIKELY(!m.counts)) return passed_by();
  return !m.range.contains(caller);
}

/// What a transfer says about itself.
struct Transfer {
  Id type, memory, file, list;
};

// What follows a call; each gives what it moved, and on what. `result` < 0: it failed, and HDF5 may not be asked
// anything.
Done file_opened(const Library& m, Id result, const char* path, Id access, Timed time);
Done file_reopened(const Library& m, Id result, Timed time);
Done dataset_opened(const Library& m, Id result, Timed time, bool named);
Done dataset_created(const Library& m, Id result, Id list, Timed time);
Done nameless_created(const Library& m, Id result, Id list, Timed time);
uint64_t linked(const Library& m, Id id, bool ok);
Done file_call(const Library& m, Id any, Metadata::Count which, bool ok, Timed time);
Done dataset_call(const Library& m, Id dataset, Metadata::Count which, bool ok, Timed time);
Done moved(const Library& m, DirectionIndex direction, Id dataset, const Transfer& transfer, uint32_t how, bool ok,
           Timed time);
Done moved_many(const Library& m, DirectionIndex direction, size_t count, const Id* datasets, const Id* types,
                const Id* memories, const Id* files, Id list, bool ok, Timed time);
Done chunk_moved(const Library& m, DirectionIndex direction, Id dataset, Id list, uint64_t bytes, bool ok, Timed time);
uint64_t chunk_size(const Library& m, Id dataset, const uint64_t* offset, Status result);
uint64_t extents_changed();
/// A dataspace or a type is another one than it was.
uint64_t forget(const Library& m, Id id);
uint64_t pattern_selected(const Library& m, Id space, int operation, const uint64_t* stride, const uint64_t* count,
                          const uint64_t* block, bool ok);
uint64_t attribute_size(const Library& m, Id attribute, Id type, bool ok);

/// Before something is closed: what is known of it. Null: nothing.
LibraryObject* closing(const Library& m, Id id);
void closed(const Library& m, LibraryObject* object, Id id, Timed time);

// ---- inside
inline constexpr Id kDefault = 0;  // H5P_DEFAULT, H5S_ALL, H5E_DEFAULT
inline constexpr Id kNotKnown = -1;
enum class Kind { kFile = 1, kDataset = 5 };
/// What an id stands for is in its uppermost bits (H5Ipkg.h, ID_BITS).
inline bool is_a(Kind kind, Id id) { return ((static_cast<uint64_t>(id) >> 56) & 0x7f) == static_cast<uint64_t>(kind); }
inline uint64_t handle_of(const Library& m, Id id) {
  return static_cast<uint64_t>(id) ^ (static_cast<uint64_t>(m.number) << 48);
}

/// While it lives HDF5 prints no errors of this thread's calls.
class Quiet {
 public:
  explicit Quiet(const Library& m);
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  const Library& m_;
  unsigned second_ = 0;  // its interface of 1.8
  void* print_ = nullptr;
  void* data_ = nullptr;
  bool set_ = false;
};

void keep_file(const Library& m, const LibraryObject* object, Id file, Id access);
void keep_caches(const Library& m, const LibraryObject* object, Id file);
/// `list`: that it was created with; kNotKnown: HDF5 is asked.
void keep_dataset(const Library& m, const LibraryObject* object, Id dataset, Id list);
void keep_dimensions(const Library& m, const LibraryObject* object, Id dataset);
/// Whether a file access list chooses MPI-IO.
bool is_parallel(const Library& m, Id access);

}  // namespace headrace::capture::hdf5

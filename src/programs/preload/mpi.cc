// The exported wrappers of MPI, one pair (MPI_ and PMPI_) for each function of mpi.def, mpi_counts.def and
// mpi_files.def but those of mpi_requests.cc.
//
// Fortran reaches them: Open MPI's mpi_send_ calls PMPI_Send, MPICH's calls MPI_Send. The outermost call is the one
// that is counted, whatever the way.
#include "capture/recorder/mpi_clocks.h"
#include "capture/recorder/mpi_collectives.h"
#include "capture/recorder/mpi_files.h"
#include "capture/recorder/mpi_finalize.h"
#include "capture/recorder/mpi_flushes.h"
#include "capture/recorder/mpi_requests.h"
#include "programs/preload/forwarding.h"
#include "programs/preload/mpi_wrapper.h"

namespace {

void* const kNone = nullptr;

/// A blocking write of one rank, whose pieces go to forwarding servers together. What was not stored is written again,
/// one piece after another, so that MPI finds the error.
template <DirectionIndex direction, unsigned how, typename Call, typename Again>
HEADRACE_INLINE int gathered(Call call, Again again) {
  if (direction != kWrite || how != 0 || !headrace::preload::forwards()) return call();
  headrace::forward::program::CallMark mark;
  headrace::preload::forwarding->begin_gathering(&mark);
  const int result = call();
  const int error = headrace::preload::forwarding->end_gathering();
  return error != 0 && result == 0 ? again() : result;
}

/// Where the rank's file pointer is before a write that may have to be done again.
class AtPosition {
 public:
  AtPosition(const void* caller, Handle file, DirectionIndex direction, unsigned how) : caller_(caller), file_(file) {
    if (direction != kWrite || how != 0 || !headrace::preload::forwards()) return;
    const Library& m = library(caller);
    const bool is_open = library_object(Layer::kMpiio, file) && m.file_get_position;
    known_ = is_open && m.file_get_position(file, &position_) == 0;
  }
  template <typename Count>
  int write(void* buffer, Count count, Handle type, void* status) const {
    using Function = int(Handle, int64_t, void*, Count, Handle, void*);
    constexpr const char* kName = sizeof(Count) == sizeof(int) ? "MPI_File_write_at" : "MPI_File_write_at_c";
    auto* function = known_ ? reinterpret_cast<Function*>(headrace::intercept::beyond(kName, caller_)) : nullptr;
    return run(function, file_, position_, buffer, count, type, status);
  }

 private:
  const void* caller_;
  Handle file_;
  int64_t position_ = 0;
  bool known_ = false;
};

void begin_ranks(const Library& m) {
  note_rank(m);
  agree_on_flushes(m);
}

}  // namespace

extern "C" {

#define MPI(id, params, args, bytes, event, doc)                                                                \
  TWICE(id, params,                                                                                             \
        return counted(                                                                                         \
            LibraryFn::MPI_##id,                                                                                \
            [&] {                                                                                               \
              return HEADRACE_LIKELY(function != nullptr) && (!known.narrow || fit_an_int args) ? function args \
                                                                                                : kNoMpi;       \
            },                                                                                                  \
            [&] { return static_cast<uint64_t> bytes; }, [&] { return event; });)
#define OTHER(id, params, args, doc)
#include "intercept/mpi.def"
#undef OTHER

#define ALL(...) __VA_ARGS__
#define kMeets(what) meeting(what, comm)
#define kLeaves(what) what
#define OF_ALL(id, started, again_id, leaving, params, args, bytes, event)                \
  MPI(id, params, args, bytes, leaving(event), )                                          \
  MPI(started, (ALL params, void* request), (ALL args, request), bytes, event, )          \
  MPI(again_id, (ALL params, Handle info, void* request), (ALL args, info, request), (0), \
      again(bytes, [&] { return event; }, request), )

#define COUNT int
#define COUNTS const int*
#define COUNTED(id, params, args, bytes, event, doc) MPI(id, params, args, bytes, event, doc)
#define COLLECTIVE(id, started, leaving, params, args, bytes, event, doc) \
  OF_ALL(id, started, id##_init, leaving, params, args, bytes, event)
#include "intercept/mpi_counts.def"
#undef COUNT
#undef COUNTS
#undef COUNTED
#undef COLLECTIVE

#define COUNT int64_t
#define COUNTS const int64_t*
#define COUNTED(id, params, args, bytes, event, doc) MPI(id##_c, params, args, bytes, event, doc)
#define COLLECTIVE(id, started, leaving, params, args, bytes, event, doc) \
  OF_ALL(id##_c, started##_c, id##_init_c, leaving, params, args, bytes, event)
#include "intercept/mpi_counts.def"
#undef COUNT
#undef COUNTS
#undef COUNTED
#undef COLLECTIVE
#undef MPI

#define DATA(id, direction, how, offset)                                                                       \
  const DataCall facts{LibraryFn::MPI_##id, direction, static_cast<uint32_t>(how), file, offset, count, type}; \
  if (known.narrow && !fit_an_int(count)) function = nullptr;
#define AT(id, count_type, direction, how, doc)                                                        \
  TWICE(id, (Handle file, int64_t offset, void* buffer, count_type count, Handle type, void* last),    \
        DATA(id, direction, how, offset) return data_call(caller, facts, last, [&](void* status) {     \
          const auto write = [&] { return run(function, file, offset, buffer, count, type, status); }; \
          return gathered<direction, how>(write, write);                                               \
        });)
#define NEXT(id, count_type, direction, how, doc)                                                           \
  TWICE(id, (Handle file, void* buffer, count_type count, Handle type, void* last),                         \
        DATA(id, direction, how, -1) return data_call(caller, facts, last, [&](void* status) {              \
          const AtPosition again(caller, file, direction, how);                                             \
          return gathered<direction, how>([&] { return run(function, file, buffer, count, type, status); }, \
                                          [&] { return again.write(buffer, count, type, status); });        \
        });)
#define AT_BEGIN(id, count_type, direction, how, doc)                                   \
  TWICE(id, (Handle file, int64_t offset, void* buffer, count_type count, Handle type), \
        DATA(id, direction, how, offset) return data_call(                              \
            caller, facts, kNone, [&](void*) { return run(function, file, offset, buffer, count, type); });)
#define NEXT_BEGIN(id, count_type, direction, how, doc)                 \
  TWICE(id, (Handle file, void* buffer, count_type count, Handle type), \
        DATA(id, direction, how, -1) return data_call(                  \
            caller, facts, kNone, [&](void*) { return run(function, file, buffer, count, type); });)
#define END(id, direction, doc)                                                                                        \
  TWICE(id, (Handle file, void* buffer, void* status), Outermost outermost(&frame);                                    \
        if (!outermost) return run(function, file, buffer, status); const uint64_t before = profiled_so_far();         \
        Timed time; const int result =                                                                                 \
                        timed_library(LibraryFn::MPI_##id, time, [&] { return run(function, file, buffer, status); }); \
        const int saved = errno;                                                                                       \
        count_end({LibraryFn::MPI_##id, direction, 0, file, -1, 0, 0}, result == 0, time, before); errno = saved;      \
        return result;)
#define OTHER(id, params, args, doc)
#include "intercept/mpi_files.def"
#undef AT
#undef NEXT
#undef AT_BEGIN
#undef NEXT_BEGIN
#undef END
#undef OTHER

// ---- MPI-IO besides data
TWICE(File_open, (Handle comm, const char* path, int mode, Handle info, Handle* file), Outermost outermost(&frame);
      if (!outermost) return run(function, comm, path, mode, info, file); const uint64_t before = profiled_so_far();
      Timed time; const int result = timed_library(LibraryFn::MPI_File_open, time,
                                                   [&] { return run(function, comm, path, mode, info, file); });
      const int saved = errno; file_opened(library(caller), comm, path, info, file, result == 0, time, before);
      errno = saved; return result;)
TWICE(File_close, (Handle * file), Outermost outermost(&frame); if (!outermost) return run(function, file);
      LibraryObject* object = file ? library_object(Layer::kMpiio, *file) : nullptr;
      const uint64_t before = profiled_so_far(); Timed time;
      const int result = timed_library(LibraryFn::MPI_File_close, time, [&] { return run(function, file); });
      const int saved = errno; file_closed(object, result == 0, time, before); errno = saved; return result;)
TWICE(File_delete, (const char* path, Handle info),
      return file_deleted(path, [&] { return run(function, path, info); });)
TWICE(File_set_view, (Handle file, int64_t start, Handle element, Handle type, const char* representation, Handle info),
      const bool ours = frame == 0 || reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) > frame;
      const int result = file_call(LibraryFn::MPI_File_set_view, file, Metadata::kCounts,
                                   [&] { return run(function, file, start, element, type, representation, info); });
      if (ours && result == 0) file_viewed(library(caller), file, type, info); return result;)
TWICE(File_set_info, (Handle file, Handle info),
      const int result = file_call(LibraryFn::MPI_File_set_info, file, Metadata::kControls,
                                   [&] { return run(function, file, info); });
      if (result == 0) keep_hints(library(caller), library_object(Layer::kMpiio, file), "hint_asked", info);
      return result;)
#define SIMPLE(id, count) \
  return file_call(LibraryFn::MPI_##id, file, Metadata::count, [&] { return run(function, CALL); });
#define CALL file, size
TWICE(File_set_size, (Handle file, int64_t size), SIMPLE(File_set_size, kTruncates))
TWICE(File_preallocate, (Handle file, int64_t size), SIMPLE(File_preallocate, kAllocates))
TWICE(File_get_size, (Handle file, int64_t* size), SIMPLE(File_get_size, kStats))
#undef CALL
#define CALL file, offset, whence
TWICE(File_seek, (Handle file, int64_t offset, int whence), SIMPLE(File_seek, kSeeks))
TWICE(File_seek_shared, (Handle file, int64_t offset, int whence), SIMPLE(File_seek_shared, kSeeks))
#undef CALL
#define CALL file
TWICE(File_sync, (Handle file), SIMPLE(File_sync, kSyncs))
#undef CALL
#define CALL file, on
TWICE(File_set_atomicity, (Handle file, int on), SIMPLE(File_set_atomicity, kControls))
#undef CALL

// ---- the rest
TWICE(Init, (int* argument_count, char*** arguments), const bool ours = frame == 0; register_rank();
      register_for_flushes(); register_for_clocks();
      const int result = counted(LibraryFn::MPI_Init, [&] { return run(function, argument_count, arguments); });
      if (ours && result == 0) begin_ranks(library(caller)); return result;)
TWICE(Init_thread, (int* argument_count, char*** arguments, int wanted, int* provided), const bool ours = frame == 0;
      register_rank(); register_for_flushes(); register_for_clocks();
      const int result = counted(LibraryFn::MPI_Init_thread,
                                 [&] { return run(function, argument_count, arguments, wanted, provided); });
      if (ours && result == 0) begin_ranks(library(caller)); return result;)
TWICE(
    Finalize, (void), if (frame == 0) {
      forget_communicators();
      end_flushes();
      measure_clocks(library(caller), headrace::capture::kClockAtEnd);
      reduce_at_finalize(library(caller));
    } return counted(LibraryFn::MPI_Finalize, [&] { return run(function); });)

}  // extern "C"

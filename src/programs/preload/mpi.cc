// The exported wrappers of MPI, one pair (MPI_ and PMPI_) for each row of mpi.def and mpi_files.def.
//
// Fortran reaches them: Open MPI's mpi_send_ calls PMPI_Send, MPICH's calls MPI_Send. The outermost call is the one
// that is counted, whatever the way.
#include <limits.h>
#include <string.h>

#include <type_traits>

#include "capture/recorder/mpi_files.h"
#include "capture/recorder/mpi_finalize.h"
#include "intercept/caller.h"

#define EXPORT __attribute__((visibility("default")))

using namespace headrace::capture;       // NOLINT: the rows' expressions
using namespace headrace::capture::mpi;  // NOLINT

namespace {

constexpr int kNoMpi = 16;  // MPI_ERR_OTHER of most; a call of MPI where there is none

template <typename F>
struct Known {
  std::atomic<F*> function{nullptr};
  bool narrow = false;  // it takes an int where we take a large count
};

/// The real function, looked up at its first call as the caller sees it. Programs ask through weak symbols whether
/// there are functions of large counts, and in a captured process there seem to be
/// (docs/decisions/0003-one-code-for-every-mpi.md): where the library has none, the function of the same name with an
/// int does it, which takes its arguments alike.
template <typename F>
HEADRACE_INLINE F* real(Known<F>& known, const char* name, const void* caller) {
  F* function = known.function.load(std::memory_order_acquire);
  if (HEADRACE_LIKELY(function != nullptr)) return function;
  const Library& m = library(caller);
  const auto look_up = [&](const char* symbol) {
    void* found = headrace::intercept::beyond(symbol, caller);
    // A call in the place of a return (mpi4py's at exit) seems to come from elsewhere; there is one MPI in a process.
    return reinterpret_cast<F*>(found || !m.code ? found : headrace::intercept::beyond(symbol, m.code));
  };
  function = look_up(name);
  const size_t length = strlen(name);
  char narrow[64];
  if (!function && length < sizeof narrow && strcmp(name + length - 2, "_c") == 0) {
    memcpy(narrow, name, length - 2);
    narrow[length - 2] = 0;
    function = look_up(narrow);
    known.narrow = true;
  }
  known.function.store(function, std::memory_order_release);
  return function;
}

/// Whether all large counts among arguments are those of an int.
template <typename... A>
HEADRACE_INLINE bool fit_an_int(A... arguments) {
  return (... && [](auto argument) {
    if constexpr (std::is_same_v<decltype(argument), int64_t>) return argument <= INT_MAX;
    return true;
  }(arguments));
}

template <typename F, typename... A>
HEADRACE_INLINE int run(F* function, A... arguments) {
  return HEADRACE_LIKELY(function != nullptr) ? function(arguments...) : kNoMpi;
}

void* const kNone = nullptr;

}  // namespace

// A symbol, its real function, and what it does in between. `body` sees `function` and `caller`.
#define WRAPPER(symbol, params, ...)                    \
  EXPORT int headrace_##symbol params __asm__(#symbol); \
  int headrace_##symbol params {                        \
    using Function = int params;                        \
    static constinit Known<Function> known;             \
    const void* caller = __builtin_return_address(0);   \
    Function* function = real(known, #symbol, caller);  \
    __VA_ARGS__                                         \
  }
#define TWICE(id, params, ...)           \
  WRAPPER(MPI_##id, params, __VA_ARGS__) \
  WRAPPER(PMPI_##id, params, __VA_ARGS__)

extern "C" {

#define MPI(id, layer, params, args, bytes, doc)                                                                \
  TWICE(id, params,                                                                                             \
        return counted(                                                                                         \
            LibraryFn::MPI_##id,                                                                                \
            [&] {                                                                                               \
              return HEADRACE_LIKELY(function != nullptr) && (!known.narrow || fit_an_int args) ? function args \
                                                                                                : kNoMpi;       \
            },                                                                                                  \
            [&] { return static_cast<uint64_t> bytes; });)
#define OTHER(id, params, args, doc)
#include "intercept/mpi.def"
#undef MPI
#undef OTHER

#define DATA(id, direction, how, offset)                                                                       \
  const DataCall facts{LibraryFn::MPI_##id, direction, static_cast<uint32_t>(how), file, offset, count, type}; \
  if (known.narrow && !fit_an_int(count)) function = nullptr;
#define AT(id, count_type, direction, how, doc)                                                     \
  TWICE(id, (Handle file, int64_t offset, void* buffer, count_type count, Handle type, void* last), \
        DATA(id, direction, how, offset) return data_call(caller, facts, last, [&](void* status) {  \
          return run(function, file, offset, buffer, count, type, status);                          \
        });)
#define NEXT(id, count_type, direction, how, doc)                                   \
  TWICE(id, (Handle file, void* buffer, count_type count, Handle type, void* last), \
        DATA(id, direction, how, -1) return data_call(                              \
            caller, facts, last, [&](void* status) { return run(function, file, buffer, count, type, status); });)
#define AT_BEGIN(id, count_type, direction, how, doc)                                   \
  TWICE(id, (Handle file, int64_t offset, void* buffer, count_type count, Handle type), \
        DATA(id, direction, how, offset) return data_call(                              \
            caller, facts, kNone, [&](void*) { return run(function, file, offset, buffer, count, type); });)
#define NEXT_BEGIN(id, count_type, direction, how, doc)                 \
  TWICE(id, (Handle file, void* buffer, count_type count, Handle type), \
        DATA(id, direction, how, -1) return data_call(                  \
            caller, facts, kNone, [&](void*) { return run(function, file, buffer, count, type); });)
#define END(id, direction, doc)                                                                                   \
  TWICE(id, (Handle file, void* buffer, void* status), Outermost outermost(&frame);                               \
        if (!outermost) return run(function, file, buffer, status); const uint64_t before = profiled_so_far();    \
        Timed time; const int result = timed(time, [&] { return run(function, file, buffer, status); });          \
        const int saved = errno;                                                                                  \
        count_end({LibraryFn::MPI_##id, direction, 0, file, -1, 0, 0}, result == 0, time, before); errno = saved; \
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
      Timed time; const int result = timed(time, [&] { return run(function, comm, path, mode, info, file); });
      const int saved = errno; library_call(LibraryFn::MPI_File_open, result == 0, 0, time, before);
      if (result == 0) file_opened(library(caller), comm, path, info, *file, time); errno = saved; return result;)
TWICE(File_close, (Handle * file), Outermost outermost(&frame); if (!outermost) return run(function, file);
      LibraryObject* object = file ? library_object(Layer::kMpiio, *file) : nullptr;
      const uint64_t before = profiled_so_far(); Timed time;
      const int result = timed(time, [&] { return run(function, file); }); const int saved = errno;
      library_call(LibraryFn::MPI_File_close, result == 0, 0, time, before);
      if (result == 0) library_closed(object, time); errno = saved; return result;)
TWICE(
    File_delete, (const char* path, Handle info),
    return counted(LibraryFn::MPI_File_delete, [&] { return run(function, path, info); }, [] { return uint64_t{0}; });)
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
      const int result = counted(
          LibraryFn::MPI_Init, [&] { return run(function, argument_count, arguments); }, [] { return uint64_t{0}; });
      if (ours && result == 0) note_rank(library(caller)); return result;)
TWICE(Init_thread, (int* argument_count, char*** arguments, int wanted, int* provided), const bool ours = frame == 0;
      register_rank();
      const int result = counted(
          LibraryFn::MPI_Init_thread, [&] { return run(function, argument_count, arguments, wanted, provided); },
          [] { return uint64_t{0}; });
      if (ours && result == 0) note_rank(library(caller)); return result;)
TWICE(Finalize, (void), if (frame == 0) reduce_at_finalize(library(caller));
      return counted(LibraryFn::MPI_Finalize, [&] { return run(function); }, [] { return uint64_t{0}; });)
TWICE(Recv, (void* buffer, int count, Handle type, int peer, int tag, Handle comm, void* status),
      Outermost outermost(&frame);
      if (!outermost) return run(function, buffer, count, type, peer, tag, comm, status);
      const Library& m = library(caller); OwnStatus own = {};
      void* seen = m.known && status == m.status_ignore ? &own : status; const uint64_t before = profiled_so_far();
      Timed time;
      const int result = timed(time, [&] { return run(function, buffer, count, type, peer, tag, comm, seen); });
      const int saved = errno; int items = -1;
      if (result == 0 && m.known && m.get_count) m.get_count(seen, type, &items);
      library_call(LibraryFn::MPI_Recv, result == 0, size_of(items, type), time, before, true); errno = saved;
      return result;)

}  // extern "C"

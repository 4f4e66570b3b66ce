// Calls of MPI-IO, counted in the layer mpiio of the file's record.
#pragma once
#include "capture/recorder/mpi_requests.h"

namespace headrace::capture::mpi {

/// What a data call is about to do.
struct DataCall {
  LibraryFn function;
  DirectionIndex direction;
  uint32_t how;
  Handle file;
  int64_t offset;  // in units of the view; < 0: at a file pointer
  int64_t count;
  Handle type;
};

/// Where the call will begin, in bytes of the file; −1: nobody knows. Before it.
int64_t place_of(const Library& m, const DataCall& call);
/// Counts a call that is over. `status`: of a blocking one; null: none to look at.
void count_data(const Library& m, const DataCall& call, int64_t place, const void* status, bool ok, Timed time,
                uint64_t before);
/// The second call of a split operation.
void count_end(const DataCall& call, bool ok, Timed time, uint64_t before);

/// Runs `call(status)`, where `status` is the program's, or our own where the program has none and the operation tells
/// its bytes in it; for nonblocking ones it is the request, which passes unchanged.
template <typename Call>
int data_call(const void* caller, const DataCall& facts, void* last, Call call) {
  Outermost outermost(&frame);
  if (!outermost) return call(last);
  const Library& m = library(caller);
  const int64_t place = place_of(m, facts);
  OwnStatus own = {};
  const bool tells = m.known && !(facts.how & (kLater | kInTwo));
  void* status = tells && last == m.status_ignore ? &own : last;
  const uint64_t before = profiled_so_far();
  Timed time;
  const int result = timed_library(facts.function, time, [&] { return call(status); });
  const int saved = errno;
  count_data(m, facts, place, tells ? status : nullptr, result == 0, time, before);
  if ((facts.how & kLater) && result == 0 && follows_requests()) follow_transfer(last, facts.file, facts.direction);
  errno = saved;
  return result;
}

/// `opened`: where the handle of the file is; looked at if `ok`.
void file_opened(const Library& m, Handle comm, const char* path, Handle info, const Handle* opened, bool ok,
                 Timed time, uint64_t before);
/// `object`: what was known of the file before the call.
void file_closed(LibraryObject* object, bool ok, Timed time, uint64_t before);
void file_viewed(const Library& m, Handle file, Handle type, Handle info);

/// Runs a call that moves no data and counts it at the file.
template <typename Call>
int file_call(LibraryFn function, Handle file, Metadata::Count which, Call call) {
  Outermost outermost(&frame);
  if (!outermost) return call();
  const uint64_t before = profiled_so_far();
  Timed time;
  const int result = timed_library(function, time, call);
  const int saved = errno;
  const LibraryObject* object = library_object(Layer::kMpiio, file);
  library_call(function, result == 0, 0, time, before, false, {.handle = event_handle(object)});
  library_metadata(object, which, result == 0, time);
  errno = saved;
  return result;
}

/// The same of a file that is known by its path alone.
template <typename Call>
int file_deleted(const char* path, Call call) {
  Outermost outermost(&frame);
  if (!outermost) return call();
  const uint64_t before = profiled_so_far();
  Timed time;
  const int result = timed_library(LibraryFn::MPI_File_delete, time, call);
  const int saved = errno;
  const bool named = path && HEADRACE_UNLIKELY(state.tracing);
  library_call(LibraryFn::MPI_File_delete, result == 0, 0, time, before, false,
               {.handle = named ? event_handle_of(Layer::kMpiio, without_type(path)) : 0});
  errno = saved;
  return result;
}

}  // namespace headrace::capture::mpi

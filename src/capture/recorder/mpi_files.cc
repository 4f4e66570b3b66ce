#include "capture/recorder/mpi_files.h"

#include <string.h>

#include <initializer_list>

namespace headrace::capture::mpi {
namespace {

/// What a trace has of a data call. `tells`: it moved as many bytes as its status says, perhaps fewer than asked for.
/// Of one that failed MPI is asked nothing, as its arguments may be wrong.
OnFile seen_by(const LibraryObject* object, const DataCall& call, int64_t place, bool tells) {
  if (HEADRACE_LIKELY(!state.tracing)) return {};
  return {event_handle(object), static_cast<uint64_t>(place), tells ? size_of(call.count, call.type) : 0};
}

/// Bytes that a blocking call moved, by its status; what was asked for where that does not tell.
uint64_t bytes_moved(const Library& m, const DataCall& call, const void* status) {
  int items = -1;
  // An incomplete last item of a derived type makes the count undefined, which is negative.
  if (status && m.get_count && m.get_count(status, call.type, &items) == 0 && items >= 0)
    return size_of(items, call.type);
  return size_of(call.count, call.type);
}

}  // namespace

const char* without_type(const char* path) {
  for (const char* type : {"ufs:", "nfs:", "lustre:", "gpfs:", "panfs:", "pvfs2:", "testfs:", "daos:", "unifyfs:"})
    if (strncmp(path, type, strlen(type)) == 0) return path + strlen(type);
  return path;
}

int64_t place_of(const Library& m, const DataCall& call) {
  if ((call.how & kSharedPlace) || !m.file_get_byte_offset || !library_object(Layer::kMpiio, call.file)) return -1;
  int64_t place = call.offset, bytes = -1;
  if (place < 0 && (!m.file_get_position || m.file_get_position(call.file, &place) != 0)) return -1;
  return m.file_get_byte_offset(call.file, place, &bytes) == 0 ? bytes : -1;
}

void count_data(const Library& m, const DataCall& call, int64_t place, const void* status, bool ok, Timed time,
                uint64_t before) {
  const LibraryObject* object = library_object(Layer::kMpiio, call.file);
  const uint64_t bytes = ok ? bytes_moved(m, call, status) : 0;
  library_call(call.function, ok, bytes, time, before, false, seen_by(object, call, place, ok && status));
  if (!ok) return library_failed(object, call.direction);
  if (!object) return;
  const bool pieces = object->in_pieces || in_pieces(m, call.type);
  library_transfer(object, call.direction, place, bytes, call.how | (pieces ? kInPieces : 0u), time);
}

void count_end(const DataCall& call, bool ok, Timed time, uint64_t before) {
  const LibraryObject* object = library_object(Layer::kMpiio, call.file);
  library_call(call.function, ok, 0, time, before, false, {.handle = event_handle(object)});
  library_time(object, call.direction, time);
}

void file_closed(LibraryObject* object, bool ok, Timed time, uint64_t before) {
  library_call(LibraryFn::MPI_File_close, ok, 0, time, before, false, {.handle = event_handle(object)});
  if (ok) library_closed(object, time);
}

void file_opened(const Library& m, Handle comm, const char* path, Handle info, const Handle* opened, bool ok,
                 Timed time, uint64_t before) {
  const Handle file = ok ? *opened : 0;
  const LibraryObject* object =
      ok ? library_opened(Layer::kMpiio, file, without_type(path), RecordKind::kFile, kTogether, time) : nullptr;
  const bool failed = !ok && path && HEADRACE_UNLIKELY(state.tracing);
  library_call(LibraryFn::MPI_File_open, ok, 0, time, before, false,
               {.handle = failed ? event_handle_of(Layer::kMpiio, without_type(path)) : event_handle(object)});
  int rank = -1;
  // All ranks have the same hints, so that one keeps them.
  if (!object || !m.comm_rank || m.comm_rank(comm, &rank) != 0 || rank != 0) return;
  keep_hints(m, object, "hint_asked", info);
  Handle used = 0;
  if (!m.known || !m.file_get_info || !m.info_free || m.file_get_info(file, &used) != 0) return;
  keep_hints(m, object, "hint_used", used);
  m.info_free(&used);
}

void file_viewed(const Library& m, Handle file, Handle type, Handle info) {
  LibraryObject* object = library_object(Layer::kMpiio, file);
  if (!object) return;
  library_view(object, in_pieces(m, type));
  keep_hints(m, object, "hint_asked", info);
}

}  // namespace headrace::capture::mpi

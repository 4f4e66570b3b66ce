#include "capture/recorder/pnetcdf.h"

#include <stdio.h>

#include <algorithm>
#include <utility>

#include "capture/recorder/handle_table.h"
#include "capture/recorder/mpi.h"
#include "intercept/caller.h"

namespace headrace::capture::pnetcdf {

__thread uintptr_t frame;

namespace {

constexpr int kMostDimensions = 16;

struct Api {
  int (*inq_nvars)(int, int*);
  int (*inq_varname)(int, int, char*);
  int (*inq_vartype)(int, int, int*);
  int (*inq_varndims)(int, int, int*);
  int (*inq_vardimid)(int, int, int*);
  int (*inq_dimlen)(int, int, int64_t*);
  int (*inq_file_info)(int, uintptr_t*);
  bool complete;
};
Api found;
std::atomic<bool> looked{false};

/// Looked up by whoever comes first, and by others at the same moment with the same result.
const Api& api(const void* caller) {
  if (HEADRACE_LIKELY(looked.load(std::memory_order_acquire))) return found;
  Api a{};
  intercept::find_beyond(&a.inq_nvars, "ncmpi_inq_nvars", caller);
  intercept::find_beyond(&a.inq_varname, "ncmpi_inq_varname", caller);
  intercept::find_beyond(&a.inq_vartype, "ncmpi_inq_vartype", caller);
  intercept::find_beyond(&a.inq_varndims, "ncmpi_inq_varndims", caller);
  intercept::find_beyond(&a.inq_vardimid, "ncmpi_inq_vardimid", caller);
  intercept::find_beyond(&a.inq_dimlen, "ncmpi_inq_dimlen", caller);
  intercept::find_beyond(&a.inq_file_info, "ncmpi_inq_file_info", caller);
  a.complete = a.inq_nvars && a.inq_varname && a.inq_vartype && a.inq_varndims && a.inq_vardimid && a.inq_dimlen;
  found = a;
  looked.store(true, std::memory_order_release);
  return found;
}

/// Ids of files are small and used again; the variable's own id is -1 for the file itself.
uint64_t file_handle(int file, int variable) {
  return (uint64_t{1} << 63) | (static_cast<uint64_t>(static_cast<uint32_t>(file)) << 32) |
         static_cast<uint32_t>(variable + 1);
}
LibraryObject* known_file(int file) { return library_object(Layer::kPnetcdf, file_handle(file, -1)); }

/// Closing a file closes its variables, whose ids begin anew in the next.
void forget_variables(const Api& a, int file) {
  int count = 0;
  if (!a.inq_nvars || a.inq_nvars(file, &count) != 0) return;
  for (int i = 0; i < count; ++i) library_forgotten(library_object(Layer::kPnetcdf, file_handle(file, i)));
}

struct Variable {
  int dimensions = 0;
  uint64_t size[kMostDimensions];  // of the record dimension: the records that there are
  uint64_t element = 0;
};

uint64_t size_of_type(int type) {
  static constexpr uint64_t kSizes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};  // NC_BYTE to NC_UINT64
  return type > 0 && type < 12 ? kSizes[type] : 0;
}

bool look_at(const Api& a, int file, int variable, Variable* v) {
  int type = 0, ids[kMostDimensions];
  if (!a.complete || a.inq_vartype(file, variable, &type) != 0 || a.inq_varndims(file, variable, &v->dimensions) != 0)
    return false;
  if (v->dimensions < 0 || v->dimensions > kMostDimensions || a.inq_vardimid(file, variable, ids) != 0) return false;
  v->element = size_of_type(type);
  for (int i = 0; i < v->dimensions; ++i) {
    int64_t length = 0;
    if (a.inq_dimlen(file, ids[i], &length) != 0) return false;
    v->size[i] = static_cast<uint64_t>(length);
  }
  return true;
}

uint64_t product(const Variable& v, const int64_t* count) {
  uint64_t elements = 1;
  for (int i = 0; count && i < v.dimensions; ++i) elements *= static_cast<uint64_t>(count[i]);
  return elements;
}

uint64_t elements(const Variable& v, const Shape& shape) {
  uint64_t sum = 1;
  switch (shape.kind) {
    case Shape::kPart:
      return product(v, shape.count);
    case Shape::kWhole:
      for (int i = 0; i < v.dimensions; ++i) sum *= v.size[i];
      return sum;
    case Shape::kSeveral:
      sum = 0;
      for (int i = 0; i < shape.blocks; ++i) sum += product(v, shape.counts ? shape.counts[i] : nullptr);
      return sum;
    default:
      return 1;
  }
}

/// Whether a transfer is more than one piece of its variable, by rows.
bool in_pieces(const Variable& v, const Shape& shape) {
  if (shape.kind == Shape::kSeveral) return shape.blocks > 1;
  if (shape.kind != Shape::kPart || !shape.count) return false;
  bool whole = true;
  for (int i = v.dimensions - 1; i >= 0; --i) {
    const auto count = static_cast<uint64_t>(shape.count[i]);
    if (count == 0) return false;
    if (count > 1 && shape.stride && shape.stride[i] != 1) return true;
    if (!whole && count != 1) return true;
    if (count != v.size[i]) whole = false;
  }
  return false;
}

LibraryObject* variable_of(const Api& a, int file, int variable) {
  char name[1024];  // NC_MAX_NAME is 256
  LibraryObject* known = library_object(Layer::kPnetcdf, file_handle(file, variable));
  if (known || !a.complete || a.inq_varname(file, variable, name) != 0) return known;
  return library_part(known_file(file), file_handle(file, variable), name);
}

/// A nonblocking operation. Its file's counts of waits tell whether it still waits.
struct NonblockingCall {
  uint64_t bytes;
  uint32_t waits;
  DirectionIndex direction;
};
constinit HandleTable<NonblockingCall, 512> operations;

uint64_t request_handle(int file, int request) {
  return (uint64_t{1} << 62) | (static_cast<uint64_t>(static_cast<uint32_t>(file)) << 30) |
         static_cast<uint32_t>(request);
}
constexpr auto kAny = [](const NonblockingCall&) { return true; };

/// `request` is null where the operation can be waited for with all others alone.
void keep_for_wait(LibraryObject* object, int file, const int* request, DirectionIndex direction, uint64_t bytes) {
  if (!object) return;
  object->later[direction] += bytes;
  if (!request || *request < 0) return;
  const uint64_t handle = request_handle(file, *request);
  NonblockingCall* kept = operations.find(handle, kAny);
  NonblockingCall* added = kept ? nullptr : operations.take(handle);
  if (!kept && !added) return;
  *(kept ? kept : added) = {bytes, object->waits[direction], direction};
  if (added) operations.publish(added, handle);
}

/// Adds what a request is for, and forgets it. False: nothing is known of it.
bool take_operation(LibraryObject* object, int file, int request, Waits& waits) {
  NonblockingCall* operation = request < 0 ? nullptr : operations.find(request_handle(file, request), kAny);
  if (!operation) return false;
  const NonblockingCall known = *operation;
  operations.drop(operation);
  uint64_t& later = object->later[known.direction];
  if (known.waits != object->waits[known.direction]) return false;
  waits.bytes[known.direction] += known.bytes;
  later -= std::min(later, known.bytes);
  return true;
}

void keep_variable(const LibraryObject* object, const Variable& v) {
  char text[kMostDimensions * 21 + 1] = "scalar";
  size_t length = 0;
  for (int i = 0; i < v.dimensions; ++i)
    length += static_cast<size_t>(snprintf(text + length, sizeof text - length, "%s%llu", i ? "x" : "",
                                           static_cast<unsigned long long>(v.size[i])));
  library_property(object, "pnetcdf.dimensions", text);
  snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(v.element));
  library_property(object, "pnetcdf.type_size", text);
}

}  // namespace

Done file_opened(const void* caller, int result, uintptr_t comm, const char* path, uintptr_t info, const int* file,
                 Timed time) {
  if (result != 0 || !file || !path) return {0, path && state.tracing ? event_handle_of(Layer::kPnetcdf, path) : 0};
  const Api& a = api(caller);
  forget_variables(a, *file);
  library_forgotten(known_file(*file));
  const LibraryObject* object = library_opened(Layer::kPnetcdf, file_handle(*file, -1), mpi::without_type(path),
                                               RecordKind::kFile, kTogether, time);
  const Done done{0, event_handle(object)};
  const mpi::Library& m = mpi::library(caller);
  int rank = -1;
  // All ranks have the same hints, so that one keeps them.
  if (!object || !m.known || !m.comm_rank || m.comm_rank(comm, &rank) != 0 || rank != 0) return done;
  mpi::keep_hints(m, object, "hint_asked", info);
  uintptr_t used = 0;
  if (!a.inq_file_info || !m.info_free || a.inq_file_info(*file, &used) != 0) return done;
  mpi::keep_hints(m, object, "hint_used", used);
  m.info_free(&used);
  return done;
}

Done file_call(int file, Metadata::Count which, int result, Timed time) {
  library_metadata(known_file(file), which, result == 0, time);
  return 0;
}

Waits asked_for(int file, int count, const int* requests) {
  constexpr int kAllRequests = -1, kAllReads = -2, kAllWrites = -3;  // NC_REQ_ALL, NC_GET_REQ_ALL, NC_PUT_REQ_ALL
  Waits waits;
  LibraryObject* object = known_file(file);
  if (!object) return waits;
  for (const DirectionIndex direction : {kRead, kWrite}) {
    if (count != kAllRequests && count != (direction == kRead ? kAllReads : kAllWrites)) continue;
    waits.bytes[direction] = std::exchange(object->later[direction], 0);
    object->waits[direction]++;
  }
  bool known = count <= 0 || !requests;
  for (int i = 0; requests && i < count; ++i) known |= take_operation(object, file, requests[i], waits);
  // Of none is known what it is for: of whatever waits.
  if (!known) std::copy_n(object->later, 2, waits.bytes);
  return waits;
}

Done waited(const Waits& waits, int file, int result, Timed time) {
  LibraryObject* object = known_file(file);
  if (!object) return 0;
  const uint64_t read = waits.bytes[kRead], all = read + waits.bytes[kWrite];
  // A rank without operations waits for those of the others.
  if (all == 0) return file_call(file, Metadata::kControls, result, time);
  const auto share = static_cast<double>(read) / static_cast<double>(all);
  const uint64_t middle = time.start + static_cast<uint64_t>(static_cast<double>(time.spent()) * share);
  if (read != 0) library_time(object, kRead, {time.start, middle});
  if (read != all) library_time(object, kWrite, {middle, time.end});
  return 0;
}

Done filled(int file, int result, Timed time) {
  LibraryObject* object = known_file(file);
  if (result != 0)
    library_failed(object, kWrite);
  else
    library_time(object, kWrite, time);
  return 0;
}

Done defined(int file, int64_t header, int64_t alignment, int64_t room, int64_t record_alignment, int result,
             Timed time) {
  LibraryObject* object = known_file(file);
  library_metadata(object, Metadata::kControls, result == 0, time);
  if (!object || result != 0) return 0;
  char text[128];
  snprintf(text, sizeof text, "%lld %lld %lld %lld", static_cast<long long>(header), static_cast<long long>(alignment),
           static_cast<long long>(room), static_cast<long long>(record_alignment));
  library_property(object, "pnetcdf.alignment", text);
  return 0;
}

Done moved(const void* caller, int file, int variable, DirectionIndex direction, const Shape& shape, uint32_t how,
           int result, Timed time, const int* request) {
  const Api& a = api(caller);
  const LibraryObject* object = variable_of(a, file, variable);
  const uint32_t handle = event_handle(object);
  if (result != 0) {
    library_failed(object, direction);
    return {0, handle};
  }
  Variable v;
  if (!look_at(a, file, variable, &v)) return {0, handle};
  const uint64_t bytes = shape.kind == Shape::kType ? mpi::size_of(1, shape.type) : elements(v, shape) * v.element;
  if (!object) return bytes;  // its file is named by whoever asks
  if (library_is_new(object)) keep_variable(object, v);
  if (in_pieces(v, shape)) how |= kInPieces;
  if (how & kLater) keep_for_wait(known_file(file), file, request, direction, bytes);
  library_transfer(object, direction, -1, bytes, how, time);
  return {bytes, handle};
}

uint32_t event_file(int file) { return HEADRACE_LIKELY(!state.tracing) ? 0 : event_handle(known_file(file)); }

LibraryObject* closing(const void* caller, int file) {
  forget_variables(api(caller), file);
  return known_file(file);
}

}  // namespace headrace::capture::pnetcdf

// Calls of PnetCDF, counted in the layer pnetcdf of files and variables.
#pragma once
#include "capture/recorder/library.h"

namespace headrace::capture::pnetcdf {

/// What a transfer names of its variable.
struct Shape {
  enum Kind { kOne, kWhole, kPart, kSeveral, kType } kind;
  const int64_t* count = nullptr;
  const int64_t* stride = nullptr;  // null: 1
  int blocks = 0;
  const int64_t* const* counts = nullptr;
  uintptr_t type = 0;
};
inline Shape one() { return {.kind = Shape::kOne}; }
inline Shape whole() { return {.kind = Shape::kWhole}; }
inline Shape part(const int64_t* count, const int64_t* stride = nullptr) {
  return {.kind = Shape::kPart, .count = count, .stride = stride};
}
inline Shape several(int blocks, const int64_t* const* counts) {
  return {.kind = Shape::kSeveral, .blocks = blocks, .counts = counts};
}
inline Shape by_type(uintptr_t type) { return {.kind = Shape::kType, .type = type}; }

// What follows a call; each gives what it moved, and on what. `result` is 0 if it succeeded.
Done file_opened(const void* caller, int result, uintptr_t comm, const char* path, uintptr_t info, const int* file,
                 Timed time);
Done file_call(int file, Metadata::Count which, int result, Timed time);
/// Bytes of the nonblocking operations that a call does or drops, by direction.
struct Waits {
  uint64_t bytes[2] = {0, 0};
};
/// Before such a call, which forgets what it is given: so are they from here on.
Waits asked_for(int file, int count, const int* requests);
/// They were done: they take the time, in proportion to their bytes.
Done waited(const Waits& waits, int file, int result, Timed time);
Done filled(int file, int result, Timed time);
Done defined(int file, int64_t header, int64_t alignment, int64_t room, int64_t record_alignment, int result,
             Timed time);
Done moved(const void* caller, int file, int variable, DirectionIndex direction, const Shape& shape, uint32_t how,
           int result, Timed time, const int* request = nullptr);
/// Before a close: what is known of the file.
LibraryObject* closing(const void* caller, int file);

/// By which events name an open file; 0: nothing is recorded.
uint32_t event_file(int file);

extern __thread uintptr_t frame __attribute__((tls_model("initial-exec"), visibility("hidden")));

}  // namespace headrace::capture::pnetcdf

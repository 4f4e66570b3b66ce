// Streams of the C library. What they read and write themselves is no call that can be met, but it moves the
// descriptor: how far, and the stream's buffer, say what was transferred and by how many calls. Calls that the buffer
// answers alone cost nothing, here as there.
#include <errno.h>
#include <string.h>

#include <algorithm>

#include "programs/emulate/files.h"
#include "programs/emulate/model.h"
#include "programs/emulate/real.h"

namespace headrace::emulate {
namespace {

size_t pending(const FILE* s) { return static_cast<size_t>(s->_IO_write_ptr - s->_IO_write_base); }
size_t room(const FILE* s) {
  return s->_IO_write_end > s->_IO_write_ptr ? static_cast<size_t>(s->_IO_write_end - s->_IO_write_ptr) : 0;
}
size_t available(const FILE* s) {
  return s->_IO_read_end > s->_IO_read_ptr ? static_cast<size_t>(s->_IO_read_end - s->_IO_read_ptr) : 0;
}
size_t buffer(const FILE* s) { return std::max<size_t>(1, static_cast<size_t>(s->_IO_buf_end - s->_IO_buf_base)); }

/// What a stream and its descriptor were like before a call.
struct Before {
  size_t pending, room, available;
  int64_t offset;
  explicit Before(const FILE* s)
      : pending(emulate::pending(s)),
        room(emulate::room(s)),
        available(emulate::available(s)),
        offset(REAL(lseek)(s->_fileno, 0, SEEK_CUR)) {}
};

constexpr size_t kPieces = SIZE_MAX;  // as many bytes as there are, buffer by buffer

/// The buffer if anything was in it or went into it, and what did not fit at once.
uint64_t write_calls(const FILE* s, const Before& before, size_t asked, uint64_t moved) {
  if (asked == kPieces) return (moved + buffer(s) - 1) / buffer(s);
  return (before.pending > 0 || before.room > 0) && moved > buffer(s) ? 2 : 1;
}
/// Whole buffers go where they belong at once, the rest through the buffer.
uint64_t read_calls(const FILE* s, const Before& before, size_t asked, uint64_t moved) {
  if (asked == kPieces) return (moved + buffer(s) - 1) / buffer(s);
  const size_t wanted = asked - before.available, direct = wanted - wanted % buffer(s);
  return direct > 0 && moved > direct ? 2 : 1;
}

bool is_slow(const FILE* s, File* file) {
  if (!is_on() || s == nullptr || s->_fileno < 0) return false;
  *file = file_of(s->_fileno);
  return file->slow;
}

/// `asked`: bytes that are to come or go.
template <typename Call>
auto transfer(FILE* s, bool writes, size_t asked, Call call) {
  const int error = errno;
  File file;
  if (!is_slow(s, &file)) return call();
  const Delay delay(writes ? Kind::kWriting : Kind::kReading);
  const Before before(s);
  errno = error;
  const auto result = call();
  const int after_error = errno;
  const int64_t after = REAL(lseek)(s->_fileno, 0, SEEK_CUR);
  errno = after_error;
  if (before.offset < 0 || after <= before.offset) return result;
  auto moved = static_cast<uint64_t>(after - before.offset);
  if (writes && asked != kPieces) moved = std::min<uint64_t>(moved, before.pending + asked);  // appended behind others
  const uint64_t calls = writes ? write_calls(s, before, asked, moved) : read_calls(s, before, asked, moved);
  wait_for_transfer(delay, writes, file.id, before.offset, moved, calls);
  return result;
}
template <typename Call>
auto put(FILE* s, size_t bytes, Call call) {
  return is_on() && s != nullptr && bytes > room(s) ? transfer(s, true, bytes, call) : call();
}
template <typename Call>
auto get(FILE* s, size_t bytes, Call call) {
  return is_on() && s != nullptr && bytes > available(s) ? transfer(s, false, bytes, call) : call();
}
/// A line.
template <typename Call>
auto get_until(FILE* s, int end, Call call) {
  const bool ready = s == nullptr || (available(s) > 0 && memchr(s->_IO_read_ptr, end, available(s)) != nullptr);
  return is_on() && !ready ? transfer(s, false, kPieces, call) : call();
}
/// What empties the buffer of a stream that was written.
template <typename Call>
auto leave(FILE* s, Call call) {
  File file;
  const int error = errno;
  const size_t bytes = is_on() && s != nullptr ? pending(s) : 0;
  if (bytes == 0 || !is_slow(s, &file)) return call();
  const Delay delay(Kind::kWriting);
  const Before before(s);
  errno = error;
  const auto result = call();
  wait_for_transfer(delay, true, file.id, before.offset, bytes);
  return result;
}

/// Another place than the buffer has: where that is no beginning of a block, it is filled at once.
template <typename Call>
auto seek(FILE* s, Call call) {
  File file;
  const int error = errno;
  if (!is_slow(s, &file) || pending(s) > 0) return leave(s, call);
  const Delay delay(Kind::kReading);
  const Before before(s);
  errno = error;
  const auto result = call();
  const int after_error = errno;
  const int64_t after = REAL(lseek)(s->_fileno, 0, SEEK_CUR);
  errno = after_error;
  const int64_t filled = s->_IO_read_end - s->_IO_read_base;
  if (after == before.offset || filled <= 0 || after < filled) return result;
  wait_for_transfer(delay, false, file.id, after - filled, static_cast<uint64_t>(filled));
  return result;
}

template <typename Call>
FILE* open_stream(const char* path, const char* mode, Call call) {
  const Place place = is_on() && mode != nullptr ? place_of(AT_FDCWD, path) : Place{};
  if (!place.slow) return call();
  const Delay delay(Kind::kNames);
  const int error = errno;
  const bool creates = mode[0] != 'r' && REAL(faccessat)(AT_FDCWD, path, F_OK, 0) != 0;
  errno = error;
  FILE* stream = call();
  wait_for_metadata(delay, creates && stream != nullptr ? Counted::kCreate : Counted::kOpen, place.directory);
  return stream;
}

size_t product(size_t size, size_t count) {
  size_t bytes = 0;
  return __builtin_mul_overflow(size, count, &bytes) || bytes == kPieces ? kPieces - 1 : bytes;
}

}  // namespace
}  // namespace headrace::emulate

using namespace headrace::emulate;  // NOLINT: nothing but wrappers follows

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT FILE* fopen(const char* path, const char* mode) {
  return open_stream(path, mode, [&] { return REAL(fopen)(path, mode); });
}
EXPORT FILE* fopen64(const char* path, const char* mode) {
  return open_stream(path, mode, [&] { return REAL(fopen64)(path, mode); });
}
EXPORT int fclose(FILE* stream) {
  return leave(stream, [&] { return REAL(fclose)(stream); });
}
EXPORT int fflush(FILE* stream) {
  return leave(stream, [&] { return REAL(fflush)(stream); });
}
EXPORT int fseek(FILE* stream, long offset, int whence) {
  return seek(stream, [&] { return REAL(fseek)(stream, offset, whence); });
}
EXPORT int fseeko(FILE* stream, off_t offset, int whence) {
  return seek(stream, [&] { return REAL(fseeko)(stream, offset, whence); });
}
EXPORT int fseeko64(FILE* stream, off64_t offset, int whence) {
  return seek(stream, [&] { return REAL(fseeko64)(stream, offset, whence); });
}
EXPORT void rewind(FILE* stream) {
  (void)seek(stream, [&] { return REAL(rewind)(stream), 0; });
}

EXPORT size_t fread(void* bytes, size_t size, size_t count, FILE* stream) {
  return get(stream, product(size, count), [&] { return REAL(fread)(bytes, size, count, stream); });
}
EXPORT size_t fread_unlocked(void* bytes, size_t size, size_t count, FILE* stream) {
  return get(stream, product(size, count), [&] { return REAL(fread_unlocked)(bytes, size, count, stream); });
}
EXPORT size_t __fread_chk(void* bytes, size_t space, size_t size, size_t count, FILE* stream) {
  return get(stream, product(size, count), [&] { return REAL(__fread_chk)(bytes, space, size, count, stream); });
}
EXPORT int fgetc(FILE* stream) {
  return get(stream, 1, [&] { return REAL(fgetc)(stream); });
}
EXPORT int getc(FILE* stream) {
  return get(stream, 1, [&] { return REAL(getc)(stream); });
}
EXPORT int __uflow(FILE* stream) {
  return get(stream, 1, [&] { return REAL(__uflow)(stream); });
}
EXPORT char* fgets(char* text, int count, FILE* stream) {
  return get_until(stream, '\n', [&] { return REAL(fgets)(text, count, stream); });
}
EXPORT char* __fgets_chk(char* text, size_t space, int count, FILE* stream) {
  return get_until(stream, '\n', [&] { return REAL(__fgets_chk)(text, space, count, stream); });
}
EXPORT ssize_t getline(char** line, size_t* space, FILE* stream) {
  return get_until(stream, '\n', [&] { return REAL(getline)(line, space, stream); });
}
EXPORT ssize_t getdelim(char** line, size_t* space, int end, FILE* stream) {
  return get_until(stream, end, [&] { return REAL(getdelim)(line, space, end, stream); });
}

EXPORT size_t fwrite(const void* bytes, size_t size, size_t count, FILE* stream) {
  return put(stream, product(size, count), [&] { return REAL(fwrite)(bytes, size, count, stream); });
}
EXPORT size_t fwrite_unlocked(const void* bytes, size_t size, size_t count, FILE* stream) {
  return put(stream, product(size, count), [&] { return REAL(fwrite_unlocked)(bytes, size, count, stream); });
}
EXPORT int fputs(const char* text, FILE* stream) {
  return put(stream, strlen(text), [&] { return REAL(fputs)(text, stream); });
}
EXPORT int fputs_unlocked(const char* text, FILE* stream) {
  return put(stream, strlen(text), [&] { return REAL(fputs_unlocked)(text, stream); });
}
EXPORT int fputc(int byte, FILE* stream) {
  return put(stream, 1, [&] { return REAL(fputc)(byte, stream); });
}
EXPORT int putc(int byte, FILE* stream) {
  return put(stream, 1, [&] { return REAL(putc)(byte, stream); });
}
EXPORT int __overflow(FILE* stream, int byte) {
  return put(stream, 1, [&] { return REAL(__overflow)(stream, byte); });
}
EXPORT int vfprintf(FILE* stream, const char* format, va_list values) {
  return put(stream, kPieces, [&] { return REAL(vfprintf)(stream, format, values); });
}
EXPORT int __vfprintf_chk(FILE* stream, int flag, const char* format, va_list values) {
  return put(stream, kPieces, [&] { return REAL(__vfprintf_chk)(stream, flag, format, values); });
}
EXPORT int fprintf(FILE* stream, const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int result = vfprintf(stream, format, values);
  va_end(values);
  return result;
}
EXPORT int __fprintf_chk(FILE* stream, int flag, const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int result = __vfprintf_chk(stream, flag, format, values);
  va_end(values);
  return result;
}

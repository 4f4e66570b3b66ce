// Hooks of the stream calls that open, close, move and flush.
#pragma once
#include "capture/recorder/file_hooks.h"
#include "capture/recorder/stream_read_hooks.h"
#include "capture/recorder/stream_write_hooks.h"

namespace headrace::capture {

template <class Next>
struct StreamHooks : StreamReadHooks<StreamWriteHooks<Next>> {
  using Base = StreamReadHooks<StreamWriteHooks<Next>>;

  // ---- opening
  static FILE* fopen(const char* path, const char* mode) {
    return on_stream(Fn::fopen, path, mode, [&] { return Next::fopen(path, mode); });
  }
  static FILE* setmntent(const char* path, const char* mode) {
    return on_stream(Fn::setmntent, path, mode, [&] { return Next::setmntent(path, mode); });
  }
  static FILE* freopen(const char* path, const char* mode, FILE* stream) {
    if (!path && stream) return reopened(mode, stream);
    const Settled before = stream ? settle(stream) : Settled{};
    uint64_t tag = stream ? Base::tag_before_close(descriptor_of(stream)) : kUnknownTag;
    FILE* result = on_stream(Fn::freopen, path, mode, [&] { return Next::freopen(path, mode, stream); });
    if (tag != kUnknownTag) stream_closed(Fn::freopen, tag, {0, 0}, before);
    return result;
  }
  static FILE* fdopen(int fd, const char* mode) {
    Timed time;
    FILE* stream = timed(time, [&] { return Next::fdopen(fd, mode); });
    if (stream) stream_attached(stream);
    call_about(Fn::fdopen, fd, stream != nullptr, time);
    return stream;
  }
  static FILE* tmpfile() {
    Timed time;
    FILE* stream = timed(time, [&] { return Next::tmpfile(); });
    if (stream)
      opened_unnamed(Fn::tmpfile, descriptor_of(stream), time);
    else
      plain_call(Fn::tmpfile, false, time);
    return stream;
  }

  // ---- closing: the tag goes first, since another thread may get the number the moment the real call is done
  static int fclose(FILE* stream) {
    return on_fclose(Fn::fclose, stream, [&] { return Next::fclose(stream); });
  }
  static int endmntent(FILE* stream) {
    if (!stream) return Next::endmntent(stream);
    return on_fclose(Fn::endmntent, stream, [&] { return Next::endmntent(stream); });
  }
  static int pclose(FILE* stream) {
    return on_fclose(Fn::pclose, stream, [&] { return Next::pclose(stream); });
  }
  static int fcloseall() {  // flushes all streams and closes none
    settle_all(Coming::kFlush);
    return Base::on_nothing(Fn::fcloseall, [] { return Next::fcloseall(); });
  }

  // ---- flushing
  static int fflush(FILE* stream) {
    return on_flush(Fn::fflush, stream, [&] { return Next::fflush(stream); });
  }
  static int fflush_unlocked(FILE* stream) {
    return on_flush(Fn::fflush_unlocked, stream, [&] { return Next::fflush_unlocked(stream); });
  }
  static void __fpurge(FILE* stream) {
    settle(stream);
    Next::__fpurge(stream);
    stream_moved(stream, -1);  // what was thrown away moves nothing
  }

  // ---- position
  static int fseek(FILE* stream, long offset, int whence) {
    return on_seek(Fn::fseek, stream, offset, whence, [&] { return Next::fseek(stream, offset, whence); });
  }
  static int fseeko(FILE* stream, off_t offset, int whence) {
    return on_seek(Fn::fseeko, stream, offset, whence, [&] { return Next::fseeko(stream, offset, whence); });
  }
  static int fsetpos(FILE* stream, const fpos_t* position) {
    return on_seek(Fn::fsetpos, stream, position->__pos, SEEK_SET, [&] { return Next::fsetpos(stream, position); });
  }
  static void rewind(FILE* stream) {
    on_seek(Fn::rewind, stream, 0, SEEK_SET, [&] { return Next::rewind(stream), 0; });
  }
  static long ftell(FILE* stream) {
    return on_question(Fn::ftell, stream, [&] { return Next::ftell(stream); });
  }
  static off_t ftello(FILE* stream) {
    return on_question(Fn::ftello, stream, [&] { return Next::ftello(stream); });
  }
  static int fgetpos(FILE* stream, fpos_t* position) {
    return on_question(Fn::fgetpos, stream, [&] { return Next::fgetpos(stream, position); });
  }

  // ---- buffer
  static int setvbuf(FILE* stream, char* buffer, int mode, size_t size) {
    return on_buffer(Fn::setvbuf, stream, [&] { return Next::setvbuf(stream, buffer, mode, size); });
  }
  static void setbuf(FILE* stream, char* buffer) {
    on_buffer(Fn::setbuf, stream, [&] { return Next::setbuf(stream, buffer), 0; });
  }
  static void setbuffer(FILE* stream, char* buffer, size_t size) {
    on_buffer(Fn::setbuffer, stream, [&] { return Next::setbuffer(stream, buffer, size), 0; });
  }
  static void setlinebuf(FILE* stream) {
    on_buffer(Fn::setlinebuf, stream, [&] { return Next::setlinebuf(stream), 0; });
  }

 private:
  /// Another mode for the same file, whose descriptor keeps its number.
  static FILE* reopened(const char* mode, FILE* stream) {
    const uint64_t waiting = settle(stream).unwritten;
    const int fd = descriptor_of(stream);
    Timed time;
    FILE* result = timed(time, [&] { return Next::freopen(nullptr, mode, stream); });
    if (result && descriptor_of(result) == fd) {
      stream_call(Fn::freopen, result, Metadata::kControls, true, time, waiting);
      stream_moved(result, *mode == 'a' ? -1 : 0);
    } else {
      if (fd >= 0) forget_descriptor(fd);
      plain_call(Fn::freopen, result != nullptr, time);
    }
    return result;
  }
  template <typename Call>
  static FILE* on_stream(Fn function, const char* path, const char* mode, Call call) {
    Timed time;
    FILE* stream = timed(function, OnPath{AT_FDCWD, path}, time, call);
    if (!stream)
      open_failed(function, AT_FDCWD, path, time);
    else if (path)
      opened(function, descriptor_of(stream), AT_FDCWD, path, flags_of_mode(mode), 0, time);
    return stream;
  }
  template <typename Call>
  static int on_fclose(Fn function, FILE* stream, Call call) {
    const Settled before = settle(stream, true);
    uint64_t tag = Base::tag_before_close(descriptor_of(stream));
    Timed time;
    int result = timed(function, OnTag{tag}, time, call);
    if (result == 0 || tag != kUnknownTag)
      stream_closed(function, tag, time, before);
    else
      plain_call(function, false, time);
    return result;
  }
  template <typename Call>
  static int on_flush(Fn function, FILE* stream, Call call) {
    if (!stream) {
      settle_all(Coming::kFlush);
      return Base::on_nothing(function, call);
    }
    const uint64_t waiting = settle(stream).unwritten;
    Timed time;
    int result = timed(function, OnDescriptor{number_of(stream)}, time, call);
    stream_call(function, stream, Metadata::kFlushes, result == 0, time, waiting - held<kWrite>(stream));
    return result;
  }
  template <typename Call>
  static int on_seek(Fn function, FILE* stream, int64_t offset, int whence, Call call) {
    const Settled before = settle(stream);
    Timed time;
    int result = timed(function, OnDescriptor{number_of(stream)}, time, call);
    const uint64_t fetched = result == 0 ? fetched_by_seek(stream, before, whence) : 0;
    stream_call(function, stream, Metadata::kSeeks, result == 0, time, before.unwritten - held<kWrite>(stream),
                fetched);
    if (result == 0) stream_moved(stream, whence == SEEK_SET ? offset : position_of(stream));
    return result;
  }
  /// After a seek the C library knows the position without asking the system.
  static int64_t position_of(FILE* stream) {
    int saved = errno;
    int64_t position = Next::ftello(stream);
    errno = saved;
    return position;
  }
  template <typename Call>
  static auto on_question(Fn function, FILE* stream, Call call) {
    Timed time;
    auto result = timed(function, OnDescriptor{number_of(stream)}, time, call);
    stream_call(function, stream, Metadata::kCounts, result >= 0, time, 0);
    return result;
  }
  template <typename Call>
  static int on_buffer(Fn function, FILE* stream, Call call) {
    const uint64_t waiting = settle(stream).unwritten;
    Timed time;
    int result = timed(function, OnDescriptor{number_of(stream)}, time, call);
    stream_call(function, stream, Metadata::kControls, result == 0, time, waiting - held<kWrite>(stream));
    return result;
  }
};

}  // namespace headrace::capture

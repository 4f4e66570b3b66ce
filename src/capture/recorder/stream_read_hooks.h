// Hooks of the stream calls that read.
#pragma once
#include <wchar.h>

#include "capture/recorder/stream.h"
#include "intercept/functions_headers.h"

namespace headrace::capture {

template <class Next>
struct StreamReadHooks : Next {
  // ---- items
  static HEADRACE_INLINE size_t fread(void* buffer, size_t size, size_t count, FILE* stream) {
    return on_items(Fn::fread, stream, size, count, [&] { return Next::fread(buffer, size, count, stream); });
  }
  static size_t fread_unlocked(void* buffer, size_t size, size_t count, FILE* stream) {
    return on_items(Fn::fread_unlocked, stream, size, count,
                    [&] { return Next::fread_unlocked(buffer, size, count, stream); });
  }
  static size_t __fread_chk(void* buffer, size_t capacity, size_t size, size_t count, FILE* stream) {
    return on_items(Fn::__fread_chk, stream, size, count,
                    [&] { return Next::__fread_chk(buffer, capacity, size, count, stream); });
  }
  static size_t __fread_unlocked_chk(void* buffer, size_t capacity, size_t size, size_t count, FILE* stream) {
    return on_items(Fn::__fread_unlocked_chk, stream, size, count,
                    [&] { return Next::__fread_unlocked_chk(buffer, capacity, size, count, stream); });
  }
  static int getw(FILE* stream) {
    return stream_transfer<kRead>(
        Fn::getw, stream, [&] { return Next::getw(stream); },
        [&](int, const StreamCall& call) { return static_cast<int64_t>(bytes_taken(call)); });
  }

  // ---- bytes
  static HEADRACE_INLINE int fgetc(FILE* stream) {
    return on_byte(Fn::fgetc, stream, [=] { return Next::fgetc(stream); });
  }
  static HEADRACE_INLINE int fgetc_unlocked(FILE* stream) {
    return on_byte(Fn::fgetc_unlocked, stream, [=] { return Next::fgetc_unlocked(stream); });
  }
  static int getchar() {
    return on_byte(Fn::getchar, stdin, [] { return Next::getchar(); });
  }
  static int getchar_unlocked() {
    return on_byte(Fn::getchar_unlocked, stdin, [] { return Next::getchar_unlocked(); });
  }
  static int __uflow(FILE* stream) {
    return on_inlined_byte(Fn::__uflow, stream, [=] { return Next::__uflow(stream); });
  }
  static int ungetc(int byte, FILE* stream) {
    settle(stream);
    int result = Next::ungetc(byte, stream);
    if (result != EOF) stream_moved_by(stream, -1);
    return result;
  }

  // ---- lines
  static char* fgets(char* line, int capacity, FILE* stream) {
    return on_line(Fn::fgets, stream, 0, [&] { return Next::fgets(line, capacity, stream); });
  }
  static char* fgets_unlocked(char* line, int capacity, FILE* stream) {
    return on_line(Fn::fgets_unlocked, stream, 0, [&] { return Next::fgets_unlocked(line, capacity, stream); });
  }
  static char* __fgets_chk(char* line, size_t room, int capacity, FILE* stream) {
    return on_line(Fn::__fgets_chk, stream, 0, [&] { return Next::__fgets_chk(line, room, capacity, stream); });
  }
  static char* __fgets_unlocked_chk(char* line, size_t room, int capacity, FILE* stream) {
    return on_line(Fn::__fgets_unlocked_chk, stream, 0,
                   [&] { return Next::__fgets_unlocked_chk(line, room, capacity, stream); });
  }
  static char* gets(char* line) {  // drops the newline that it read
    return on_line(Fn::gets, stdin, 1, [&] { return Next::gets(line); });
  }
  static char* __gets_chk(char* line, size_t room) {
    return on_line(Fn::__gets_chk, stdin, 1, [&] { return Next::__gets_chk(line, room); });
  }
  static ssize_t getdelim(char** line, size_t* room, int delimiter, FILE* stream) {
    return on_length(Fn::getdelim, stream, [&] { return Next::getdelim(line, room, delimiter, stream); });
  }
  static ssize_t getline(char** line, size_t* room, FILE* stream) {
    return on_length(Fn::getline, stream, [&] { return Next::getline(line, room, stream); });
  }

  // ---- formatted text
#define SCAN(id, real, stream, params, args)                         \
  static int id params {                                             \
    return on_scan(Fn::id, stream, [&] { return Next::real args; }); \
  }
#define SCANS(prefix)                                                                                           \
  SCAN(prefix##vfscanf, prefix##vfscanf, stream, (FILE * stream, const char* format, va_list values),           \
       (stream, format, values))                                                                                \
  SCAN(prefix##fscanf, prefix##vfscanf, stream, (FILE * stream, const char* format, va_list values),            \
       (stream, format, values))                                                                                \
  SCAN(prefix##vscanf, prefix##vfscanf, stdin, (const char* format, va_list values), (stdin, format, values))   \
  SCAN(prefix##scanf, prefix##vfscanf, stdin, (const char* format, va_list values), (stdin, format, values))    \
  WIDE_SCAN(prefix##vfwscanf, prefix##vfwscanf, stream, (FILE * stream, const wchar_t* format, va_list values), \
            (stream, format, values))                                                                           \
  WIDE_SCAN(prefix##fwscanf, prefix##vfwscanf, stream, (FILE * stream, const wchar_t* format, va_list values),  \
            (stream, format, values))                                                                           \
  WIDE_SCAN(prefix##vwscanf, prefix##vfwscanf, stdin, (const wchar_t* format, va_list values),                  \
            (stdin, format, values))                                                                            \
  WIDE_SCAN(prefix##wscanf, prefix##vfwscanf, stdin, (const wchar_t* format, va_list values), (stdin, format, values))
#define WIDE_SCAN(id, real, stream, params, args)                         \
  static int id params {                                                  \
    return on_wide_scan(Fn::id, stream, [&] { return Next::real args; }); \
  }
  SCANS()
  SCANS(__isoc99_)
#if __GLIBC_PREREQ(2, 38)
  SCANS(__isoc23_)
#endif
#undef SCANS
#undef SCAN
#undef WIDE_SCAN

  // ---- wide characters
  static wint_t fgetwc(FILE* stream) {
    return on_wide(Fn::fgetwc, stream, [&] { return Next::fgetwc(stream); });
  }
  static wint_t fgetwc_unlocked(FILE* stream) {
    return on_wide(Fn::fgetwc_unlocked, stream, [&] { return Next::fgetwc_unlocked(stream); });
  }
  static wint_t getwchar() {
    return on_wide(Fn::getwchar, stdin, [] { return Next::getwchar(); });
  }
  static wint_t getwchar_unlocked() {
    return on_wide(Fn::getwchar_unlocked, stdin, [] { return Next::getwchar_unlocked(); });
  }
  static wint_t ungetwc(wint_t character, FILE* stream) {
    wint_t result = Next::ungetwc(character, stream);
    auto text = static_cast<wchar_t>(character);
    if (result != WEOF) stream_moved_by(stream, -bytes_of_wide(&text, 1));
    return result;
  }
  static wchar_t* fgetws(wchar_t* line, int capacity, FILE* stream) {
    return on_wide_line(Fn::fgetws, stream, [&] { return Next::fgetws(line, capacity, stream); });
  }
  static wchar_t* fgetws_unlocked(wchar_t* line, int capacity, FILE* stream) {
    return on_wide_line(Fn::fgetws_unlocked, stream, [&] { return Next::fgetws_unlocked(line, capacity, stream); });
  }
  static wchar_t* __fgetws_chk(wchar_t* line, size_t room, int capacity, FILE* stream) {
    return on_wide_line(Fn::__fgetws_chk, stream, [&] { return Next::__fgetws_chk(line, room, capacity, stream); });
  }
  static wchar_t* __fgetws_unlocked_chk(wchar_t* line, size_t room, int capacity, FILE* stream) {
    return on_wide_line(Fn::__fgetws_unlocked_chk, stream,
                        [&] { return Next::__fgetws_unlocked_chk(line, room, capacity, stream); });
  }

 private:
  template <typename Call>
  static HEADRACE_INLINE size_t on_items(Fn function, FILE* stream, size_t size, size_t count, Call call) {
    return stream_transfer<kRead>(
        function, stream, call,
        [&](size_t items, const StreamCall& facts) {
          // A last item that was cut short was taken out of the stream all the same.
          if (HEADRACE_LIKELY(items == count)) return static_cast<int64_t>(items * size);
          auto taken = static_cast<int64_t>(bytes_taken(facts));
          auto whole = static_cast<int64_t>(items * size);
          if (whole == 0 && taken <= 0) return nothing_read(facts);
          return taken > whole && taken - whole < static_cast<int64_t>(size) ? taken : whole;
        },
        size * count);
  }
  template <typename Call>
  static HEADRACE_INLINE int on_byte(Fn function, FILE* stream, Call call) {
    if (HEADRACE_LIKELY(can_wait<kRead>(function, stream))) return call();
    return byte_transfer<kRead>(function, function, stream, call, [](int byte, const StreamCall& facts) {
      return byte != EOF ? int64_t{1} : nothing_read(facts);
    });
  }
  template <typename Call>
  static int on_inlined_byte(Fn function, FILE* stream, Call call) {
    return byte_transfer<kRead>(function, kInlined, stream, call, [](int byte, const StreamCall& facts) {
      return byte != EOF ? int64_t{1} : nothing_read(facts);
    });
  }
  template <typename Call>
  static char* on_line(Fn function, FILE* stream, size_t dropped, Call call) {
    return stream_transfer<kRead>(function, stream, call, [&](char* line, const StreamCall& facts) {
      if (!line) return nothing_read(facts);
      // Text that ends in a newline is the line; any other may go on behind a NUL byte.
      uint64_t text = strlen(line) + dropped;
      if (text > 0 && (dropped || line[text - 1] == '\n')) return static_cast<int64_t>(text);
      uint64_t taken = bytes_taken(facts);
      return static_cast<int64_t>(taken > text ? taken : text);
    });
  }
  template <typename Call>
  static ssize_t on_length(Fn function, FILE* stream, Call call) {
    return stream_transfer<kRead>(function, stream, call, [&](ssize_t length, const StreamCall& facts) {
      return length >= 0 ? static_cast<int64_t>(length) : nothing_read(facts);
    });
  }
  template <typename Call>
  static int on_scan(Fn function, FILE* stream, Call call) {
    return stream_transfer<kRead>(function, stream, call, [&](int values, const StreamCall& facts) {
      auto taken = static_cast<int64_t>(bytes_taken(facts));
      return values == EOF && taken == 0 ? nothing_read(facts) : taken;
    });
  }
  template <typename Call>
  static int on_wide_scan(Fn function, FILE* stream, Call call) {
    int values = stream_transfer<kRead, true>(function, stream, call, [&](int result, const StreamCall& facts) {
      return result == EOF ? nothing_read(facts) : 0;
    });
    mark_lower_bound(stream);  // how many bytes the values were nobody tells
    return values;
  }
  template <typename Call>
  static wint_t on_wide(Fn function, FILE* stream, Call call) {
    return stream_transfer<kRead, true>(function, stream, call, [&](wint_t character, const StreamCall& facts) {
      auto text = static_cast<wchar_t>(character);
      return character != WEOF ? bytes_of_wide(&text, 1) : nothing_read(facts);
    });
  }
  template <typename Call>
  static wchar_t* on_wide_line(Fn function, FILE* stream, Call call) {
    return stream_transfer<kRead, true>(function, stream, call, [&](wchar_t* line, const StreamCall& facts) {
      return line ? bytes_of_wide(line, wcslen(line)) : nothing_read(facts);
    });
  }
};

}  // namespace headrace::capture

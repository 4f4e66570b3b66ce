// Hooks of the stream calls that write.
#pragma once
#include <wchar.h>

#include "capture/recorder/stream.h"
#include "intercept/functions_headers.h"

namespace headrace::capture {

template <class Next>
struct StreamWriteHooks : Next {
  // ---- items and text
  static HEADRACE_INLINE size_t fwrite(const void* buffer, size_t size, size_t count, FILE* stream) {
    return on_items(Fn::fwrite, stream, size, count, [&] { return Next::fwrite(buffer, size, count, stream); });
  }
  static HEADRACE_INLINE size_t fwrite_unlocked(const void* buffer, size_t size, size_t count, FILE* stream) {
    return on_items(Fn::fwrite_unlocked, stream, size, count,
                    [&] { return Next::fwrite_unlocked(buffer, size, count, stream); });
  }
  static int fputs(const char* text, FILE* stream) {
    return on_text(Fn::fputs, stream, text, 0, [&] { return Next::fputs(text, stream); });
  }
  static int fputs_unlocked(const char* text, FILE* stream) {
    return on_text(Fn::fputs_unlocked, stream, text, 0, [&] { return Next::fputs_unlocked(text, stream); });
  }
  static int puts(const char* text) {
    return on_text(Fn::puts, stdout, text, 1, [&] { return Next::puts(text); });
  }
  static int putw(int word, FILE* stream) {
    return stream_transfer<kWrite>(
        Fn::putw, stream, [&] { return Next::putw(word, stream); },
        [](int result, const StreamCall&) { return result == 0 ? static_cast<int64_t>(sizeof(int)) : -1; });
  }

  // ---- bytes
  static HEADRACE_INLINE int fputc(int byte, FILE* stream) {
    return on_byte(Fn::fputc, stream, [=] { return Next::fputc(byte, stream); });
  }
  static HEADRACE_INLINE int fputc_unlocked(int byte, FILE* stream) {
    return on_byte(Fn::fputc_unlocked, stream, [=] { return Next::fputc_unlocked(byte, stream); });
  }
  static int putchar(int byte) {
    return on_byte(Fn::putchar, stdout, [=] { return Next::putchar(byte); });
  }
  static int putchar_unlocked(int byte) {
    return on_byte(Fn::putchar_unlocked, stdout, [=] { return Next::putchar_unlocked(byte); });
  }
  static int __overflow(FILE* stream, int byte) {
    if (byte == EOF) return Next::__overflow(stream, byte);  // a flush, not a byte
    return byte_transfer<kWrite>(
        Fn::__overflow, kInlined, stream, [=] { return Next::__overflow(stream, byte); }, byte_written);
  }

  // ---- formatted text
  static int vfprintf(FILE* stream, const char* format, va_list values) {
    return on_print(Fn::vfprintf, stream, [&] { return Next::vfprintf(stream, format, values); });
  }
  static int fprintf(FILE* stream, const char* format, va_list values) {
    return on_print(Fn::fprintf, stream, [&] { return Next::vfprintf(stream, format, values); });
  }
  static int vprintf(const char* format, va_list values) {
    return on_print(Fn::vprintf, stdout, [&] { return Next::vprintf(format, values); });
  }
  static int printf(const char* format, va_list values) {
    return on_print(Fn::printf, stdout, [&] { return Next::vprintf(format, values); });
  }
  static int __vfprintf_chk(FILE* stream, int flag, const char* format, va_list values) {
    return on_print(Fn::__vfprintf_chk, stream, [&] { return Next::__vfprintf_chk(stream, flag, format, values); });
  }
  static int __fprintf_chk(FILE* stream, int flag, const char* format, va_list values) {
    return on_print(Fn::__fprintf_chk, stream, [&] { return Next::__vfprintf_chk(stream, flag, format, values); });
  }
  static int __vprintf_chk(int flag, const char* format, va_list values) {
    return on_print(Fn::__vprintf_chk, stdout, [&] { return Next::__vprintf_chk(flag, format, values); });
  }
  static int __printf_chk(int flag, const char* format, va_list values) {
    return on_print(Fn::__printf_chk, stdout, [&] { return Next::__vprintf_chk(flag, format, values); });
  }
  static int vfwprintf(FILE* stream, const wchar_t* format, va_list values) {
    return on_wide_print(Fn::vfwprintf, stream, [&] { return Next::vfwprintf(stream, format, values); });
  }
  static int fwprintf(FILE* stream, const wchar_t* format, va_list values) {
    return on_wide_print(Fn::fwprintf, stream, [&] { return Next::vfwprintf(stream, format, values); });
  }
  static int vwprintf(const wchar_t* format, va_list values) {
    return on_wide_print(Fn::vwprintf, stdout, [&] { return Next::vwprintf(format, values); });
  }
  static int wprintf(const wchar_t* format, va_list values) {
    return on_wide_print(Fn::wprintf, stdout, [&] { return Next::vwprintf(format, values); });
  }
  static int __vfwprintf_chk(FILE* stream, int flag, const wchar_t* format, va_list values) {
    return on_wide_print(Fn::__vfwprintf_chk, stream,
                         [&] { return Next::__vfwprintf_chk(stream, flag, format, values); });
  }
  static int __fwprintf_chk(FILE* stream, int flag, const wchar_t* format, va_list values) {
    return on_wide_print(Fn::__fwprintf_chk, stream,
                         [&] { return Next::__vfwprintf_chk(stream, flag, format, values); });
  }
  static int __vwprintf_chk(int flag, const wchar_t* format, va_list values) {
    return on_wide_print(Fn::__vwprintf_chk, stdout, [&] { return Next::__vwprintf_chk(flag, format, values); });
  }
  static int __wprintf_chk(int flag, const wchar_t* format, va_list values) {
    return on_wide_print(Fn::__wprintf_chk, stdout, [&] { return Next::__vwprintf_chk(flag, format, values); });
  }

  // ---- wide characters
  static wint_t fputwc(wchar_t character, FILE* stream) {
    return on_wide(Fn::fputwc, stream, character, [&] { return Next::fputwc(character, stream); });
  }
  static wint_t fputwc_unlocked(wchar_t character, FILE* stream) {
    return on_wide(Fn::fputwc_unlocked, stream, character, [&] { return Next::fputwc_unlocked(character, stream); });
  }
  static wint_t putwchar(wchar_t character) {
    return on_wide(Fn::putwchar, stdout, character, [&] { return Next::putwchar(character); });
  }
  static wint_t putwchar_unlocked(wchar_t character) {
    return on_wide(Fn::putwchar_unlocked, stdout, character, [&] { return Next::putwchar_unlocked(character); });
  }
  static int fputws(const wchar_t* text, FILE* stream) {
    return on_wide_text(Fn::fputws, stream, text, [&] { return Next::fputws(text, stream); });
  }
  static int fputws_unlocked(const wchar_t* text, FILE* stream) {
    return on_wide_text(Fn::fputws_unlocked, stream, text, [&] { return Next::fputws_unlocked(text, stream); });
  }

 private:
  template <typename Call>
  static HEADRACE_INLINE size_t on_items(Fn function, FILE* stream, size_t size, size_t count, Call call) {
    return stream_transfer<kWrite>(
        function, stream, call,
        [&](size_t items, const StreamCall&) {
          return HEADRACE_LIKELY(items != 0) || count == 0 || size == 0 ? static_cast<int64_t>(items * size) : -1;
        },
        size * count);
  }
  static int64_t byte_written(int result, const StreamCall&) { return result != EOF ? 1 : -1; }
  template <typename Call>
  static HEADRACE_INLINE int on_byte(Fn function, FILE* stream, Call call) {
    if (HEADRACE_LIKELY(can_wait<kWrite>(function, stream))) return call();
    return byte_transfer<kWrite>(function, function, stream, call, byte_written);
  }
  template <typename Call>
  static int on_text(Fn function, FILE* stream, const char* text, size_t more, Call call) {
    return stream_transfer<kWrite>(function, stream, call, [&](int result, const StreamCall&) {
      return result != EOF ? static_cast<int64_t>(strlen(text) + more) : -1;
    });
  }
  template <typename Call>
  static int on_print(Fn function, FILE* stream, Call call) {
    return stream_transfer<kWrite>(function, stream, call,
                                   [](int result, const StreamCall&) { return static_cast<int64_t>(result); });
  }
  /// The result is in characters: bytes at least, exactly so in a locale of one byte a character.
  template <typename Call>
  static int on_wide_print(Fn function, FILE* stream, Call call) {
    int characters = stream_transfer<kWrite, true>(
        function, stream, call, [](int result, const StreamCall&) { return static_cast<int64_t>(result); });
    if (MB_CUR_MAX != 1) mark_lower_bound(stream);
    return characters;
  }
  template <typename Call>
  static wint_t on_wide(Fn function, FILE* stream, wchar_t character, Call call) {
    return stream_transfer<kWrite, true>(function, stream, call, [&](wint_t result, const StreamCall&) {
      return result != WEOF ? bytes_of_wide(&character, 1) : -1;
    });
  }
  template <typename Call>
  static int on_wide_text(Fn function, FILE* stream, const wchar_t* text, Call call) {
    return stream_transfer<kWrite, true>(function, stream, call, [&](int result, const StreamCall&) {
      return result >= 0 ? bytes_of_wide(text, wcslen(text)) : -1;
    });
  }
};

}  // namespace headrace::capture

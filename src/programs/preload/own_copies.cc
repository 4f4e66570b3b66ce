// The library's own functions that copy and fill memory; hidden, so that nobody else's are called.
//
// The runtime of ThreadSanitizer has functions of these names, which watch. The recorder's locks are its own: what its
// threads write under them would be races there, and the program would end with another status.
#include <stddef.h>
#include <stdint.h>

#include "base/start_code.h"

#define HEADRACE_OWN extern "C" HEADRACE_AT_START __attribute__((visibility("hidden"), used))

namespace {

struct Block {
  uint64_t words[2];
} __attribute__((packed, may_alias));

constexpr size_t kLarge = 512;  // from here on the processor's own loop is quicker

/// Whole blocks and then bytes, upwards: the ranges may overlap if `to` is the lower one.
HEADRACE_AT_START void copy_up(char* to, const char* from, size_t size) {
#if defined(__x86_64__)
  if (size >= kLarge) {
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
    return;
  }
#endif
  for (; size >= sizeof(Block); size -= sizeof(Block), to += sizeof(Block), from += sizeof(Block)) {
    const Block block = *reinterpret_cast<const Block*>(from);
    *reinterpret_cast<Block*>(to) = block;
  }
  for (; size > 0; --size) *to++ = *from++;
}

size_t length_of(const char* text, size_t most) {
  size_t length = 0;
  while (length < most && text[length] != '\0') ++length;
  return length;
}

}  // namespace

HEADRACE_OWN void* memcpy(void* __restrict to, const void* __restrict from, size_t size) noexcept {
  copy_up(static_cast<char*>(to), static_cast<const char*>(from), size);
  return to;
}

HEADRACE_OWN void* mempcpy(void* __restrict to, const void* __restrict from, size_t size) noexcept {
  return static_cast<char*>(memcpy(to, from, size)) + size;
}

HEADRACE_OWN void* memmove(void* to, const void* from, size_t size) noexcept {
  char* out = static_cast<char*>(to);
  const char* in = static_cast<const char*>(from);
  if (reinterpret_cast<uintptr_t>(out) - reinterpret_cast<uintptr_t>(in) >= size) {
    copy_up(out, in, size);
  } else {
    while (size-- > 0) out[size] = in[size];
  }
  return to;
}

HEADRACE_OWN void* memset(void* to, int byte, size_t size) noexcept {
  char* out = static_cast<char*>(to);
#if defined(__x86_64__)
  if (size >= kLarge) {
    __asm__ volatile("rep stosb" : "+D"(out), "+c"(size) : "a"(byte) : "memory");
    return to;
  }
#endif
  const uint64_t word = uint64_t{0x0101010101010101} * static_cast<unsigned char>(byte);
  for (; size >= sizeof(Block); size -= sizeof(Block), out += sizeof(Block))
    *reinterpret_cast<Block*>(out) = {{word, word}};
  for (; size > 0; --size) *out++ = static_cast<char>(byte);
  return to;
}

HEADRACE_OWN char* strcpy(char* __restrict to, const char* __restrict from) noexcept {
  copy_up(to, from, length_of(from, SIZE_MAX) + 1);
  return to;
}

HEADRACE_OWN char* strcat(char* __restrict to, const char* __restrict from) noexcept {
  strcpy(to + length_of(to, SIZE_MAX), from);
  return to;
}

HEADRACE_OWN char* strncpy(char* __restrict to, const char* __restrict from, size_t size) noexcept {
  const size_t length = length_of(from, size);
  copy_up(to, from, length);
  memset(to + length, 0, size - length);
  return to;
}

// The C++ memory of this library, which is not the program's: a handler of a signal that interrupted malloc() may use
// forwarded files, and a malloc() in there would wait for the one that it interrupted, for ever. Signals are blocked
// wherever this is called (inside.h), so that nothing interrupts it.
#include "programs/forward/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>

namespace headrace::forward::program {
namespace {

constexpr size_t kHeader = 16;  // in front of each piece: its size, header included
constexpr size_t kSmallest = 32, kChunk = 1 << 18;
constexpr unsigned kClasses = 12;  // each twice the one before; larger ones are maps of their own
constexpr size_t kLargest = kSmallest << (kClasses - 1);

struct Piece {
  size_t size;
  Piece* next;  // while it is free
};

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
Piece* free_pieces[kClasses];
char *chunk, *chunk_end;

void* map(size_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // As where operator new has no handler: there are no exceptions here.
  if (memory == MAP_FAILED) abort();
  return memory;
}

unsigned class_of(size_t size) {
  unsigned number = 0;
  while (kSmallest << number < size) ++number;
  return number;
}

Piece* take(unsigned number) {
  if (Piece* piece = free_pieces[number]; piece != nullptr) {
    free_pieces[number] = piece->next;
    return piece;
  }
  const size_t size = kSmallest << number;
  if (static_cast<size_t>(chunk_end - chunk) < size) {
    chunk = static_cast<char*>(map(kChunk));
    chunk_end = chunk + kChunk;
  }
  auto* piece = reinterpret_cast<Piece*>(chunk);
  chunk += size;
  return piece;
}

void* allocate(size_t wanted) {
  if (wanted > PTRDIFF_MAX - kHeader) abort();
  const size_t size = wanted + kHeader;
  Piece* piece;
  if (size > kLargest) {
    piece = static_cast<Piece*>(map(size));
    piece->size = size;
  } else {
    const unsigned number = class_of(size);
    pthread_mutex_lock(&mutex);
    piece = take(number);
    pthread_mutex_unlock(&mutex);
    piece->size = kSmallest << number;
  }
  return reinterpret_cast<char*>(piece) + kHeader;
}

void release(void* memory) {
  if (memory == nullptr) return;
  auto* piece = reinterpret_cast<Piece*>(static_cast<char*>(memory) - kHeader);
  if (piece->size > kLargest) {
    munmap(piece, piece->size);
    return;
  }
  const unsigned number = class_of(piece->size);
  pthread_mutex_lock(&mutex);
  piece->next = free_pieces[number];
  free_pieces[number] = piece;
  pthread_mutex_unlock(&mutex);
}

}  // namespace

void prepare_memory() {
  pthread_atfork([] { pthread_mutex_lock(&mutex); }, [] { pthread_mutex_unlock(&mutex); },
                 [] { pthread_mutex_unlock(&mutex); });
}

}  // namespace headrace::forward::program

void* operator new(size_t size) { return headrace::forward::program::allocate(size); }
void* operator new[](size_t size) { return headrace::forward::program::allocate(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return headrace::forward::program::allocate(size); }
void operator delete(void* memory) noexcept { headrace::forward::program::release(memory); }
void operator delete[](void* memory) noexcept { headrace::forward::program::release(memory); }
void operator delete(void* memory, size_t) noexcept { headrace::forward::program::release(memory); }
void operator delete[](void* memory, size_t) noexcept { headrace::forward::program::release(memory); }

// Go's runtime, allocators and sanitizers take the word behind the environment's null for the start of the auxiliary
// vector, and Go reads its variables from there as well. So entries that go must leave no gap behind that null, and
// none before it. Nothing else can move: the C library and the loader hold pointers to all three parts.
//
// The vector consists of pairs of words, and one kind of pair is to be ignored: an even number of free words is filled
// with such pairs. Whoever adds variables therefore adds an even number (job_variables.h). Where somebody else dropped
// one on the way, the last entry that is kept stands twice, and `environ` becomes a copy without that, with a copy of
// the vector behind it: only a program that does not ask the C library sees an entry twice.
#include "capture/recorder/start_block.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "base/kernel.h"
#include "base/start_code.h"

namespace headrace::capture {
namespace {

constexpr size_t kMostPairs = 256;  // of an auxiliary vector: what has more is none

template <typename T>
void store(void* place, T value) {
  __atomic_store_n(static_cast<T*>(place), value, __ATOMIC_RELAXED);
}

struct Compacted {
  size_t kept, freed;  // entries
};

/// Moves what is kept to the front; the rest of the array stays as it was, the null at its end as well.
HEADRACE_AT_START Compacted compact(char** entries, bool (*keep)(char* entry)) {
  size_t kept = 0, count = 0;
  for (; entries[count]; ++count)
    if (keep(entries[count])) store(&entries[kept++], entries[count]);
  return {kept, count - kept};
}

/// Ends the array after `kept` entries. The null comes first: a thread that walks there meanwhile then meets pointers
/// where it looks for types, which are no types, and never a vector's end.
HEADRACE_AT_START void end_after(char** entries, size_t kept, size_t freed) {
  store(&entries[kept], static_cast<char*>(nullptr));
  for (size_t i = 1; i + 1 <= freed; i += 2) {
    store(&entries[kept + i], reinterpret_cast<char*>(uintptr_t{AT_IGNORE}));
    store(&entries[kept + i + 1], static_cast<char*>(nullptr));
  }
}

/// The entries and the vector that lies at `vector`, in memory of their own; null where there is none for them.
char** copy_of(char** entries, size_t count, const uintptr_t* vector) {
  size_t pairs = 0;
  while (vector[2 * pairs] != AT_NULL && pairs < kMostPairs) ++pairs;
  const size_t words = count + 1 + (pairs == kMostPairs ? 0 : 2 * (pairs + 1));
  auto** copy = static_cast<char**>(base::map_anonymous(words * sizeof(char*)));
  if (!copy) return nullptr;
  memcpy(copy, entries, count * sizeof(char*));
  memcpy(copy + count + 1, vector, (words - count - 1) * sizeof(char*));
  return copy;
}

HEADRACE_AT_START void take_out_of_kernels(char** entries, bool (*keep)(char* entry)) {
  const auto [kept, freed] = compact(entries, keep);
  if (freed == 0) return;
  if (freed % 2 == 0) return end_after(entries, kept, freed);
  static char nothing[] = "";
  if (environ == entries) {
    const auto* vector = reinterpret_cast<const uintptr_t*>(entries + kept + freed + 1);
    if (char** copy = copy_of(entries, kept, vector)) environ = copy;
  }
  store(&entries[kept], kept ? entries[kept - 1] : nothing);
  end_after(entries, kept + 1, freed - 1);
}

}  // namespace

HEADRACE_AT_START void take_out(int argument_count, char** arguments, bool (*keep)(char* entry)) {
  char** of_kernel = arguments ? arguments + argument_count + 1 : nullptr;
  if (of_kernel) take_out_of_kernels(of_kernel, keep);
  if (!environ || environ == of_kernel) return;
  const auto [kept, freed] = compact(environ, keep);  // of the C library, where a constructor before ours changed it
  if (freed) store(&environ[kept], static_cast<char*>(nullptr));
}

}  // namespace headrace::capture

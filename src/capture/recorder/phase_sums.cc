#include "capture/recorder/phase_sums.h"

#include "base/start_code.h"
#include "capture/recorder/fold.h"
#include "intercept/library_functions.h"

namespace headrace::capture {
namespace {

// Functions by number, those of libraries behind the others.
constexpr uint32_t kFunctions = kMostFunctions;
HEADRACE_LARGE FunctionSum sums[kFunctions];
HEADRACE_LARGE uint16_t used[kFunctions];  // those with sums, in the order in which they were met
uint32_t used_count;
HEADRACE_LARGE uint64_t sizes[kSystemLayers][2][kFineSizes];
bool has_sizes[kSystemLayers][2];
bool were_read;  // most processes never do, and need not touch this memory

uint32_t place_of(uint16_t function) {
  const uint32_t number = function & ~kLibraryFunction;
  const uint32_t place = function & kLibraryFunction ? kMaximumFunctions + number : number;
  return place < kFunctions ? place : 0;
}

template <typename From>
void add(FunctionSum& to, const From& from, uint64_t sign) {
  to.calls += sign * from.calls;
  to.errors += sign * from.errors;
  to.bytes += sign * from.bytes;
  to.time += sign * from.time;
  to.inside += sign * from.inside;
}

FunctionSum& sum_of(uint16_t function, uint8_t direction) {
  const uint32_t place = place_of(function);
  FunctionSum& sum = sums[place];
  if (!sum.listed) {
    sum.listed = 1;
    sum.function = function;
    sum.direction = direction;
    used[used_count++] = static_cast<uint16_t>(place);
  }
  return sum;
}

void forget_sums() {
  for (uint32_t i = 0; i < used_count; ++i) sums[used[i]] = FunctionSum{};
  used_count = 0;
  for (uint32_t l = 0; l < kSystemLayers; ++l) {
    for (uint32_t d = 0; d < 2; ++d) {
      if (has_sizes[l][d]) __builtin_memset(sizes[l][d], 0, sizeof sizes[l][d]);
      has_sizes[l][d] = false;
    }
  }
}

void change_by_kept(const OpenPhase& phase, uint64_t sign) {
  for (uint32_t at_block = phase.functions; at_block;) {
    const auto* block_of_sums = at<FunctionSums>(at_block);
    for (uint32_t i = 0; i < block_of_sums->rows; ++i) {
      const FunctionSum& kept = block_of_sums->of[i];
      add(sum_of(kept.function, kept.direction), kept, sign);
    }
    at_block = block_of_sums->next;
  }
  for (uint32_t l = 0; l < kSystemLayers; ++l) {
    for (uint32_t d = 0; d < 2; ++d) {
      if (!phase.sizes[l][d]) continue;
      has_sizes[l][d] = true;
      const auto* kept = at<FineSizes>(phase.sizes[l][d]);
      for (uint32_t i = 0; i < kFineSizes; ++i) sizes[l][d][i] += sign * kept->count[i];
    }
  }
}

bool same(const FunctionSum& a, const FunctionSum& b) { return a.function == b.function; }
bool same(const SizeSum& a, const SizeSum& b) {
  return a.bin == b.bin && a.layer == b.layer && a.direction == b.direction;
}

/// The row of a chain that is for the same as `empty`, which is added where there is none. Null: no memory.
template <typename Block, typename Row>
Row* row_of(uint32_t* chain, const Row& empty) {
  uint32_t* link = chain;
  while (*link) {
    auto* rows = at<Block>(*link);
    for (uint32_t i = 0; i < rows->rows; ++i)
      if (same(rows->of[i], empty)) return &rows->of[i];
    if (rows->rows < Block::kRows) break;
    link = &rows->next;
  }
  if (!*link && !(*link = allocate_or_fold(sizeof(Block)))) return nullptr;
  auto* rows = at<Block>(*link);
  Row* row = &rows->of[rows->rows];
  *row = empty;
  rows->rows++;
  return row;
}

template <typename Block>
uint32_t bytes_of_chain(uint32_t chain) {
  uint32_t bytes = 0;
  for (; chain; chain = at<Block>(chain)->next) bytes += sizeof(Block);
  return bytes;
}

template <typename Block>
void release_chain(uint32_t chain) {
  while (chain) {
    const uint32_t next = at<Block>(chain)->next;
    release(chain, sizeof(Block));
    chain = next;
  }
}

}  // namespace

void read_process_sums() {
  were_read = true;
  forget_sums();
  for (uint32_t thread = spool.header->first_thread; thread;) {
    const auto* b = at<ThreadBlock>(thread);
    for (uint32_t p = __atomic_load_n(&b->used_profiles, __ATOMIC_ACQUIRE); p;) {
      const auto* profile = at<Profile>(p);
      if (profile->calls | profile->errors) add(sum_of(profile->function, profile->direction), *profile, 1);
      p = profile->next;
    }
    for (uint32_t l = 0; l < kSystemLayers; ++l) {
      for (uint32_t d = 0; d < 2; ++d) {
        if (!b->sizes[l][d].bins) continue;
        has_sizes[l][d] = true;
        const auto* bins = at<FineSizes>(b->sizes[l][d].bins);
        for (uint32_t i = 0; i < kFineSizes; ++i) sizes[l][d][i] += bins->count[i];
      }
    }
    thread = b->next;
  }
}

bool keep_function_sums(uint32_t* chain) {
  uint32_t done = 0;
  uint32_t* link = chain;
  while (done < used_count || *link) {  // blocks of an earlier use that are not needed now are emptied
    if (!*link && !(*link = allocate_or_fold(sizeof(FunctionSums)))) return false;
    auto* rows = at<FunctionSums>(*link);
    rows->rows = 0;
    for (; rows->rows < FunctionSums::kRows && done < used_count; ++done) rows->of[rows->rows++] = sums[used[done]];
    link = &rows->next;
  }
  return true;
}

uint32_t copy_function_sums(uint32_t chain, FunctionSum* out) {
  uint32_t count = 0;
  for (; chain; chain = at<FunctionSums>(chain)->next) {
    const auto* rows = at<FunctionSums>(chain);
    for (uint32_t i = 0; i < rows->rows && count < kFunctions; ++i) out[count++] = rows->of[i];
  }
  return count;
}

uint32_t copy_read_sums(FunctionSum* out) {
  for (uint32_t i = 0; i < used_count; ++i) out[i] = sums[used[i]];
  return used_count;
}

bool keep_process_sums(OpenPhase& phase) {
  bool whole = keep_function_sums(&phase.functions);
  for (uint32_t l = 0; l < kSystemLayers; ++l) {
    for (uint32_t d = 0; d < 2; ++d) {
      uint32_t& kept = phase.sizes[l][d];
      if (!kept && has_sizes[l][d] && !(kept = allocate_or_fold(sizeof(FineSizes)))) whole = false;
      if (kept) __builtin_memcpy(at<FineSizes>(kept)->count, sizes[l][d], sizeof sizes[l][d]);
    }
  }
  return whole;
}

void subtract_kept_sums(const OpenPhase& phase) { change_by_kept(phase, ~uint64_t{0}); }
void add_kept_sums(const OpenPhase& phase) { change_by_kept(phase, 1); }

bool add_sums(uint32_t* functions, uint32_t* size_sums) {
  bool whole = true;
  for (uint32_t i = 0; i < used_count; ++i) {
    const FunctionSum& sum = sums[used[i]];
    if (sum.calls == 0 && sum.errors == 0) continue;
    FunctionSum* row = row_of<FunctionSums>(functions, FunctionSum{0, 0, 0, 0, 0, sum.function, sum.direction, 0, {}});
    if (row)
      add(*row, sum, 1);
    else
      whole = false;
  }
  for (uint32_t l = 0; l < kSystemLayers; ++l) {
    for (uint32_t d = 0; d < 2; ++d) {
      for (uint32_t bin = 0; has_sizes[l][d] && bin < kFineSizes; ++bin) {
        if (sizes[l][d][bin] == 0) continue;
        SizeSum* row = row_of<SizeSums>(
            size_sums, SizeSum{0, static_cast<uint16_t>(bin), static_cast<uint8_t>(l), static_cast<uint8_t>(d), 0});
        if (row)
          row->count += sizes[l][d][bin];
        else
          whole = false;
      }
    }
  }
  return whole;
}

HEADRACE_AT_START void reset_sums() {
  if (!were_read) return;
  __builtin_memset(static_cast<void*>(sums), 0, sizeof sums);
  __builtin_memset(sizes, 0, sizeof sizes);
  __builtin_memset(has_sizes, 0, sizeof has_sizes);
  used_count = 0;
}

uint32_t bytes_of_function_sums(uint32_t chain) { return bytes_of_chain<FunctionSums>(chain); }
uint32_t bytes_of_size_sums(uint32_t chain) { return bytes_of_chain<SizeSums>(chain); }
void release_function_sums(uint32_t chain) { release_chain<FunctionSums>(chain); }
void release_size_sums(uint32_t chain) { release_chain<SizeSums>(chain); }

}  // namespace headrace::capture

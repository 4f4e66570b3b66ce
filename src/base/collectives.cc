#include "base/collectives.h"

#include <bit>
#include <cstring>

namespace headrace::base {
namespace {

Bytes bytes_of(std::span<const uint64_t> values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size_bytes()};
}

/// Receives as many values as `values` has.
Status receive_values(Communicator& ranks, int from, std::span<uint64_t> values) {
  std::vector<uint8_t> in;
  HEADRACE_TRY(ranks.exchange(kNobody, {}, from, &in));
  if (in.size() != values.size_bytes()) return {Code::kCorrupt, "rank " + std::to_string(from) + " sent too little"};
  if (!in.empty()) std::memcpy(values.data(), in.data(), in.size());
  return {};
}

}  // namespace

int butterfly_size(int size) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(size))); }

Status broadcast(Communicator& ranks, std::vector<uint8_t>* bytes) {
  const int rank = ranks.rank(), size = ranks.size();
  int step = 1;
  // A rank hears from the one that differs in its highest bit, then tells those above it.
  for (; step <= rank; step *= 2) {
    if (rank < 2 * step) HEADRACE_TRY(ranks.exchange(kNobody, {}, rank - step, bytes));
  }
  for (; step < size; step *= 2) {
    if (rank + step < size) HEADRACE_TRY(ranks.exchange(rank + step, *bytes, kNobody, nullptr));
  }
  return {};
}

Status all_reduce(Communicator& ranks, std::span<uint64_t> values,
                  const std::function<uint64_t(uint64_t, uint64_t)>& combine) {
  return all_reduce(ranks, values, [&](std::span<uint64_t> into, std::span<const uint64_t> other) {
    for (size_t i = 0; i < into.size(); ++i) into[i] = combine(into[i], other[i]);
  });
}

Status all_reduce(Communicator& ranks, std::span<uint64_t> values,
                  const std::function<void(std::span<uint64_t>, std::span<const uint64_t>)>& add) {
  const int rank = ranks.rank(), size = ranks.size();
  std::vector<uint64_t> other(values.size());
  for (int step = 1; step < size; step *= 2) {
    if (rank & step) {
      HEADRACE_TRY(ranks.exchange(rank - step, bytes_of(values), kNobody, nullptr));
      break;
    }
    if (rank + step >= size) continue;
    HEADRACE_TRY(receive_values(ranks, rank + step, other));
    add(values, other);
  }
  std::vector<uint8_t> result;
  if (rank == 0) result.assign(bytes_of(values).begin(), bytes_of(values).end());
  HEADRACE_TRY(broadcast(ranks, &result));
  if (result.size() != values.size_bytes()) return {Code::kCorrupt, "the ranks do not reduce the same values"};
  if (!result.empty()) std::memcpy(values.data(), result.data(), result.size());
  return {};
}

Status gather(Communicator& ranks, std::vector<uint8_t>* bytes) {
  const int rank = ranks.rank(), size = ranks.size();
  for (int step = 1; step < size; step *= 2) {
    if (rank & step) {
      HEADRACE_TRY(ranks.exchange(rank - step, *bytes, kNobody, nullptr));
      bytes->clear();
      return {};
    }
    if (rank + step >= size) continue;
    std::vector<uint8_t> other;
    HEADRACE_TRY(ranks.exchange(kNobody, {}, rank + step, &other));
    bytes->insert(bytes->end(), other.begin(), other.end());
  }
  return {};
}

Result<uint64_t> exclusive_sum(Communicator& ranks, uint64_t value) {
  const int rank = ranks.rank(), size = ranks.size();
  uint64_t through = value;  // of this rank and of those `step` - 1 before it
  for (int step = 1; step < size; step *= 2) {
    const int to = rank + step < size ? rank + step : kNobody, from = rank >= step ? rank - step : kNobody;
    std::vector<uint8_t> in;
    HEADRACE_TRY(ranks.exchange(to, bytes_of({&through, 1}), from, &in));
    if (from == kNobody) continue;
    if (in.size() != sizeof through) return Status(Code::kCorrupt, "a rank sent no sum");
    through += load<uint64_t>(in.data());
  }
  return through - value;
}

Status agree(Communicator& ranks, Status mine) {
  uint64_t failed = mine.ok() ? 0 : 1;
  HEADRACE_TRY(all_reduce(ranks, {&failed, 1}, [](uint64_t a, uint64_t b) { return a + b; }));
  if (failed == 0 || !mine.ok()) return mine;
  return {Code::kIo, std::to_string(failed) + (failed == 1 ? " other rank" : " other ranks") + " could not go on"};
}

}  // namespace headrace::base

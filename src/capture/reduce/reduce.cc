#include "capture/reduce/reduce.h"

#include "base/collectives.h"
#include "capture/harvest/untold_calls.h"
#include "capture/reduce/join_parts.h"

namespace headrace::capture {
namespace {

using base::Communicator;
using base::kNobody;
using base::Result;
using base::Status;

constexpr int kRanksAWriter = 64;

uint64_t plus(uint64_t a, uint64_t b) { return a + b; }

/// What is of the whole program and of no rank.
Status add_program(Communicator& ranks, RankPart& part) {
  uint64_t untold[] = {part.contents().excluded_other, part.contents().child_other};
  uint64_t start[] = {part.process().start_at_ns};
  HEADRACE_TRY(base::all_reduce(ranks, untold, plus));
  HEADRACE_TRY(base::all_reduce(ranks, start, [](uint64_t a, uint64_t b) { return a < b ? a : b; }));
  if (ranks.rank() != 0) return {};
  add_untold_calls(part.tables(), untold[0], untold[1]);
  model::Process all;
  all.id = stand_in(part.process().instance);
  all.ranks = static_cast<uint64_t>(ranks.size());
  all.instance = part.process().instance;
  all.executable = part.process().executable;
  all.start_at_ns = start[0];
  all.captured = true;
  part.tables().add_process(all);
  return {};
}

/// Hands the parts of 64 ranks to the first of them.
Result<std::vector<uint8_t>> gather(Communicator& ranks, std::vector<uint8_t> mine, uint64_t job) {
  const int rank = ranks.rank(), writer = rank - rank % kRanksAWriter;
  if (rank != writer) {
    HEADRACE_TRY(ranks.exchange(writer, mine, kNobody, nullptr));
    return std::vector<uint8_t>();
  }
  PartJoiner joiner(job, static_cast<uint32_t>(rank));
  HEADRACE_TRY(joiner.add(std::move(mine)));
  for (int other = rank + 1; other < rank + kRanksAWriter && other < ranks.size(); ++other) {
    std::vector<uint8_t> part;
    HEADRACE_TRY(ranks.exchange(kNobody, {}, other, &part));
    HEADRACE_TRY(joiner.add(std::move(part)));
  }
  return joiner.finish();
}

}  // namespace

Result<std::vector<uint8_t>> reduce_ranks(Communicator& ranks, RankSource& source, ReduceSettings settings) {
  uint64_t job = ranks.rank() == 0 ? settings.job : 0;
  HEADRACE_TRY(base::all_reduce(ranks, {&job, 1}, plus));
  RankPart part(source, settings.mounts);
  auto keys = part.keys();
  HEADRACE_TRY(base::agree(ranks, keys.status()));
  HEADRACE_ASSIGN(const std::vector<uint8_t> shared, shared_with_others(ranks, *keys));
  auto given = part.divide(shared, ranks.size());
  HEADRACE_TRY(base::agree(ranks, given.status()));
  HEADRACE_ASSIGN(const Parcels owned, bring_to_owners(ranks, std::move(*given)));
  const Status added = part.add_owned(owned);
  HEADRACE_TRY(add_program(ranks, part));
  auto mine = added.ok() ? write_part(part.tables(), job, static_cast<uint32_t>(ranks.rank()))
                         : Result<std::vector<uint8_t>>(added);
  HEADRACE_TRY(base::agree(ranks, mine.status()));
  auto joined = gather(ranks, std::move(*mine), job);
  HEADRACE_TRY(base::agree(ranks, joined.status()));
  return joined;
}

Status store_parts(Communicator& ranks, const std::vector<uint8_t>& part, PartStore& store) {
  HEADRACE_ASSIGN(const uint64_t before, base::exclusive_sum(ranks, part.size()));
  uint64_t room[] = {part.size()};
  HEADRACE_TRY(base::all_reduce(ranks, room, plus));
  Status status;
  uint64_t place = 0;
  if (ranks.rank() == 0) {
    auto begun = store.begin(room[0]);
    status = begun.status();
    if (begun.ok()) place = *begun;
  }
  const bool begun = ranks.rank() == 0 && status.ok();
  HEADRACE_TRY(base::agree(ranks, status));
  HEADRACE_TRY(base::all_reduce(ranks, {&place, 1}, plus));
  if (!part.empty()) status = store.write(place + before, part);
  status = base::agree(ranks, status);
  if (begun) {
    const Status ended = store.end(status.ok());
    if (status.ok()) status = ended;
  }
  return base::agree(ranks, status);
}

}  // namespace headrace::capture

#include "capture/reduce/reduce.h"

#include "base/collectives.h"
#include "capture/harvest/shared_log.h"
#include "capture/harvest/untold_calls.h"
#include "capture/reduce/join_parts.h"
#include "capture/reduce/standing_sums.h"

namespace headrace::capture {
namespace {

using base::Communicator;
using base::kNobody;
using base::Result;
using base::Status;

constexpr int kRanksAWriter = 64;

uint64_t plus(uint64_t a, uint64_t b) { return a + b; }

}  // namespace

Result<uint64_t> Reduction::count_shared() {
  auto keys = part_.keys();
  HEADRACE_TRY(base::agree(ranks_, keys.status()));
  HEADRACE_ASSIGN(shared_, shared_with_others(ranks_, *keys));
  uint64_t rows = 0;
  for (uint8_t each : shared_) rows += each;
  HEADRACE_TRY(base::all_reduce(ranks_, {&rows, 1}, plus));
  return rows;
}

/// Adds what is of the whole program and of no rank.
Status Reduction::add_program() {
  uint64_t untold = part_.contents().excluded_other;
  uint64_t start = part_.process().start_at_ns;
  HEADRACE_TRY(base::all_reduce(ranks_, {&untold, 1}, plus));
  HEADRACE_TRY(base::all_reduce(ranks_, {&start, 1}, [](uint64_t a, uint64_t b) { return a < b ? a : b; }));
  if (ranks_.rank() != 0) return {};
  add_untold_calls(part_.tables(), untold);
  model::Process all;
  all.id = part_.standing();
  all.ranks = static_cast<uint64_t>(ranks_.size());
  all.instance = part_.process().instance;
  all.executable = part_.process().executable;
  all.start_at_ns = start;
  all.captured = true;
  part_.tables().add_process(all);
  return {};
}

/// Hands the parts of 64 ranks to the first of them.
Result<std::vector<uint8_t>> Reduction::gather(std::vector<uint8_t> mine, const PartName& name) {
  const int rank = ranks_.rank(), writer = rank - rank % kRanksAWriter;
  if (rank != writer) {
    HEADRACE_TRY(ranks_.exchange(writer, mine, kNobody, nullptr));
    return std::vector<uint8_t>();
  }
  PartJoiner joiner(name);
  joiner.add(std::move(mine));
  for (int other = rank + 1; other < rank + kRanksAWriter && other < ranks_.size(); ++other) {
    std::vector<uint8_t> part;
    HEADRACE_TRY(ranks_.exchange(kNobody, {}, other, &part));
    joiner.add(std::move(part));
  }
  return joiner.finish();
}

/// Adds what those did that others stand for, besides files.
Status Reduction::add_standing_sums() {
  uint64_t width = part_.is_stood_for() ? widest_span(part_.contents()) : 0;
  HEADRACE_TRY(base::all_reduce(ranks_, {&width, 1}, [](uint64_t a, uint64_t b) { return a > b ? a : b; }));
  if (part_.is_stood_for()) sums_ = sums_of(part_.contents(), width);
  HEADRACE_TRY(sum_at_first(ranks_, &sums_));
  add_sums(part_.tables(), part_.standing(), sums_, width);
  return {};
}

Result<std::vector<uint8_t>> Reduction::join(LogTables& tables, const PartName& name) {
  auto mine = write_part(tables, name);
  HEADRACE_TRY(base::agree(ranks_, mine.status()));
  auto joined = gather(std::move(*mine), name);
  HEADRACE_TRY(base::agree(ranks_, joined.status()));
  return joined;
}

/// The log without representatives is made as well, for its size.
Status Reduction::tell_what_was_saved(std::vector<uint8_t>* joined, const PartName& name) {
  LogTables whole;
  const auto records = part_.make_whole(&whole);
  HEADRACE_TRY(base::agree(ranks_, records.status()));
  HEADRACE_ASSIGN(const std::vector<uint8_t> other, join(whole, name));
  const uint64_t stood_for = part_.is_stood_for() ? 1 : 0;
  uint64_t sums[] = {other.size(), joined->size(), stood_for, stood_for * *records, 0};
  if (part_.is_stood_for())
    for (const model::Phase& phase : part_.contents().phases.finished) sums[4] += phase.instance != 0 ? 1 : 0;
  HEADRACE_TRY(base::all_reduce(ranks_, sums, plus));
  if (ranks_.rank() != 0) return {};
  LogTables late;
  const uint64_t saved = sums[0] > sums[1] ? sums[0] - sums[1] : 0;
  late.add_fact(kStoodForFact + identity_text(name.reduction),
                std::to_string(sums[2]) + " " + std::to_string(sums[3]) + " " + std::to_string(saved));
  if (sums[2] != 0)
    late.add_gap(
        0, {"records of ranks", sums[3], "records", "representatives stand for these ranks: what they did is in sums"});
  if (sums[4] != 0)
    late.add_gap(0, {"instances of phases", sums[4], "instances",
                     "of ranks that representatives stand for: what they did is in sums"});
  HEADRACE_ASSIGN(const std::vector<uint8_t> more, write_late_part(late, name));
  joined->insert(joined->end(), more.begin(), more.end());
  return {};
}

Result<std::vector<uint8_t>> Reduction::make_parts(bool merge, uint64_t job, uint64_t id) {
  if (ranks_.rank() != 0) job = 0;
  HEADRACE_TRY(base::all_reduce(ranks_, {&job, 1}, plus));
  const PartName name{job, id, static_cast<uint32_t>(ranks_.rank())};
  part_.stand_for(id);
  if (!merge) shared_.assign(shared_.size(), 0);
  auto given = part_.divide(shared_, ranks_.size());
  HEADRACE_TRY(base::agree(ranks_, given.status()));
  if (merge) {
    HEADRACE_ASSIGN(const Parcels owned, bring_to_owners(ranks_, std::move(*given)));
    HEADRACE_TRY(base::agree(ranks_, part_.add_owned(owned)));
  }
  HEADRACE_TRY(add_program());
  if (stand_) HEADRACE_TRY(add_standing_sums());
  HEADRACE_ASSIGN(std::vector<uint8_t> joined, join(part_.tables(), name));
  if (stand_) {
    const Status told = tell_what_was_saved(&joined, name);
    HEADRACE_TRY(base::agree(ranks_, told));
  }
  return joined;
}

namespace {

/// The place where this rank's part goes.
Result<uint64_t> take_room(Communicator& ranks, const std::vector<uint8_t>& part, PartStore& store, bool* begun) {
  HEADRACE_ASSIGN(const uint64_t before, base::exclusive_sum(ranks, part.size()));
  uint64_t room[] = {part.size()};
  HEADRACE_TRY(base::all_reduce(ranks, room, plus));
  Status status;
  uint64_t place = 0;
  if (ranks.rank() == 0) {
    const auto begin = store.begin(room[0]);
    status = begin.status();
    *begun = begin.ok();
    if (begin.ok()) place = *begin;
  }
  HEADRACE_TRY(base::agree(ranks, status));
  HEADRACE_TRY(base::all_reduce(ranks, {&place, 1}, plus));
  return place + before;
}

}  // namespace

Stored store_parts(Communicator& ranks, const std::vector<uint8_t>& part, PartStore& store) {
  bool begun = false;
  const auto place = take_room(ranks, part, store, &begun);
  if (!place.ok()) {  // without this rank no other finds all parts there
    if (begun) (void)store.end(Stored::kUnknown);
    return Stored::kNothing;
  }
  const Status written = part.empty() ? Status() : store.write(*place, part);
  uint64_t failed = written.ok() ? 0 : 1;
  const bool told = base::all_reduce(ranks, {&failed, 1}, plus).ok();
  if (told && failed != 0) {
    if (begun) (void)store.end(Stored::kNothing);
    return Stored::kNothing;
  }
  if (!told) {
    if (begun) (void)store.end(Stored::kUnknown);
    return begun ? Stored::kNothing : Stored::kUnknown;
  }
  const Status ended = begun ? store.end(Stored::kAll) : Status();
  const Status heard = base::agree(ranks, ended);
  return heard.ok() || (begun && ended.ok()) ? Stored::kAll : Stored::kUnknown;
}

}  // namespace headrace::capture

#include "capture/reduce/rank_part.h"

#include <algorithm>
#include <map>

#include "base/hash.h"
#include "capture/harvest/file_layout.h"
#include "capture/harvest/files_to_ask.h"
#include "capture/reduce/standing_records.h"
#include "capture/reduce/standing_sums.h"
#include "model/mpi_files.h"

namespace headrace::capture {
namespace {

using base::Result;
using base::Status;

constexpr uint64_t kSharesOfAll = 1 << 20, kFewest = 16, kMost = 4096;

uint64_t time_of(const model::Share& share) { return share.read_ns + share.write_ns + share.meta_ns; }

model::Share share_of(const model::FileRecord& record, uint64_t process, uint64_t standing) {
  using namespace model::counter;
  model::Share share;
  share.process = process;
  share.record = model::shared_id(standing, record);
  share.layer = record.layer;
  share.kind = record.kind;
  share.reads = record[reads];
  share.writes = record[writes];
  share.calls = model::metadata_calls(record.counters);
  share.bytes_read = record[bytes_read];
  share.bytes_written = record[bytes_written];
  share.read_ns = record[read_ns];
  share.write_ns = record[write_ns];
  share.meta_ns = record[meta_ns];
  return share;
}

void sum_up(model::Share& into, const model::Share& from) {
  into.files += from.files;
  into.reads += from.reads;
  into.writes += from.writes;
  into.calls += from.calls;
  into.bytes_read += from.bytes_read;
  into.bytes_written += from.bytes_written;
  into.read_ns += from.read_ns;
  into.write_ns += from.write_ns;
  into.meta_ns += from.meta_ns;
}

model::Spread spread_of(const Spread& spread, uint64_t ranks) {
  return {spread.least, spread.most, spread.mean, ranks == 0 ? 0 : spread.squares / static_cast<double>(ranks)};
}

}  // namespace

uint64_t shares_kept(int ranks) {
  return std::clamp(kSharesOfAll / static_cast<uint64_t>(std::max(ranks, 1)), kFewest, kMost);
}

// A program's identity may come twice in a log, that of a reduction does not.
void RankPart::stand_for(uint64_t reduction) { standing_ = base::mix(reduction, base::hash_text("ranks")); }

class RankPart::Keys : public RecordSink {
 public:
  Keys(const RankPart& part, std::vector<uint64_t>& keys) : part_(part), keys_(keys) {}
  void record(const model::FileRecord& record) override {
    if (can_be_shared(record)) keys_.push_back(part_.census_key(record));
  }

 private:
  const RankPart& part_;
  std::vector<uint64_t>& keys_;
};

/// Sends each record its way.
class RankPart::Divider : public RecordSink {
 public:
  Divider(RankPart& part, const std::vector<uint8_t>& shared) : part_(part), shared_(shared) {}

  void record(const model::FileRecord& record) override {
    const model::Process& process = part_.contents_.process;
    if (!can_be_shared(record) || !goes_to_an_owner(record)) return alone(record);
    add_share(record, share_of(record, process.id, part_.standing_));
    given.emplace_back(key_of(record), bytes.size());
    encode(GroupRecord(record, process.id, static_cast<uint32_t>(process.rank)), &bytes);
  }

  Parcels parcels() {
    const model::Process& process = part_.contents_.process;
    for (const auto& [key, record] : folded_.records()) {
      given.emplace_back(key, bytes.size());
      encode(GroupRecord(record, process.id, static_cast<uint32_t>(process.rank)), &bytes);
    }
    std::vector<size_t> ends;
    for (size_t i = 0; i < given.size(); ++i) ends.push_back(i + 1 < given.size() ? given[i + 1].second : bytes.size());
    std::vector<size_t> order(given.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return given[a].first < given[b].first; });
    Parcels sorted;
    for (size_t i : order) sorted.add(given[i].first, {bytes.data() + given[i].second, ends[i] - given[i].second});
    return sorted;
  }

  std::vector<model::Share> shares;
  std::map<uint64_t, model::Share> of_mpi;  // by record

 private:
  /// What no other rank has; all that a representative has.
  void alone(const model::FileRecord& record) {
    const uint64_t process = part_.contents_.process.id;
    if (!part_.is_stood_for()) return part_.add_file(process, record);
    const Mount* mount = part_.mount_of(record.path);
    const model::FileRecord& sum = folded_.add(record, mount == nullptr ? "/" : mount->point);
    model::Share share = share_of(record, process, part_.standing_);
    share.record = model::record_id(part_.standing_, sum);
    share.kind = sum.kind;
    add_share(record, share);
  }

  /// Of ranks that are stood for, sums are kept; what the MPI library did in files of its own is told from the rest.
  void add_share(const model::FileRecord& record, const model::Share& share) {
    if (!part_.is_stood_for() || model::mpi_file(record.path).rule == nullptr) return shares.push_back(share);
    const auto [place, first] = of_mpi.try_emplace(share.record, share);
    if (!first) sum_up(place->second, share);
  }

  /// Representatives keep all they have. Sums count files, not directories: those of the program keep their names.
  bool goes_to_an_owner(const model::FileRecord& record) const {
    if (part_.standing_for_ == Standing::kRepresentative) return false;
    if (is_shared(part_.census_key(record))) return true;
    return part_.is_stood_for() && record.kind == model::FileKind::kDirectory &&
           model::mpi_file(record.path).rule == nullptr;
  }

  bool is_shared(uint64_t key) const {
    const auto place = std::lower_bound(part_.keys_.begin(), part_.keys_.end(), key);
    if (place == part_.keys_.end() || *place != key) return false;
    return shared_[static_cast<size_t>(place - part_.keys_.begin())] != 0;
  }

  RankPart& part_;
  const std::vector<uint8_t>& shared_;
  std::vector<std::pair<uint64_t, size_t>> given;  // key, where it begins in `bytes`
  std::vector<uint8_t> bytes;
  FoldedRecords folded_;
};

/// Makes the rows that a rank would have had.
class RankPart::Whole : public RecordSink {
 public:
  Whole(const RankPart& part, LogTables& tables) : part_(part), tables_(tables) {}
  void record(const model::FileRecord& record) override {
    ++records;
    tables_.add_file(part_.contents_.process.id, record, part_.mount_of(record.path));
  }
  uint64_t records = 0;

 private:
  const RankPart& part_;
  LogTables& tables_;
};

/// A path that any other rank has, in whatever layer, must keep its name in place of becoming one of a number of files.
uint64_t RankPart::census_key(const model::FileRecord& record) const {
  return standing_for_ == Standing::kEach ? key_of(record) : base::hash_text(record.path);
}

Result<std::vector<uint64_t>> RankPart::keys() {
  Keys sink(*this, keys_);
  HEADRACE_ASSIGN(contents_, source_.read(sink));
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  return keys_;
}

Result<Parcels> RankPart::divide(const std::vector<uint8_t>& shared, int ranks) {
  Divider divider(*this, shared);
  HEADRACE_ASSIGN(contents_, source_.read(divider));
  add_shares(std::move(divider.shares), ranks);
  for (const auto& [record, share] : divider.of_mpi) tables_.add_share(share);
  add_contents(tables_);
  return divider.parcels();
}

void RankPart::let_representatives_stand(bool is_one) {
  standing_for_ = is_one ? Standing::kRepresentative : Standing::kStoodFor;
  for (model::ClusterMember& each : clusters_.of_rank) each.kept = is_one;
}

Result<uint64_t> RankPart::make_whole(LogTables* tables) {
  Whole sink(*this, *tables);
  const Standing mine = standing_for_;
  HEADRACE_ASSIGN(contents_, source_.read(sink));
  standing_for_ = Standing::kEach;
  add_contents(*tables);
  standing_for_ = mine;
  return sink.records;
}

RankPart::RankPart(RankSource& source, const MountTable* mounts)
    : source_(source),
      mounts_(mounts),
      has_layouts_(mounts != nullptr &&
                   std::any_of(mounts->mounts().begin(), mounts->mounts().end(), FileLayouts::told_by)) {}

/// Which of them do lie where layouts are, when links are followed, is found out later as well.
void RankPart::add_file(uint64_t process, const model::FileRecord& record) {
  const Mount* mount = mount_of(record.path);
  tables_.add_file(process, record, mount);
  if (!has_layouts_ || mount == nullptr || record.kind != model::FileKind::kFile) return;
  append({process, model::record_id(process, record), record.final_path}, &files_to_ask_);
}

void RankPart::add_shares(std::vector<model::Share> shares, int ranks) {
  const size_t kept = is_stood_for() ? 0 : std::min<size_t>(shares.size(), shares_kept(ranks));
  const auto comes_first = [](const model::Share& a, const model::Share& b) {
    return time_of(a) != time_of(b) ? time_of(a) > time_of(b) : a.record < b.record;
  };
  if (kept < shares.size())
    std::nth_element(shares.begin(), shares.begin() + static_cast<ptrdiff_t>(kept), shares.end(), comes_first);
  std::map<std::pair<model::Layer, model::FileKind>, model::Share> rest;
  for (size_t i = 0; i < shares.size(); ++i) {
    if (i < kept) {
      tables_.add_share(shares[i]);
      continue;
    }
    const auto [place, first] = rest.try_emplace({shares[i].layer, shares[i].kind}, shares[i]);
    if (first)
      place->second.record = 0;
    else
      sum_up(place->second, shares[i]);
  }
  for (const auto& [what, share] : rest) tables_.add_share(share);
}

void RankPart::add_contents(LogTables& tables) {
  const uint64_t id = contents_.process.id;
  tables.add_clusters(id, contents_.process.instance, clusters_);
  tables.add_process(contents_.process);
  for (const model::Profile& profile : contents_.profiles)
    if (!is_stood_for() || stays_with_rank(profile)) tables.add_profile(id, profile);
  if (is_stood_for()) return;
  for (const model::SeriesBin& bin : contents_.series) tables.add_series(id, bin);
  for (const model::Phase& phase : contents_.phases.finished) tables.add_phase(id, phase);
  for (const model::Gap& gap : contents_.gaps) tables.add_gap(id, gap);
  for (const model::Module& module : contents_.modules) tables.add_module(module);
  for (const model::Stack& stack : contents_.stacks) tables.add_stack(stack);
}

Status RankPart::add_owned(const Parcels& owned) {
  for (size_t i = 0; i < owned.size(); ++i) {
    HEADRACE_ASSIGN(const GroupRecord group, decode_group(owned.encoded(i)));
    const RankSpread& spread = group.spread;
    model::SharedRecord shared;
    shared.record = model::record_id(standing_, group.record);
    shared.ranks = spread.ranks;
    shared.who = spread.who.text();
    shared.bytes = spread_of(spread.bytes, spread.ranks);
    shared.time_ns = spread_of(spread.time_ns, spread.ranks);
    shared.fastest_rank = spread.fastest;
    shared.slowest_rank = spread.slowest;
    shared.opened_size = group.opened.size;
    shared.opened_flags = group.opened.flags;
    tables_.add_shared(shared);
    add_file(standing_, group.record);
    for (const RankSite& site : group.sites) tables_.add_site(site.process, shared.record, site.site);
  }
  return {};
}

}  // namespace headrace::capture

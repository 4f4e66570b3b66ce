#include "format/reader.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "base/crc32c.h"
#include "base/hash.h"
#include "format/codec.h"
#include "format/contents.h"
#include "format/decode.h"
#include "format/huge_pages.h"
#include "format/index.h"
#include "format/joined_source.h"
#include "format/magic.h"
#include "format/scan.h"
#include "format/source.h"

namespace headrace::format {

using base::Bytes;
using base::Code;
using base::Result;
using base::Status;

namespace {

// A file whose beginning is no chunk is given up after so much: a slot that was never written may come first, but
// nobody wants to wait for a terabyte of something else.
constexpr uint64_t kForeignSearch = 64u << 20;

std::string at_offset(const Source& source, uint64_t offset) { return source.place(offset) + ": "; }

bool is_damage(const Status& status) { return status.code() == Code::kCorrupt || status.code() == Code::kUnsupported; }

/// Fills `contents` from the indexes at the end of the file and a scan of what they leave out.
Result<bool> find_chunks(Source& source, uint64_t size, const ReadLimits& limits, Contents& contents) {
  uint64_t end = size;  // of what no index has told about yet; what an index covers is cut off from the back
  bool closed = false;
  std::vector<std::pair<uint64_t, uint64_t>> gaps;
  std::vector<Index> indexes;
  uint64_t entries = 0;
  while (true) {
    HEADRACE_ASSIGN(std::optional<Index> index, read_index(source, end));
    if (!index) break;
    closed = true;
    entries += index->entries.size();
    if (entries > limits.chunks) break;
    uint64_t covered_from = index->offset;
    for (auto entry = index->entries.rbegin(); entry != index->entries.rend(); ++entry) {
      const uint64_t entry_end = entry->offset + chunk_size(entry->header);
      if (entry_end < covered_from) gaps.emplace_back(entry_end, covered_from);
      covered_from = entry->offset;
    }
    end = covered_from;
    indexes.push_back(std::move(*index));
  }
  if (end > 0) gaps.emplace_back(0, end);
  reserve_large(contents.chunks, std::min(entries, limits.chunks));
  for (; !indexes.empty(); indexes.pop_back()) {
    for (const ChunkInfo& entry : indexes.back().entries) {
      if (!is_bookkeeping(entry.header.kind)) contents.chunks.push_back(entry);
    }
  }
  for (auto gap = gaps.rbegin(); gap != gaps.rend(); ++gap) {
    HEADRACE_TRY(scan(source, gap->first, gap->second, limits.chunks, contents));
  }
  return closed;
}

/// Numbers the producers of chunks in file order, and their jobs.
class Producers {
 public:
  uint32_t number_of(const ChunkHeader& header) {
    const Key key{header.job, header.producer};
    if (last_ < jobs_.size() && key == last_key_) return last_;
    const auto [place, added] = numbers_.try_emplace(key, static_cast<uint32_t>(jobs_.size()));
    if (added) jobs_.push_back(job_numbers_.try_emplace(header.job, job_numbers_.size()).first->second);
    last_key_ = key;
    return last_ = place->second;
  }

  size_t size() const { return jobs_.size(); }
  uint64_t job(uint32_t producer) const { return jobs_[producer]; }

  std::vector<uint64_t> jobs() const {
    std::vector<uint64_t> jobs(job_numbers_.size());
    for (const auto& [job, number] : job_numbers_) jobs[number] = job;
    return jobs;
  }

 private:
  struct Key {
    uint64_t job = 0;
    Producer producer = {};
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      const uint64_t who = uint64_t{key.producer.rank} << 32 | key.producer.thread;
      return base::mix(base::mix(key.job, key.producer.process), who);
    }
  };
  std::unordered_map<Key, uint32_t, KeyHash> numbers_;
  std::unordered_map<uint64_t, uint64_t> job_numbers_;
  std::vector<uint64_t> jobs_;  // by producer
  Key last_key_;
  uint32_t last_ = 0;
};

/// Where the chunks of each producer begin once they stand job by job, producer by producer.
std::vector<size_t> places_of(const Producers& producers, const std::vector<uint32_t>& producer_of) {
  std::vector<size_t> counts(producers.size()), begins(producers.size());
  for (const uint32_t producer : producer_of) counts[producer]++;
  std::vector<uint32_t> order(producers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return producers.job(a) < producers.job(b); });
  size_t at = 0;
  for (const uint32_t producer : order) {
    begins[producer] = at;
    at += counts[producer];
  }
  return begins;
}

/// Puts the chunks in the order that Reader::chunks() promises. In time linear in their number where the file has those
/// of each producer in sequence.
void sort_chunks(std::vector<ChunkInfo>& chunks, std::vector<uint64_t>& jobs) {
  const auto by_offset = [](const ChunkInfo& a, const ChunkInfo& b) { return a.offset < b.offset; };
  if (!std::is_sorted(chunks.begin(), chunks.end(), by_offset)) std::sort(chunks.begin(), chunks.end(), by_offset);
  Producers producers;
  std::vector<uint32_t> producer_of(chunks.size());
  for (size_t i = 0; i < chunks.size(); ++i) producer_of[i] = producers.number_of(chunks[i].header);
  jobs = producers.jobs();
  const std::vector<size_t> begins = places_of(producers, producer_of);
  std::vector<size_t> ends = begins;
  std::vector<uint32_t> order(chunks.size());
  for (size_t i = 0; i < chunks.size(); ++i) order[ends[producer_of[i]]++] = static_cast<uint32_t>(i);
  const auto by_sequence = [&](uint32_t a, uint32_t b) {
    return chunks[a].header.sequence < chunks[b].header.sequence;
  };
  for (size_t producer = 0; producer < begins.size(); ++producer) {
    const auto begin = order.begin() + static_cast<ptrdiff_t>(begins[producer]);
    const auto end = order.begin() + static_cast<ptrdiff_t>(ends[producer]);
    if (!std::is_sorted(begin, end, by_sequence)) std::stable_sort(begin, end, by_sequence);
  }
  if (std::is_sorted(order.begin(), order.end())) return;
  std::vector<ChunkInfo> sorted;
  reserve_large(sorted, chunks.size());
  for (const uint32_t chunk : order) sorted.push_back(chunks[chunk]);
  chunks.swap(sorted);
}

/// Leaves out chunks whose whole header, checksum of the payload included, was there before.
void drop_copies(Contents& contents) {
  auto& chunks = contents.chunks;
  const auto same_place = [](const ChunkHeader& a, const ChunkHeader& b) {
    return a.sequence == b.sequence && a.job == b.job && a.producer == b.producer;
  };
  std::unordered_set<uint64_t> seen;  // of the run of chunks that claim one place
  size_t kept = 0;
  for (size_t i = 0; i < chunks.size(); ++i) {
    const bool goes_on = i > 0 && same_place(chunks[i].header, chunks[i - 1].header);
    const bool begins = i + 1 < chunks.size() && same_place(chunks[i].header, chunks[i + 1].header);
    if (!goes_on) seen.clear();
    if (goes_on || begins) {
      std::array<uint8_t, kHeaderSize> bytes;
      encode_header(chunks[i].header, bytes);
      if (!seen.insert(base::hash_bytes(bytes.data(), bytes.size())).second) {
        contents.damage.push_back({chunks[i].offset, chunk_size(chunks[i].header),
                                   "second copy of a chunk: left out, so that nothing is counted twice", true});
        continue;
      }
    }
    chunks[kept++] = chunks[i];  // chunks[i] itself stays: the next round compares with it
  }
  chunks.resize(kept);
}

/// Adds the chunks of files that belong to the first one. Nothing is believed of an index in them: they have none.
Status add_others(JoinedSource& files, const ReadLimits& limits, Contents& contents) {
  std::unordered_set<uint64_t> jobs;
  for (const ChunkInfo& chunk : contents.chunks) jobs.insert(chunk.header.job);
  for (size_t part = 1; part < files.parts(); ++part) {
    const size_t before = contents.chunks.size(), damage_before = contents.damage.size();
    HEADRACE_TRY(scan(files, files.begin(part), files.begin(part + 1), limits.chunks, contents, true));
    for (size_t i = damage_before; i < contents.damage.size(); ++i)
      contents.damage[i].reason = files.place(contents.damage[i].offset) + ": " + contents.damage[i].reason;
    const auto foreign =
        std::stable_partition(contents.chunks.begin() + static_cast<ptrdiff_t>(before), contents.chunks.end(),
                              [&](const ChunkInfo& chunk) { return jobs.empty() || jobs.contains(chunk.header.job); });
    if (foreign != contents.chunks.end()) {
      contents.damage.push_back({files.begin(part), files.begin(part + 1) - files.begin(part),
                                 files.place(files.begin(part)) + ": " +
                                     std::to_string(contents.chunks.end() - foreign) + " chunks are of another job"});
      contents.chunks.erase(foreign, contents.chunks.end());
    }
  }
  return {};
}

/// Why a file without a single usable chunk cannot be opened.
Status explain_nothing(Source& source, const Contents& contents) {
  std::vector<uint8_t> scratch;
  const size_t length = std::min<uint64_t>(source.size(), 512);
  HEADRACE_ASSIGN(const Bytes bytes, source.read(0, length, scratch));
  const size_t compare = std::min(length, kMagicStem);
  if (std::memcmp(bytes.data(), kMagic.data(), compare) != 0) {
    return Status(Code::kForeign, source.label() + ": " + describe_foreign(bytes));
  }
  if (contents.newer_format) {
    return Status(Code::kUnsupported,
                  at_offset(source, 0) + "chunk header of a newer format: update headrace to read it");
  }
  const auto header = decode_header(bytes);
  if (header.code() == Code::kTruncated || (header.ok() && chunk_size(*header) > source.size())) {
    return Status(Code::kTruncated,
                  at_offset(source, 0) + "the log ends inside its first chunk: nothing in it can be read");
  }
  return Status(Code::kCorrupt, at_offset(source, 0) + (header.ok() ? "chunk payload is damaged" : header.message()) +
                                    ", and no later chunk can be used");
}

}  // namespace

struct Reader::State {
  std::unique_ptr<Source> source;
  ReadLimits limits;
  std::vector<ChunkInfo> chunks;
  std::vector<uint64_t> jobs;
  std::vector<Damage> damage;
  bool closed = false;
  std::vector<uint8_t> scratch;
  Decompressor decompressor;

  /// `others`: the same source, if it is of several files.
  static Result<std::unique_ptr<State>> load(std::unique_ptr<Source> source, ReadLimits limits,
                                             JoinedSource* others = nullptr);
  bool has(const ChunkInfo& chunk) const;
  Status load_unmarked(const ChunkInfo& chunk, std::vector<uint8_t>& stored_bytes, Decompressor& with,
                       std::vector<uint8_t>& raw) const;
  Status load_payload(const ChunkInfo& chunk, std::vector<uint8_t>& raw);
  Result<std::vector<uint8_t>> given(const ChunkInfo& chunk, const Status& status, std::vector<uint8_t> raw) const;
  void add_damage(uint64_t offset, uint64_t bytes, std::string reason);
};

Result<std::unique_ptr<Reader::State>> Reader::State::load(std::unique_ptr<Source> source, ReadLimits limits,
                                                           JoinedSource* others) {
  const uint64_t size = others ? others->begin(1) : source->size();
  if (size == 0) {
    return Status(Code::kTruncated, source->label() + ": is empty (0 bytes): its writer stored nothing");
  }
  Contents contents;
  const size_t beginning = std::min<uint64_t>(size, kMagicStem);
  std::vector<uint8_t> scratch;
  HEADRACE_ASSIGN(const Bytes bytes, source->read(0, beginning, scratch));
  bool closed = false;
  if (std::memcmp(bytes.data(), kMagic.data(), beginning) != 0) {
    // Perhaps the first chunk is damaged, perhaps this is no log at all: an index, or a look at the first part,
    // decides.
    HEADRACE_ASSIGN(const auto index, read_index(*source, size));
    if (!index) {
      HEADRACE_TRY(scan(*source, 0, std::min(size, kForeignSearch), limits.chunks, contents));
      if (contents.chunks.empty()) return explain_nothing(*source, contents);
      contents = Contents();
    }
  }
  HEADRACE_ASSIGN(closed, find_chunks(*source, size, limits, contents));
  if (contents.chunks.empty() && !closed) return explain_nothing(*source, contents);

  if (others) HEADRACE_TRY(add_others(*others, limits, contents));
  auto state = std::make_unique<State>();
  sort_chunks(contents.chunks, state->jobs);
  drop_copies(contents);
  state->source = std::move(source);
  state->limits = limits;
  state->chunks = std::move(contents.chunks);
  state->closed = closed;
  state->damage = std::move(contents.damage);
  std::sort(state->damage.begin(), state->damage.end(),
            [](const Damage& a, const Damage& b) { return a.offset < b.offset; });
  return state;
}

Status Reader::State::load_unmarked(const ChunkInfo& chunk, std::vector<uint8_t>& stored_bytes, Decompressor& with,
                                    std::vector<uint8_t>& raw) const {
  const ChunkHeader& header = chunk.header;
  if (!has(chunk)) return Status(Code::kInvalid, at_offset(*source, chunk.offset) + "no chunk of this reader");
  HEADRACE_ASSIGN(const Bytes stored, source->read(chunk.offset + kHeaderSize, header.stored_length, stored_bytes));
  if (base::crc32c(stored) != header.payload_crc) return Status(Code::kCorrupt, "chunk payload fails its checksum");
  raw.resize(header.raw_length);
  return with.run(header.codec, stored, raw);
}

bool Reader::State::has(const ChunkInfo& chunk) const {
  return check_header(chunk.header).ok() && chunk.offset <= source->size() &&
         chunk_size(chunk.header) <= source->size() - chunk.offset;
}

Status Reader::State::load_payload(const ChunkInfo& chunk, std::vector<uint8_t>& raw) {
  Status status = load_unmarked(chunk, scratch, decompressor, raw);
  if (is_damage(status)) add_damage(chunk.offset, chunk_size(chunk.header), status.message());
  return status;
}

/// What callers get; a message about the bytes says where they are.
Result<std::vector<uint8_t>> Reader::State::given(const ChunkInfo& chunk, const Status& status,
                                                  std::vector<uint8_t> raw) const {
  if (status.ok()) return raw;
  if (!is_damage(status)) return status;
  return Status(status.code(), at_offset(*source, chunk.offset) + status.message());
}

void Reader::State::add_damage(uint64_t offset, uint64_t bytes, std::string reason) {
  const auto before = [](const Damage& entry, uint64_t place) { return entry.offset < place; };
  const auto place = std::lower_bound(damage.begin(), damage.end(), offset, before);
  if (place != damage.end() && place->offset == offset) return;
  damage.insert(place, {offset, bytes, std::move(reason)});
}

Reader::Reader(std::unique_ptr<State> state) : state_(std::move(state)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

Result<Reader> Reader::open(const std::string& path, ReadLimits limits) {
  HEADRACE_ASSIGN(std::unique_ptr<Source> source, open_file_source(path));
  HEADRACE_ASSIGN(auto state, State::load(std::move(source), limits));
  return Reader(std::move(state));
}

Result<Reader> Reader::open_together(const std::string& path, const std::vector<std::string>& others,
                                     ReadLimits limits) {
  if (others.empty()) return open(path, limits);
  std::vector<std::unique_ptr<Source>> parts;
  HEADRACE_ASSIGN(std::unique_ptr<Source> first, open_file_source(path));
  if (first->size() == 0) return open(path, limits);
  parts.push_back(std::move(first));
  for (const std::string& other : others) {
    HEADRACE_ASSIGN(std::unique_ptr<Source> part, open_file_source(other));
    if (part->size() != 0) parts.push_back(std::move(part));
  }
  auto joined = std::make_unique<JoinedSource>(std::move(parts));
  JoinedSource* files = joined.get();
  HEADRACE_ASSIGN(auto state, State::load(std::move(joined), limits, files->parts() > 1 ? files : nullptr));
  return Reader(std::move(state));
}

Result<Reader> Reader::open_memory(std::span<const uint8_t> bytes, std::string label, ReadLimits limits) {
  HEADRACE_ASSIGN(auto state, State::load(make_memory_source(bytes, std::move(label)), limits));
  return Reader(std::move(state));
}

const std::vector<ChunkInfo>& Reader::chunks() const { return state_->chunks; }
const std::vector<uint64_t>& Reader::jobs() const { return state_->jobs; }
std::string Reader::place(uint64_t offset) const { return state_->source->place(offset); }
const std::vector<Damage>& Reader::damage() const { return state_->damage; }
bool Reader::closed() const { return state_->closed; }
uint64_t Reader::size() const { return state_->source->size(); }

std::vector<std::string> Reader::tables() const {
  std::vector<std::string> names;
  std::unordered_set<std::string_view> seen;
  for (const ChunkInfo& chunk : state_->chunks) {
    if (chunk.header.kind != kTableKind) continue;
    if (seen.insert(chunk.header.name()).second) names.emplace_back(chunk.header.name());
  }
  return names;
}

Result<Table> Reader::table(std::string_view name, std::optional<uint64_t> job) {
  std::vector<const ChunkInfo*> parts;
  uint64_t rows = 0;
  uint64_t raw_bytes = 0;
  for (const ChunkInfo& chunk : state_->chunks) {
    if (chunk.header.kind != kTableKind || chunk.header.name() != name) continue;
    if (job && chunk.header.job != *job) continue;
    parts.push_back(&chunk);
    rows += chunk.header.rows;
    raw_bytes += chunk.header.raw_length;
  }
  const std::string label = state_->source->label() + ": table '" + std::string(name) + "'";
  if (parts.empty()) return Status(Code::kNotFound, label + " is not in this log");
  if (raw_bytes > state_->limits.table_bytes) {
    return Status(Code::kLimit, label + " needs more memory than the reader's limit for one table");
  }
  TableAssembler assembler{std::string(name), rows, state_->limits.table_bytes};
  std::vector<uint8_t> raw;
  for (const ChunkInfo* chunk : parts) {
    Status status = state_->load_payload(*chunk, raw);
    if (status.ok()) status = assembler.add(raw, chunk->header.rows);
    if (status.ok()) continue;
    if (status.code() == Code::kLimit) return Status(Code::kLimit, label + " " + status.message());
    if (!is_damage(status)) return status;
    state_->add_damage(chunk->offset, chunk_size(chunk->header), status.message());
  }
  return assembler.finish();
}

Result<std::vector<uint8_t>> Reader::payload(const ChunkInfo& chunk) {
  std::vector<uint8_t> raw;
  const Status status = state_->load_payload(chunk, raw);
  return state_->given(chunk, status, std::move(raw));
}

Result<std::vector<uint8_t>> Reader::copy(const ChunkInfo& chunk) const {
  std::vector<uint8_t> stored, raw;
  Decompressor decompressor;
  const Status status = state_->load_unmarked(chunk, stored, decompressor, raw);
  return state_->given(chunk, status, std::move(raw));
}

Result<Bytes> Reader::beginning(const ChunkInfo& chunk, size_t length, std::vector<uint8_t>& scratch) const {
  if (!state_->has(chunk)) return Status(Code::kInvalid, at_offset(*state_->source, chunk.offset) + "no such chunk");
  return state_->source->read(chunk.offset + kHeaderSize, std::min<size_t>(length, chunk.header.stored_length),
                              scratch);
}

Status Reader::verify() {
  for (const ChunkInfo& chunk : state_->chunks) {
    const size_t length = chunk_size(chunk.header);
    HEADRACE_ASSIGN(const Bytes bytes, state_->source->read(chunk.offset, length, state_->scratch));
    const auto header = decode_header(bytes);
    if (base::crc32c(bytes.subspan(kHeaderSize)) != chunk.header.payload_crc) {
      state_->add_damage(chunk.offset, length, "chunk payload fails its checksum");
    } else if (!header.ok() || *header != chunk.header) {
      state_->add_damage(chunk.offset, kHeaderSize, "chunk header is damaged: its copy in the index is used");
    }
  }
  return {};
}

}  // namespace headrace::format

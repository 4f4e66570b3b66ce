#include <algorithm>

#include "convert/darshan/autoperf.h"
#include "convert/darshan/reading.h"
#include "convert/darshan/sanity.h"
#include "convert/darshan/words.h"

namespace headrace::convert::darshan {

using base::Status;

namespace {

/// A table of all fields of a record, as they are.
class FieldTable {
 public:
  FieldTable(std::string_view name, const std::vector<Field>& fields) : table_(name), fields_(fields) {
    for (const Field& field : fields) {
      if (field.kind == Field::Kind::kText) texts_.push_back(&table_.text(field.name));
      if (field.kind == Field::Kind::kF64) numbers_.push_back(&table_.f64(field.name));
      if (field.kind == Field::Kind::kI64) numbers_.push_back(&table_.i64(field.name));
      if (field.kind == Field::Kind::kU64 || field.kind == Field::Kind::kU32)
        numbers_.push_back(&table_.u64(field.name));
    }
  }
  /// Gives all numbers of the record, in the order of the fields; of a text 0, and `text` is the last one.
  std::vector<uint64_t> add(const std::vector<uint8_t>& bytes, bool swap, std::string_view& text) {
    Words words(bytes.data(), swap);
    std::vector<uint64_t> values;
    auto number = numbers_.begin();
    auto written = texts_.begin();
    for (const Field& field : fields_) {
      if (field.kind == Field::Kind::kText) {
        text = words.text(field.bytes);
        (*written++)->add(text);
        values.push_back(0);
        continue;
      }
      values.push_back(words.u64());
      // The first four bytes: the lower half, or the upper one once all eight were swapped.
      if (field.kind == Field::Kind::kU32) values.back() = swap ? values.back() >> 32 : values.back() & 0xFFFFFFFF;
      (*number++)->add(values.back());
    }
    return values;
  }
  TableMaker& table() { return table_; }

 private:
  TableMaker table_;
  const std::vector<Field>& fields_;
  std::vector<NumberColumn*> numbers_;
  std::vector<TextColumn*> texts_;
};

double real(uint64_t word) { return std::bit_cast<double>(word); }

/// What a rank did in MPI, as the profile of its process.
void put_profile(Reading& reading, const std::vector<uint64_t>& values, std::string_view node) {
  const int64_t rank = std::max<int64_t>(static_cast<int64_t>(values[1]), -1);
  reading.records_of_rank.try_emplace(rank, 0);
  if (!node.empty()) reading.hosts.try_emplace(rank, node);
  for (const MpiFunction& function : mpi_functions()) {
    if (values[function.calls] == 0) continue;
    const double waited = function.waited == SIZE_MAX ? 0 : std::max(real(values[function.waited]), 0.0);
    model::Profile profile;
    profile.function = function.name;
    profile.layer = "mpi";
    profile.calls = values[function.calls];
    profile.bytes = function.bytes == SIZE_MAX ? 0 : values[function.bytes];
    profile.time_ns = profile.own_ns = to_ns(real(values[function.time])) + to_ns(waited);
    profile.max_ns = to_ns(real(values[function.longest]));
    reading.tables.profile(reading.process_of(rank), profile);
  }
}

bool is_possible(Sanity& sanity, std::span<const Field> fields, const uint8_t* bytes, bool swap) {
  Words words(bytes, swap);
  for (const Field& field : fields) {
    if (field.kind == Field::Kind::kText) {
      (void)words.text(field.bytes);
      continue;
    }
    const uint64_t value = words.u64();
    bool possible = true;
    if (field.name == "rank") possible = sanity.rank(static_cast<int64_t>(value));
    if (field.kind == Field::Kind::kF64) possible = sanity.seconds(field.name, real(value));
    if (field.kind == Field::Kind::kU64 && field.name.starts_with("MPI_"))
      possible = sanity.count(field.name, static_cast<int64_t>(value));
    if (!possible) return false;
  }
  return true;
}

/// Why the records behind the header record are none that are known; empty: they are, or the region is damaged.
std::string why_askew(const Reading& reading, const AutoPerf& module) {
  RegionReader region = reading.region(module.module);
  Sanity sanity(reading);
  std::vector<uint8_t> bytes(bytes_of(module.header));
  size_t got = region.read(bytes);
  bytes.resize(bytes_of(module.record));
  while ((got = region.read(bytes)) == bytes.size()) {
    if (!is_possible(sanity, module.record, bytes.data(), reading.header.swap)) break;
  }
  if (!is_undamaged(region)) return "";
  return !sanity.why().empty() ? sanity.why() : got != 0 ? "they end inside one" : "";
}

Status read_module(Reading& reading, const AutoPerf& module) {
  RegionReader region = reading.region(module.module);
  FieldTable headers(module.header_table, module.header), records(module.table, module.record);
  std::vector<uint8_t> bytes(bytes_of(module.header));
  std::string_view text;
  size_t got = region.read(bytes);
  if (got == bytes.size()) {
    if (headers.add(bytes, reading.header.swap, text)[2] != static_cast<uint64_t>(module.magic)) {
      reading.lose(module.module, reading.header.modules[static_cast<size_t>(module.module)].length,
                   "bytes of the Darshan log", "it does not begin with its header record");
      return {};
    }
    if (const std::string why = why_askew(reading, module); !why.empty()) {
      lose_askew(reading, module.module, why);
      return {};
    }
    bytes.resize(bytes_of(module.record));
    Sanity sanity(reading);
    while ((got = region.read(bytes)) == bytes.size()) {
      if (!is_possible(sanity, module.record, bytes.data(), reading.header.swap)) break;  // of a damaged region
      const std::vector<uint64_t> values = records.add(bytes, reading.header.swap, text);
      if (module.module == Module::kApmpi) put_profile(reading, values, text);
      if (reading.too_large(records.table())) return reading.limit();
    }
  }
  (void)is_undamaged(region);
  reading.check_end(module.module, region, got == bytes.size() ? 0 : got);
  if (headers.table().rows() == 0) return {};
  reading.extra.push_back(headers.table().finish());
  reading.extra.push_back(records.table().finish());
  return {};
}

}  // namespace

Status read_autoperf(Reading& reading) {
  for (const AutoPerf& module : autoperf_modules()) {
    if (!reading.has(module.module) || !reading.knows_version(module.module, kAutoPerfVersion)) continue;
    HEADRACE_TRY(read_module(reading, module));
  }
  return {};
}

}  // namespace headrace::convert::darshan

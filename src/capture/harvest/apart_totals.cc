#include "capture/harvest/apart_totals.h"

#include <algorithm>
#include <string>

#include "capture/harvest/figures.h"
#include "intercept/functions.h"
#include "intercept/library_functions.h"

namespace headrace::capture {
namespace {

namespace counter = model::counter;

/// Begins as `headrace show` looks for it when it says what to do.
const char* apart_reason(Apart why) {
  switch (why) {
    case Apart::kNoMemory:
      return "made without memory for a record of the file, or of the thread";
    case Apart::kNoDescriptor:
      return "made while the process had no descriptor left to get memory with";
    case Apart::kTooManyFiles:
      return "made on more open files, or on higher descriptors, than are followed";
    case Apart::kInterrupting:
      return "made by signal handlers that came during an update of the records";
    case Apart::kRingsOwn:
      return "made on files that io_uring opened into a ring's own table";
    case Apart::kVforkChild:
    case Apart::kReasons:
      break;
  }
  return nullptr;
}

/// Of what it was on; what may be a file counts as one.
model::FileKind apart_kind(const ApartKey& key) {
  if (key.why == Apart::kVforkChild) return model::FileKind::kVforkChild;
  if (key.on == kOnExcluded) return model::FileKind::kExcludedRollup;
  const model::FileKind kind = kind_of(static_cast<RecordKind>(key.on));
  const bool may_be_file = kind == model::FileKind::kFile || kind == model::FileKind::kDirectory ||
                           kind == model::FileKind::kDirectoryRollup || kind == model::FileKind::kDataset;
  return may_be_file ? model::FileKind::kNoFile : kind;
}

/// A library's rows are of other paths, since what is below them is counted with the system's calls.
std::string apart_path(model::FileKind kind, model::Layer layer) {
  if (kind == model::FileKind::kVforkChild) return "(children between vfork and exec)";
  if (model::is_of_system(layer)) return "(in no file)";
  return "(in no file: " + std::string(model::layer_name(layer)) + ")";
}

struct Counted {
  counter::Index calls, errors, time, max_time, bytes;
  bool moves;
};

/// Where calls are counted; false: nowhere.
bool counted_at(uint32_t does, Counted* at) {
  Counted meta{counter::kCount, counter::meta_errors, counter::meta_ns, counter::meta_max_ns, counter::kCount, false};
  if (does == kDoesRead) {
    *at = {counter::reads, counter::read_errors, counter::read_ns, counter::read_max_ns, counter::bytes_read, true};
    return true;
  }
  if (does == kDoesWrite) {
    *at = {counter::writes,       counter::write_errors,  counter::write_ns,
           counter::write_max_ns, counter::bytes_written, true};
    return true;
  }
  if (does == kDoesOpen)
    meta.calls = counter::opens;
  else if (does == kDoesClose)
    meta.calls = counter::closes;
  else if (does < Metadata::kCounts)
    meta.calls = counter_of(static_cast<Metadata::Count>(does));
  else
    return false;
  *at = meta;
  return true;
}

void add_apart(model::FileRecord& record, const ApartCalls& row, const Counted& at) {
  const uint64_t failed = std::min(row.errors, row.calls);
  record[at.calls] += row.calls - failed;
  record[at.errors] += failed;
  record[at.time] += row.time;
  record[at.max_time] = std::max(record[at.max_time], row.max_time);
  if (at.moves) record[at.bytes] += row.bytes;
}

void add_apart(Profile& into, const ApartCalls& row) {
  into.calls += row.calls;
  into.errors += row.errors;
  into.bytes += row.bytes;
  into.time += row.time;
  into.max_time = std::max(into.max_time, row.max_time);
}

}  // namespace

model::FileRecord& ApartTotals::record_of(model::FileKind kind, model::Layer layer) {
  model::FileRecord& record = records_[{kind, layer}];
  if (record.path.empty()) {
    record.final_path = record.path = apart_path(kind, layer);
    record.kind = kind;
    record.layer = layer;
  }
  return record;
}

void ApartTotals::add_row(const ApartCalls& row, const ApartKey& key, model::Layer layer) {
  Counted at;
  if (key.why >= Apart::kReasons || !counted_at(key.does, &at)) return;
  add_apart(record_of(apart_kind(key), layer), row, at);
  Amount& amount = amounts_[static_cast<uint32_t>(key.why)];
  amount.calls += row.calls;
  amount.bytes += at.moves ? row.bytes : 0;
}

void ApartTotals::add_rest(const ApartCalls& row, uint32_t number) {
  const uint32_t direction = number / 3, layer = number % 3;
  untold_ += row.calls;
  constexpr uint32_t kDoes[] = {kDoesRead, kDoesWrite, kDoesOther};
  const ApartKey key{0, kDoes[direction], kOnUnknown, Apart::kNoMemory, true};
  if (layer < kSystemLayers) add_row(row, key, static_cast<model::Layer>(layer));
}

void ApartTotals::add(const Header& header) {
  for (uint32_t i = 0; i < kApartRows; ++i) {
    const ApartCalls& row = header.apart[i];
    if (row.key == 0 || row.calls == 0) continue;
    rows_.push_back(row);
    const ApartKey key = ApartKey::unpacked(row.key);
    if (key.function == 0 && key.does == kDoesOther) untold_ += row.calls;  // on excluded paths
    const bool stdio = intercept::is_stdio(static_cast<intercept::Fn>(key.function));
    add_row(row, key, stdio ? model::Layer::kStdio : model::Layer::kPosix);
  }
  for (uint32_t i = 0; i < kApartRest; ++i)
    if (header.apart[kApartRows + i].calls != 0) add_rest(header.apart[kApartRows + i], i);
}

void ApartTotals::add(const ThreadBlock& block) {
  for (uint32_t layer = 0; layer < kLayers; ++layer)
    for (uint32_t d = 0; d < 2; ++d) {
      if (block.left_runs[layer][d] == 0) continue;
      const ApartCalls row{0, block.left_runs[layer][d], 0, block.left_bytes[layer][d], 0, 0};
      const ApartKey key{0, d == kRead ? kDoesRead : kDoesWrite, kOnUnknown, Apart::kNoMemory, true};
      add_row(row, key, static_cast<model::Layer>(layer));
    }
}

void ApartTotals::add_to_profiles(Profile* functions, std::vector<Profile>* libraries) const {
  for (const ApartCalls& row : rows_) {
    const ApartKey key = ApartKey::unpacked(row.key);
    // Traces have no events of children before their exec, and should agree with the functions' figures.
    if (key.profiled || key.function == 0 || key.why == Apart::kVforkChild) continue;
    const uint32_t number = key.function & ~uint32_t{kLibraryFunction};
    if (number == key.function) {
      if (number < kMaximumFunctions) add_apart(functions[number], row);
      continue;
    }
    const intercept::LibraryFunction function = intercept::library_function(number);
    if (!function) continue;
    if (libraries->size() <= number) libraries->resize(number + 1);
    add_apart((*libraries)[number], row);
    // How much of it was in the calls below is not known; those are counted, too.
    if (function.layer != std::string_view("mpi")) (*libraries)[number].inside += row.time;
  }
}

void ApartTotals::give(const ClockMap& clock, SpoolContents* out, RecordSink& sink) {
  for (auto& [kind, record] : records_) {
    convert_times(record, clock);
    sink.record(record);
  }
  for (uint32_t i = 0; i < static_cast<uint32_t>(Apart::kReasons); ++i) {
    const char* why = apart_reason(static_cast<Apart>(i));
    if (why == nullptr || amounts_[i].calls == 0) continue;
    out->process.unattributed_operations += amounts_[i].calls;
    out->process.unattributed_bytes += amounts_[i].bytes;
    out->gaps.push_back({"operations without a file", amounts_[i].calls, "calls", why});
    if (amounts_[i].bytes != 0) out->gaps.push_back({"operations without a file", amounts_[i].bytes, "bytes", why});
  }
  if (untold_ != 0)
    out->gaps.push_back({"profile", untold_, "calls",
                         "of many functions where there was no memory: their reads and writes are in the totals by "
                         "layer, and not by function"});
}

}  // namespace headrace::capture

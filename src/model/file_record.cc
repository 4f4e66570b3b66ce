#include "model/file_record.h"

#include <algorithm>

#include "base/hash.h"

namespace headrace::model {

std::string_view kind_name(FileKind kind) {
  switch (kind) {
    case FileKind::kFile:
      return "file";
    case FileKind::kDirectoryRollup:
      return "directory_rollup";
    case FileKind::kExcludedRollup:
      return "excluded_rollup";
    case FileKind::kStream:
      return "stream";
    case FileKind::kPipe:
      return "pipe";
    case FileKind::kSocket:
      return "socket";
    case FileKind::kDevice:
      return "device";
    case FileKind::kDirectory:
      return "directory";
    case FileKind::kAnonymous:
      return "anonymous";
    case FileKind::kVforkChild:
      return "vfork_child";
    case FileKind::kDataset:
      return "dataset";
    case FileKind::kNoFile:
      return "no_file";
  }
  return "unknown";
}

std::string_view layer_name(Layer layer) {
  static constexpr std::string_view kNames[kLayers] = {"posix", "stdio", "mpiio", "hdf5", "pnetcdf"};
  return kNames[static_cast<uint32_t>(layer)];
}

std::string_view direction_name(uint32_t direction) { return direction == kRead ? "read" : "write"; }

namespace {

uint64_t merged(const MergeRule& rule, uint32_t index, const Counters& a, const Counters& b) {
  const uint64_t x = a[index], y = b[index];
  switch (rule.kind) {
    case MergeKind::kSum:
      return x + y;
    case MergeKind::kMax:
    case MergeKind::kLast:
      return std::max(x, y);
    case MergeKind::kFirst:
      return x == 0 || y == 0 ? x | y : std::min(x, y);
    case MergeKind::kBits:
      return x | y;
    case MergeKind::kWith:
      // On a tie the greater value, whichever side it is on: that is what keeps the order of merging irrelevant.
      if (a[rule.with] == b[rule.with]) return std::max(x, y);
      return a[rule.with] > b[rule.with] ? x : y;
  }
  return x;
}

}  // namespace

void merge(Counters& into, const Counters& from) {
  const Counters before = into;  // kWith looks at a counter that may already have been merged
  for (uint32_t i = 0; i < counter::kCount; ++i) into[i] = merged(kCounters[i].merge, i, before, from);
}

uint64_t metadata_calls(const Counters& counters) {
  uint64_t calls = 0;
  for (counter::Index index : kMetadataCalls) calls += counters[index];
  return calls;
}

void merge(FileRecord& into, const FileRecord& from) {
  merge(into.counters, from.counters);
  for (uint32_t d = 0; d < kDirections; ++d) {
    into.sizes[d].merge(from.sizes[d]);
    into.common_sizes[d].merge(from.common_sizes[d]);
    into.common_strides[d].merge(from.common_strides[d]);
  }
}

uint64_t record_id(uint64_t process, std::string_view path, FileKind kind, Layer layer) {
  const uint64_t id = base::mix(base::mix(process, base::hash_text(path)), base::hash_text(kind_name(kind)));
  return layer == Layer::kPosix ? id : base::mix(id, base::hash_text(layer_name(layer)));
}

uint64_t shared_id(uint64_t standing, const FileRecord& record) {
  const uint64_t id = record_id(standing, record.path, record.kind, record.layer);
  return record.file == 0 ? id : base::mix(id, record.file);
}

uint64_t record_id(uint64_t process, const FileRecord& record) {
  const uint64_t id = shared_id(process, record);
  return record.generation == 0 ? id : base::mix(id, record.generation);
}

}  // namespace headrace::model

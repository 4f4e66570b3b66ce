#include "capture/reduce/standing_records.h"

#include "base/hash.h"
#include "capture/reduce/group_record.h"
#include "model/mpi_files.h"

namespace headrace::capture {
namespace {

/// What is of no file by name keeps its own: streams, pipes, devices, what is excluded.
bool has_a_path(model::FileKind kind) {
  using enum model::FileKind;
  return kind == kFile || kind == kDirectory || kind == kDirectoryRollup || kind == kDataset || kind == kAnonymous;
}

/// A name for all files of the MPI library that are known by the same rule, which this name fits as well: they are to
/// be told from the program's still.
std::string name_of_mpi_files(const std::string& path, const model::MpiFile& file, const std::string& below) {
  using Match = model::MpiFiles::Match;
  const size_t at = static_cast<size_t>(file.part.data() - path.data());
  switch (file.rule->match) {
    case Match::kBeginning:
      return path.substr(0, at) + std::string(file.rule->text) + "*";
    case Match::kEnd:
      return below + "/*" + std::string(file.rule->text) + "0";
    case Match::kPointer:
      return below + "/.*" + std::string(file.rule->text) + "0";
    case Match::kNumbered:
      return below + "/*" + std::string(file.rule->text) + "0-0.sm";
    case Match::kSession:
      return path.substr(0, at + file.part.size()) + "/pid.*";
    case Match::kPart:
      break;
  }
  return path.substr(0, at + file.part.size()) + "/*";
}

}  // namespace

const model::FileRecord& FoldedRecords::add(const model::FileRecord& record, const std::string& mount) {
  model::FileRecord sum = record;
  sum.call_sites.clear();
  sum.properties.clear();
  const std::string below = mount == "/" ? "" : mount;
  if (const model::MpiFile file = model::mpi_file(record.path); file.rule != nullptr)
    sum.path = name_of_mpi_files(record.path, file, below);
  else if (has_a_path(record.kind))
    sum.path = below + "/*";
  sum.final_path = sum.path;
  sum.file = 0;
  sum.generation = 0;
  if (record.kind == model::FileKind::kFile) {
    sum.kind = model::FileKind::kDirectoryRollup;
    const bool is_system = record.layer == model::Layer::kPosix || record.layer == model::Layer::kStdio;
    sum[model::counter::folded_files] =
        !is_system || counted_.insert(record.file != 0 ? record.file : base::hash_text(record.path)).second ? 1 : 0;
  }
  const auto [place, first] = records_.try_emplace(key_of(sum), sum);
  if (!first) model::merge(place->second, sum);
  return place->second;
}

}  // namespace headrace::capture

#include "workload/plan/mdtest.h"

#include "workload/plan/limits.h"

namespace headrace::workload {
namespace {

using base::Code;
using base::Status;

constexpr uint64_t kMostOfTree = 1 << 20, kDeepest = 64;

enum Step : uint32_t {
  kTreeCreate,
  kDirectoryCreate,
  kDirectoryStat,
  kDirectoryRemove,
  kFileCreate,
  kFileStat,
  kFileRead,
  kFileRemove,
  kTreeRemove
};

/// Directories of a tree; more than kMostOfTree are as good as any.
uint64_t directories_of(uint64_t depth, uint64_t branch) {
  uint64_t all = 1, level = 1;
  for (uint64_t i = 0; i < depth && all <= kMostOfTree; ++i) {
    if (beyond(kMostOfTree, {level, branch})) return kMostOfTree + 1;
    level *= branch;
    all += level;
  }
  return all;
}

/// Numbers of files are those of the trees' directories, parents first, then of the ranks' directories, then of files.
class Mdtest : public Pattern {
 public:
  explicit Mdtest(const MdtestSettings& settings) : s_(settings) {
    nodes_.resize(directories_of(s_.depth, s_.branch));
    for (size_t node = 1; node < nodes_.size(); ++node)
      nodes_[node] = nodes_[(node - 1) / s_.branch] + "/" + std::to_string(node);
    const uint64_t everywhere = s_.per_directory * nodes_.size();
    files_ = everywhere > 0 ? everywhere : s_.files;
    directories_ = everywhere > 0 ? everywhere : s_.directories.value_or(s_.files);
  }

  const char* name() const override { return "mdtest"; }
  std::string summary() const override;
  std::string settings_json() const override;
  std::vector<Phase> phases() const override;
  uint32_t files() const override { return static_cast<uint32_t>(first_file() + files_ * ranks()); }
  PlannedFile file(uint32_t number) const override;
  uint64_t largest_transfer() const override { return s_.bytes; }
  uint64_t footprint() const override { return files_ * ranks() * s_.bytes; }
  uint64_t operations(const Phase& phase, int rank) const override;
  Status plan(const Phase& phase, int rank, const Take& take) const override;

 private:
  uint64_t ranks() const { return static_cast<uint64_t>(s_.ranks); }
  uint64_t trees() const { return s_.unique ? ranks() : 1; }
  uint64_t first_directory() const { return trees() * nodes_.size(); }
  uint64_t first_file() const { return first_directory() + directories_ * ranks(); }
  uint64_t trees_of(int rank) const { return s_.unique || rank == 0 ? 1 : 0; }  // that a rank makes
  /// Neighbours are in the same directory.
  std::string path(uint64_t rank, uint64_t item, uint64_t of, const char* what) const {
    const std::string& node = nodes_[item * nodes_.size() / of];
    return "tree." + std::to_string(s_.unique ? rank : 0) + node + what + std::to_string(rank) + "." +
           std::to_string(item);
  }
  Status plan_tree(bool creates, int rank, const Take& take) const;
  Status plan_file(const Phase& phase, uint32_t number, const Take& take) const;

  const MdtestSettings s_;
  std::vector<std::string> nodes_;  // paths of a tree's directories below its root
  uint64_t files_ = 0, directories_ = 0;
};

std::vector<Phase> Mdtest::phases() const {
  std::vector<Phase> all = {{"tree_create", Verb::kMakeDirectory, kTreeCreate}};
  if (directories_ > 0) {
    all.push_back({"directory_create", Verb::kMakeDirectory, kDirectoryCreate});
    all.push_back({"directory_stat", Verb::kStat, kDirectoryStat});
    all.push_back({"directory_remove", Verb::kRemoveDirectory, kDirectoryRemove});
  }
  if (files_ > 0) {
    all.push_back({"file_create", Verb::kCreate, kFileCreate});
    all.push_back({"file_stat", Verb::kStat, kFileStat});
    all.push_back({"file_read", s_.bytes > 0 ? Verb::kRead : Verb::kOpen, kFileRead});
    all.push_back({"file_remove", Verb::kRemove, kFileRemove});
  }
  all.push_back({"tree_remove", Verb::kRemoveDirectory, kTreeRemove});
  return all;
}

PlannedFile Mdtest::file(uint32_t number) const {
  PlannedFile file;
  if (number < first_directory()) {
    file.name = "tree." + std::to_string(number / nodes_.size()) + nodes_[number % nodes_.size()];
    file.directory = true;
  } else if (number < first_file()) {
    const uint64_t item = number - first_directory();
    file.name = path(item / directories_, item % directories_, directories_, "/dir.");
    file.directory = true;
  } else {
    const uint64_t item = number - first_file();
    file.name = path(item / files_, item % files_, files_, "/file.");
    file.owner = static_cast<int>(item / files_);
    file.bytes = s_.bytes;
  }
  return file;
}

std::string Mdtest::summary() const {
  return std::to_string(files_) + " files of " + std::to_string(s_.bytes) + " bytes and " +
         std::to_string(directories_) + " directories of each rank, in " +
         (s_.unique ? "a tree of its own" : "one tree for all") + " of " + std::to_string(nodes_.size());
}

std::string Mdtest::settings_json() const {
  const auto number = [](const char* name, uint64_t value) {
    return ", \"" + std::string(name) + "\": " + std::to_string(value);
  };
  return "{\"files\": " + std::to_string(files_) + number("directories", directories_) + number("depth", s_.depth) +
         number("branch", s_.branch) + number("tree", nodes_.size()) +
         ", \"unique\": " + (s_.unique ? "true" : "false") + number("bytes", s_.bytes) +
         number("shift", static_cast<uint64_t>(s_.shift)) + "}";
}

uint64_t Mdtest::operations(const Phase& phase, int rank) const {
  const uint64_t transfers = s_.bytes > 0 ? 1 : 0;
  if (phase.direction == Verb::kRead) return files_ * 3;
  switch (static_cast<Step>(phase.number)) {
    case kTreeCreate:
    case kTreeRemove:
      return trees_of(rank) * nodes_.size();
    case kDirectoryCreate:
    case kDirectoryStat:
    case kDirectoryRemove:
      return directories_;
    case kFileCreate:
    case kFileRead:
      return files_ * (2 + transfers);
    case kFileStat:
    case kFileRemove:
      break;
  }
  return files_;
}

Status Mdtest::plan_tree(bool creates, int rank, const Take& take) const {
  if (trees_of(rank) == 0) return {};
  const uint64_t first = s_.unique ? static_cast<uint64_t>(rank) * nodes_.size() : 0;
  for (uint64_t i = 0; i < nodes_.size(); ++i) {
    const uint64_t node = creates ? i : nodes_.size() - 1 - i;
    HEADRACE_TRY(take({creates ? Verb::kMakeDirectory : Verb::kRemoveDirectory, static_cast<uint32_t>(first + node)}));
  }
  return {};
}

Status Mdtest::plan_file(const Phase& phase, uint32_t number, const Take& take) const {
  const bool creates = phase.direction == Verb::kCreate;
  if (!creates && phase.direction != Verb::kRead && phase.direction != Verb::kOpen)
    return take({phase.direction, number});
  HEADRACE_TRY(take({creates ? Verb::kCreate : Verb::kOpen, number}));
  if (s_.bytes > 0) HEADRACE_TRY(take({creates ? Verb::kWrite : Verb::kRead, number, 0, s_.bytes}));
  return take({Verb::kClose, number});
}

Status Mdtest::plan(const Phase& phase, int rank, const Take& take) const {
  const auto step = phase.direction == Verb::kRead ? kFileRead : static_cast<Step>(phase.number);
  if (step == kTreeCreate || step == kTreeRemove) return plan_tree(step == kTreeCreate, rank, take);
  const bool looks = step == kDirectoryStat || step == kFileStat || step == kFileRead;
  const auto whose = static_cast<uint64_t>((rank + (looks ? s_.shift : 0)) % s_.ranks);
  const bool of_files = step >= kFileCreate;
  const uint64_t count = of_files ? files_ : directories_;
  const uint64_t first = (of_files ? first_file() : first_directory()) + whose * count;
  for (uint64_t i = 0; i < count; ++i) HEADRACE_TRY(plan_file(phase, static_cast<uint32_t>(first + i), take));
  return {};
}

}  // namespace

base::Result<std::unique_ptr<Pattern>> make_mdtest(const MdtestSettings& s) {
  if (s.branch == 0) return base::invalid("--branch is 1 or more");
  if (s.depth > kDeepest) return base::invalid("--depth is at most " + std::to_string(kDeepest));
  const uint64_t tree = directories_of(s.depth, s.branch), ranks = static_cast<uint64_t>(s.ranks);
  if (tree > kMostOfTree)
    return base::invalid("--depth and --branch make a tree of more than " + std::to_string(kMostOfTree) +
                         " directories");
  if (s.per_directory > UINT32_MAX || s.files > UINT32_MAX || s.directories.value_or(0) > UINT32_MAX)
    return base::invalid("--files, --directories and --per-directory are at most " + std::to_string(UINT32_MAX));
  const uint64_t items = s.per_directory > 0 ? 2 * s.per_directory * tree : s.files + s.directories.value_or(s.files);
  if (items == 0) return base::invalid("no --files and no --directories leave nothing to do");
  if (beyond(UINT32_MAX, {items + tree, ranks}))
    return base::invalid("all ranks together have more than " + std::to_string(UINT32_MAX) + " directories and files");
  if (beyond(kLargestFile, {items, ranks, s.bytes}))
    return base::invalid("--bytes of all files are more than a file system holds");
  if (s.shift < 0 || (s.shift != 0 && s.shift >= s.ranks))
    return base::invalid("--shift is less than the number of ranks, " + std::to_string(s.ranks));
  return std::unique_ptr<Pattern>(std::make_unique<Mdtest>(s));
}

}  // namespace headrace::workload

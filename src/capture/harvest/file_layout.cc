#include "capture/harvest/file_layout.h"

#include <errno.h>
#include <string.h>

#include <string_view>

#include "base/clock.h"
#include "base/hash.h"
#include "capture/harvest/lustre_layout.h"

namespace headrace::capture {
namespace {

constexpr size_t kMostDirectories = 1 << 14;
constexpr size_t kMostFilesSeen = 1 << 18;  // remembered; of those beyond, a file may be counted again

std::string_view plain_type(const Mount& mount) {
  const std::string_view type = mount.type;
  return type.starts_with("fuse.") ? type.substr(5) : type;
}

std::string reason_of(int error) {
  if (error == ENOENT || error == ENOTDIR) return "gone before they could be asked for";
  if (error == ENODATA) return "the file system has none of them";
  return strerror(error);
}

}  // namespace

bool FileLayouts::told_by(const Mount& mount) {
  const std::string_view type = plain_type(mount);
  return type == "lustre" || type == "gpfs";
}

std::vector<model::Property> FileLayouts::of(const std::string& path, const Mount& mount) {
  if (!told_by(mount)) return {};
  if (seen_.size() < kMostFilesSeen) {
    if (!seen_.insert(base::hash_text(path)).second) return {};
  } else if (seen_.count(base::hash_text(path)) != 0) {
    return {};
  }
  const bool full = seen_.size() >= kMostFilesSeen;
  if (full || spent_ns_ >= patience_.all_ns) {
    miss("not asked for: there are too many files for the time that may be spent on it");
    return {};
  }
  if (silent_.count(mount.id) != 0) {
    miss("the file system did not answer in time");
    return {};
  }
  const bool lustre = plain_type(mount) == "lustre";
  const uint64_t begin = base::clock_ns(CLOCK_MONOTONIC);
  const FileAsker::Answer answer = asker_.ask(
      lustre ? FileAsker::Question::kLustreLayout : FileAsker::Question::kBlockSize, path, patience_.each_ns);
  spent_ns_ += base::clock_ns(CLOCK_MONOTONIC) - begin;
  if (!answer.came) {
    silent_.insert(mount.id);
    miss("the file system did not answer in time");
    return {};
  }
  if (answer.error != 0) {
    miss(reason_of(answer.error));
    return {};
  }
  if (!lustre) return {{"gpfs.block_size", std::to_string(answer.number)}};
  auto properties = lustre_properties(answer.bytes);
  if (properties.ok()) return std::move(*properties);
  miss(properties.message());
  return {};
}

const std::string& FileLayouts::real_directory(const std::string& directory) {
  static const std::string kUnknown;
  if (const auto known = real_.find(directory); known != real_.end()) return known->second;
  if (real_.size() >= kMostDirectories || spent_ns_ >= patience_.all_ns) return kUnknown;
  const uint64_t begin = base::clock_ns(CLOCK_MONOTONIC);
  const FileAsker::Answer answer = asker_.ask(FileAsker::Question::kRealPath, directory, patience_.each_ns);
  spent_ns_ += base::clock_ns(CLOCK_MONOTONIC) - begin;
  return real_[directory] = std::string(base::as_text(answer.bytes));
}

std::vector<model::Gap> FileLayouts::take_gaps() {
  std::vector<model::Gap> gaps;
  for (const auto& [reason, files] : missed_) gaps.push_back({"layouts of files", files, "files", reason});
  missed_.clear();
  return gaps;
}

}  // namespace headrace::capture

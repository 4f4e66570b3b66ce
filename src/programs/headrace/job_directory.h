// The directory where the processes of one job keep their spools while they run.
//
// It holds `config` (read by the recorder), `job` (read by `headrace collect` if the launcher is killed), spools and
// notes. Whoever harvests it holds a lock on it, so that two never do. One thread at a time.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/harvest/clock_map.h"
#include "programs/headrace/settings.h"

namespace headrace::programs {

/// Whether spools can be mapped from `directory`: a local file system. Otherwise kUnsupported, with its type, or kIo.
base::Status check_local(const std::string& directory);

class JobDirectory {
 public:
  JobDirectory() = default;
  JobDirectory(JobDirectory&& other) noexcept { *this = std::move(other); }
  JobDirectory& operator=(JobDirectory&& other) noexcept;
  ~JobDirectory();

  /// Makes a new directory with its `config` in the first place that can take it: `settings.spool`, /dev/shm, $TMPDIR,
  /// /tmp, /var/tmp. On failure the message says what was wrong with each of them.
  /// `launch`: identity of the launch whose ranks have a launcher each, "" = this is none of those.
  static base::Result<JobDirectory> create(const RunSettings& settings, const std::string& launch = "");
  /// Whether `settings.spool` can take it, by making one there and removing it.
  static base::Status check_spool(const RunSettings& settings);
  /// Opens and locks an existing one. kLimit: somebody else harvests it. kNotFound, kIo, kInvalid (not this user's).
  static base::Result<JobDirectory> open(const std::string& path);

  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_; }
  /// What spoke against the places that were tried before; empty as a rule.
  const std::string& refused() const { return refused_; }

  /// The facts kept for `collect`; empty when there are none.
  std::map<std::string, std::string> facts() const;
  base::Status keep_facts(const std::map<std::string, std::string>& facts);

  /// Makes a link in it to `directory`, where libraries to preload are, and gives the link's path; it goes when the job
  /// directory does. kUnsupported: the job directory's own path cannot be preloaded from.
  base::Result<std::string> link_libraries(const std::string& directory);

  /// Leaves a note that process `process_id` is not captured.
  void leave_note(uint32_t process_id, const std::string& reason, const std::string& program);

  /// Whether somebody else removed it.
  bool is_gone() const;

  /// Removes a directory that programs without a launcher here made, unless one of them has come meanwhile.
  void remove_if_empty(const std::map<std::string, std::string>& facts);

  /// Removes the directory and all in it.
  void remove();

 private:
  base::Status make_below(const std::string& base, const RunSettings& settings, const std::string& launch);
  void remove_registries() const;
  std::vector<std::string> files(const std::string& prefix) const;
  void remove_files(const std::string& prefix);
  base::Status write_file(const char* name, const std::string& text);

  std::string path_, refused_;
  int descriptor_ = -1;
};

}  // namespace headrace::programs

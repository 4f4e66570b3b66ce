// The command lines of `headrace run`, `headrace collect` and `headrace snapshot`.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "programs/headrace/settings.h"

namespace headrace::programs {

extern const char kRunHelp[];
extern const char kCollectHelp[];
extern const char kSnapshotHelp[];

/// Reads the site's configuration file, which `named` replaces unless "", alone or with the user's after it. A mistake
/// in a file that nobody named goes to `warning`, because it must not keep people from their work, and nothing of that
/// file is used.
base::Status read_site_file(const std::string& named, RunSettings* settings, std::string* warning);
base::Status read_files(const std::string& named, RunSettings* settings, std::string* warning);

/// The settings of a run from configuration, environment and `arguments` (without "headrace run"). `warning` receives
/// what is wrong with the site's file, which must not keep people from their work. kNotFound: help was asked for.
/// kInvalid: a mistake, in words.
base::Result<RunSettings> parse_run(const std::vector<std::string>& arguments, std::string* warning);

struct CollectSettings {
  RunSettings site;    // what configuration says of logs
  std::string output;  // "" = the log a launcher began, or a name made from the time
  bool quiet = false;
  bool anonymize = false;
  std::vector<std::string> sources;  // directories of records, and logs; empty: all directories of this user
};
base::Result<CollectSettings> parse_collect(const std::vector<std::string>& arguments, std::string* warning);

struct SnapshotSettings {
  std::string directory;  // of the job's records; "" = the only job of this user
  std::string output;     // "" = beside the job's log
  bool quiet = false;
};
base::Result<SnapshotSettings> parse_snapshot(const std::vector<std::string>& arguments);

}  // namespace headrace::programs

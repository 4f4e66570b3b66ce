// What earlier monitors of a host left in a store.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "collect/devices/tracker.h"

namespace headrace::collect {

/// Finishes a file that a killed monitor left, given by its path without ".open.hr": stores what its tail has and gives
/// it its last name. One that nothing was stored in is removed. Errors of format::Reader and Writer; the file stays.
base::Status finish_left_file(const std::string& base);

/// Paths of all left files of a host's directory, without ".open.hr".
std::vector<std::string> left_files(const std::string& directory);

/// The last sample of the newest finished file; nothing when there is none that can be read.
std::optional<EarlierRun> last_sample(const std::string& directory);

/// Makes the system store the file now. kIo, kNoSpace.
base::Status synchronize(const std::string& path);

}  // namespace headrace::collect

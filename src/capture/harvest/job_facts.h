// What a launcher keeps of a job in its directory, for whoever goes on with the log.
#pragma once
#include <map>
#include <string>

#include "base/result.h"

namespace headrace::capture {

/// The lines "key=value" of the file `job`; empty when there is none.
std::map<std::string, std::string> read_job_facts(int directory);

/// Puts them in the place of those that are there; others see the old ones or the new. Values with a line end are left
/// out. kIo, kNoSpace.
base::Status keep_job_facts(int directory, const std::map<std::string, std::string>& facts);

}  // namespace headrace::capture

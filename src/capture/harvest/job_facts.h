// What a launcher keeps of a job in its directory, for whoever goes on with the log.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "capture/harvest/clock_map.h"

namespace headrace::capture {

constexpr char kJobFactsFile[] = "job";

/// The lines "key=value" of that file; empty when there is none.
std::map<std::string, std::string> read_job_facts(int directory);

/// Whether a job left them; a directory may be anybody's that has a file of that name.
bool are_of_a_job(const std::map<std::string, std::string>& facts);

/// Puts them in the place of those that are there; others see the old ones or the new. Values with a line end are left
/// out. kIo, kNoSpace.
base::Status keep_job_facts(int directory, const std::map<std::string, std::string>& facts);

/// The job's start as they tell it; nothing where they do not.
std::optional<Moment> told_start(const std::map<std::string, std::string>& facts);

}  // namespace headrace::capture

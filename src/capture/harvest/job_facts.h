// What a launcher keeps of a job in its directory, for whoever goes on with the log.
#pragma once
#include <map>
#include <string>

namespace headrace::capture {

/// The lines "key=value" of the file `job`; empty when there is none.
std::map<std::string, std::string> read_job_facts(int directory);

}  // namespace headrace::capture

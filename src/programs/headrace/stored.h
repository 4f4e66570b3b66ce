// What a launcher left in its directory and in its log, for whoever goes on.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>

#include "capture/harvest/clock_map.h"

namespace headrace::programs {

using Facts = std::map<std::string, std::string>;

/// "" or 0 where there is no such fact.
std::string fact_of(const Facts& facts, const char* key);
uint64_t number_of(const Facts& facts, const char* key);
/// Whether it is for us alone, and no fact about the job.
bool is_note(const std::string& key);

/// When the job began whose records are in an open directory: as its facts say, or its earliest record.
capture::Moment start_of(int directory, const Facts& facts);

struct Stored {
  /// Those that are there with all they did; one that "runs" was reduced with its ranks, and did more.
  std::unordered_set<uint64_t> processes;
  uint64_t last_end_ns = 0;  // since the job's start
};
/// What a log has already; nothing where it cannot be read.
Stored stored_in(const std::string& log);

}  // namespace headrace::programs

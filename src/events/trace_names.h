#pragma once
// The tables of a trace (docs/formats/trace.md), read. Internal to events.

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "events/trace_writer.h"
#include "format/reader.h"

namespace headrace::events {

struct LocationRow {
  Location what;
  uint64_t events = 0;
};

struct PairHash {
  size_t operator()(const std::pair<uint64_t, uint32_t>& pair) const { return base::mix(pair.first, pair.second); }
};

struct TraceNames {
  std::vector<std::pair<std::string, std::string>> facts;  // one a key
  std::vector<LocationRow> locations;
  std::vector<Reference> references;                    // one an id
  std::unordered_map<uint64_t, uint32_t> reference_of;  // by id
  std::unordered_map<std::pair<uint64_t, uint32_t>, std::string, PairHash> handles;
  std::map<std::string, uint64_t> accounts;  // of all threads together
  std::vector<ClockRow> clocks;
};

/// Tables and columns that are not there read as empty. kLimit, kIo.
base::Result<TraceNames> read_names(format::Reader& reader, uint64_t job);

}  // namespace headrace::events

#include "collect/devices/diskstats.h"

#include "collect/devices/text_fields.h"

namespace headrace::collect {
namespace {

constexpr int64_t kSector = 512;
constexpr size_t kFields = 11;       // behind the name; kernels since 4.18 and 5.5 have more, which are not used
constexpr size_t kLongestName = 64;  // the kernel's are at most 32 bytes

/// The name on a line, and what follows it; false: no such line.
bool split(std::string_view line, std::string_view& name, std::string_view& rest) {
  int64_t number = 0;
  if (!to_number(next_word(line), number) || !to_number(next_word(line), number)) return false;
  name = next_word(line);
  rest = line;
  return !name.empty() && name.size() <= kLongestName;
}

bool parse_fields(std::string_view rest, Counters& counters) {
  int64_t fields[kFields];
  for (int64_t& field : fields) {
    if (!to_number(next_word(rest), field)) return false;
  }
  if (fields[2] > INT64_MAX / kSector || fields[6] > INT64_MAX / kSector) return false;
  counters[kReads] = fields[0];
  counters[kReadBytes] = fields[2] * kSector;
  counters[kReadMs] = fields[3];
  counters[kWrites] = fields[4];
  counters[kWriteBytes] = fields[6] * kSector;
  counters[kWriteMs] = fields[7];
  counters[kBusyMs] = fields[9];
  counters[kQueueMs] = fields[10];
  counters[kMetadata] = kNotKnown;
  return true;
}

}  // namespace

void parse_diskstats(std::string_view text, DeviceFilter& filter, std::vector<std::string_view>& names, Look& look) {
  names.clear();
  std::string_view line, name, rest;
  for (std::string_view left = text; next_line(left, line);) {
    if (split(line, name, rest)) names.push_back(name);
  }
  for (std::string_view left = text; next_line(left, line);) {
    if (!split(line, name, rest)) {
      ++look.garbled;
      look.whole = false;
      continue;
    }
    if (!filter.takes(name, names)) continue;
    Counters counters;
    if (!parse_fields(rest, counters)) {
      ++look.garbled;
      look.whole = false;
      continue;
    }
    Reading& reading = look.add_device();
    reading.kind = Kind::kBlock;
    reading.device = name;
    reading.counters = counters;
  }
}

}  // namespace headrace::collect

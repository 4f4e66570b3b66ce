#include "programs/headrace/stored.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

#include "capture/harvest/job_facts.h"
#include "capture/harvest/spool_directory.h"
#include "capture/spool_layout.h"
#include "format/reader.h"

namespace headrace::programs {

using capture::Moment;

namespace {

bool read_header(int directory, const capture::SpoolName& name, capture::Header* header) {
  const int fd = openat(directory, name.file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  const bool whole = fd >= 0 && read(fd, header, sizeof *header) == static_cast<ssize_t>(sizeof *header);
  if (fd >= 0) close(fd);
  return whole && header->magic == capture::kSpoolMagic;
}

}  // namespace

std::string fact_of(const Facts& facts, const char* key) {
  const auto found = facts.find(key);
  return found == facts.end() ? "" : found->second;
}

uint64_t number_of(const Facts& facts, const char* key) { return strtoull(fact_of(facts, key).c_str(), nullptr, 10); }

/// What is noted for us alone.
bool is_note(const std::string& key) {
  constexpr const char* kNotes[] = {"log",  "start_monotonic_ns", "start_boottime_ns", "anonymize", "producer", "part",
                                    "node", "trace_mode"};
  return std::find(std::begin(kNotes), std::end(kNotes), key) != std::end(kNotes);
}

/// Processes that are in a log already with all they did; one that "runs" was reduced with its ranks, and did more.
std::unordered_set<uint64_t> stored_processes(const std::string& log) {
  std::unordered_set<uint64_t> ids;
  auto reader = format::Reader::open(log);
  if (!reader.ok()) return ids;
  const auto table = reader->table("processes");
  const format::Column* column = table.ok() ? table->find("process") : nullptr;
  const format::Column* ended = table.ok() ? table->find("ended") : nullptr;
  const bool told = ended != nullptr && ended->type == format::Type::kText;
  for (uint64_t row = 0; column != nullptr && row < table->rows; ++row) {
    if (!told || ended->text(row) != "running") ids.insert(column->u64(row));
  }
  return ids;
}

Moment start_of(int directory, const Facts& facts) {
  if (const auto told = capture::told_start(facts)) return *told;
  Moment start = Moment::now();
  for (const capture::SpoolName& name : capture::list_spools(directory)) {
    capture::Header header{};
    if (read_header(directory, name, &header) && header.realtime_ns < start.realtime_ns)
      start = {0, header.monotonic_ns[0], header.realtime_ns, header.boottime_ns};
  }
  return start;
}

}  // namespace headrace::programs

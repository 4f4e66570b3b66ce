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

Stored stored_in(const std::string& log) {
  Stored stored;
  auto reader = format::Reader::open(log);
  if (!reader.ok()) return stored;
  const auto table = reader->table("processes");
  if (!table.ok()) return stored;
  const format::Column *process = table->find("process"), *ended = table->find("ended"),
                       *end = table->find("end_at_ns");
  const bool told = ended != nullptr && ended->type == format::Type::kText;
  const bool timed = end != nullptr && end->type == format::Type::kU64;
  for (uint64_t row = 0; process != nullptr && row < table->rows; ++row) {
    if (timed) stored.last_end_ns = std::max(stored.last_end_ns, end->u64(row));
    if (!told || ended->text(row) != "running") stored.processes.insert(process->u64(row));
  }
  return stored;
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

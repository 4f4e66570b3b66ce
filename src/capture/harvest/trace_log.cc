#include "capture/harvest/trace_log.h"

#include <stdio.h>
#include <unistd.h>

#include <vector>

#include "base/random.h"
#include "format/reader.h"
#include "format/sink.h"

namespace headrace::capture {

using base::Status;

namespace {

constexpr char kTraceOf[] = "trace_of";

struct Found {
  bool is_trace = false;
  std::optional<uint64_t> job;  // its id, if it is of the job that began then
};

Found look_at(const std::string& path, uint64_t start_utc_ns) {
  Found found;
  auto reader = format::Reader::open(path);
  if (!reader.ok() || reader->jobs().size() != 1) return found;
  const auto facts = reader->table("job");
  const format::Column* keys = facts.ok() ? facts->find("key") : nullptr;
  const format::Column* values = facts.ok() ? facts->find("value") : nullptr;
  if (keys == nullptr || values == nullptr) return found;
  for (uint64_t row = 0; row < facts->rows; ++row) {
    found.is_trace |= keys->text(row) == kTraceOf;
    if (keys->text(row) == "start_utc_ns" && values->text(row) == std::to_string(start_utc_ns))
      found.job = reader->jobs().front();
  }
  return found;
}

void put_aside(const std::string& path) { (void)rename(path.c_str(), (path + ".old").c_str()); }

}  // namespace

std::string trace_path(const std::string& log) {
  const bool named = log.size() > 3 && log.ends_with(".hr");
  return (named ? log.substr(0, log.size() - 3) : log) + ".trace.hr";
}

Status TraceLog::open(const std::string& log) {
  path_ = trace_path(log);
  const std::optional<uint64_t> known = look_at(path_, start_.realtime_ns).job;
  if (!known && access(path_.c_str(), F_OK) == 0) put_aside(path_);
  HEADRACE_ASSIGN(auto sink, format::FileSink::open(path_, format::FileSink::Mode::kAppend));
  HEADRACE_ASSIGN(auto writer, events::TraceWriter::open(std::move(sink), known ? *known : base::random_number()));
  writer_.emplace(std::move(writer));
  if (known) return {};
  return writer_->add_facts({{"start_utc_ns", std::to_string(start_.realtime_ns)}, {kTraceOf, log}});
}

Status TraceLog::add(const std::string& log, const model::Process& process, const RecordedEvents& recorded,
                     const ClockMap& clock) {
  if (!writer_) HEADRACE_TRY(open(log));
  std::vector<events::Handle> handles;
  for (const auto& [number, name] : recorded.names) handles.push_back({process.id, number, name});
  HEADRACE_TRY(writer_->add(handles));
  uint64_t lost = recorded.lost;
  for (const auto& [thread, raw] : recorded.threads) {
    const ThreadTrace trace = trace_of(recorded, raw, clock);
    const events::Location location{process.id,         thread, static_cast<int32_t>(process.rank), process.host,
                                    process.process_id, lost};
    HEADRACE_TRY(writer_->add(location, trace.events, trace.references));
    lost_ += std::exchange(lost, 0);  // of the process: told once
  }
  return {};
}

void TraceLog::put_others_aside(const std::string& log) const {
  const std::string path = trace_path(log);
  if (!path_.empty() || access(path.c_str(), F_OK) != 0) return;
  const Found found = look_at(path, start_.realtime_ns);
  if (found.is_trace && !found.job) put_aside(path);
}

Status TraceLog::close() {
  if (!writer_) return {};
  const Status closed = writer_->close();
  writer_.reset();
  return closed;
}

}  // namespace headrace::capture

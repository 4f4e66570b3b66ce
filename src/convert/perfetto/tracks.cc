#include "convert/perfetto/tracks.h"

#include <unordered_set>

#include "convert/perfetto/fields.h"
#include "convert/trace/plain_text.h"

namespace headrace::convert::perfetto {

namespace {

// Ids of processes and threads are one space for the whole trace, and those of several hosts may be the same.
constexpr int32_t kMadePids = 0x40000000, kMadeTids = 0x50000000;

}  // namespace

Tracks::Tracks(const events::TraceReader& trace) : trace_(trace) {
  std::unordered_set<int32_t> used;
  for (const events::TraceLocation& location : trace.locations()) {
    const auto [process, added] = processes_.try_emplace(location.what.process);
    if (!added) continue;
    const uint64_t number = processes_.size() - 1;
    const auto pid = static_cast<int32_t>(location.what.process_id);
    const bool own = pid > 0 && pid < kMadePids && used.insert(pid).second;
    process->second = {number, own ? pid : kMadePids + static_cast<int32_t>(number & 0x0fffffff)};
  }
}

uint64_t Tracks::process(uint32_t location) const { return uint64_t{1} << 63 | of(location).number; }

int32_t Tracks::tid(uint32_t location) const {
  const bool main = trace_.locations()[location].what.thread == 1;
  return main ? of(location).shown_pid : kMadeTids + static_cast<int32_t>(location & 0x0fffffff);
}

Message Tracks::describe_process(uint32_t location) const {
  const events::Location& what = trace_.locations()[location].what;
  Message process, track;
  process.number(ProcessField::kPid, static_cast<uint64_t>(of(location).shown_pid));
  std::string name = what.rank >= 0 ? "rank " + std::to_string(what.rank) : "process";
  if (!what.command.empty()) name = (what.rank >= 0 ? name + " " : "") + what.command;
  name += " (pid " + std::to_string(what.process_id) + (what.host.empty() ? "" : " on " + what.host) + ")";
  process.text(ProcessField::kName, plain_text(name));
  track.number(TrackField::kUuid, this->process(location));
  track.message(TrackField::kProcess, process);
  return track;
}

Message Tracks::describe_thread(uint32_t location) const {
  const events::Location& what = trace_.locations()[location].what;
  Message thread, track;
  thread.number(ThreadField::kPid, static_cast<uint64_t>(of(location).shown_pid));
  thread.number(ThreadField::kTid, static_cast<uint64_t>(tid(location)));
  const std::string name = "thread " + std::to_string(what.thread);
  thread.text(ThreadField::kName, what.name.empty() ? name : plain_text(what.name) + " (" + name + ")");
  track.number(TrackField::kUuid, this->thread(location));
  track.number(TrackField::kParent, process(location));
  track.message(TrackField::kThread, thread);
  return track;
}

Message Tracks::describe_counter(uint32_t location, uint32_t counter, const std::string& name) const {
  Message track;
  track.number(TrackField::kUuid, this->counter(location, counter));
  track.text(TrackField::kName, plain_text(name));
  track.number(TrackField::kParent, thread(location));
  track.message(TrackField::kCounter, {});
  return track;
}

}  // namespace headrace::convert::perfetto

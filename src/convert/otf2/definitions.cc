#include "convert/otf2/definitions.h"

#include <algorithm>

#include "convert/otf2/regions.h"
#include "convert/trace/plain_text.h"

namespace headrace::convert::otf2 {

using events::Reference;
using events::TraceLocation;

namespace {

constexpr uint64_t kMostRanks = 1u << 22;
constexpr OTF2_GroupRef kWorldGroup = 0, kRanksGroup = 1;
constexpr OTF2_SystemTreeNodeRef kMachine = 0;

OTF2_AttributeValue number(uint64_t value) {
  OTF2_AttributeValue all;
  all.uint64 = value;
  return all;
}

/// The first location of each rank, of those that are written. None at all if ranks are so far apart that most have
/// none.
std::vector<uint64_t> locations_of_ranks(const std::vector<TraceLocation>& locations,
                                         const std::vector<uint32_t>& written) {
  std::vector<uint64_t> ranks;
  for (const TraceLocation& location : locations) {
    if (location.what.rank < 0) continue;
    const auto rank = static_cast<uint64_t>(location.what.rank);
    if (rank >= kMostRanks || rank > 2 * locations.size() + 1024) return {};
    if (rank >= ranks.size()) ranks.resize(rank + 1, OTF2_UNDEFINED_LOCATION);
  }
  for (const uint32_t each : written) {
    const int32_t rank = locations[each].what.rank;
    if (rank >= 0 && ranks[static_cast<size_t>(rank)] == OTF2_UNDEFINED_LOCATION)
      ranks[static_cast<size_t>(rank)] = each;
  }
  return ranks;
}

}  // namespace

Definitions::Definitions(events::TraceReader& trace, const std::vector<uint32_t>& locations)
    : trace_(&trace),
      locations_(locations),
      ranks_(locations_of_ranks(trace.locations(), locations)),
      records_(trace.locations().size()) {}

OTF2_IoHandleRef Definitions::handle(uint64_t process, uint32_t handle, uint32_t paradigm) {
  const HandleKey key{process, handle, paradigm};
  const auto [place, added] = handles_.try_emplace(key, static_cast<uint32_t>(handles_.size()));
  if (added) handle_list_.push_back(key);
  return place->second;
}

OTF2_StringRef Definitions::text(std::string_view bytes) {
  std::string plain = plain_text(bytes);
  const auto [place, added] = texts_.try_emplace(std::move(plain), static_cast<OTF2_StringRef>(texts_.size()));
  if (added) (*calls_)(OTF2_GlobalDefWriter_WriteString(writer_, place->second, place->first.c_str()));
  return place->second;
}

std::string Definitions::name_of(uint32_t reference) const {
  const Reference& what = trace_->references()[reference];
  return what.name.empty() ? "unknown " + std::to_string(what.id) : what.name;
}

void Definitions::write(OTF2_GlobalDefWriter* writer, const Clock& clock, Calls& calls) {
  writer_ = writer;
  calls_ = &calls;
  uint64_t start_utc_ns = 0;
  for (const auto& [key, value] : trace_->facts())
    if (key == "start_utc_ns") start_utc_ns = strtoull(value.c_str(), nullptr, 10);
  const uint64_t length = std::max(clock.end_at_ns, clock.begin_at_ns) - clock.begin_at_ns + 1;
  calls(OTF2_GlobalDefWriter_WriteClockProperties(writer, 1'000'000'000, clock.begin_at_ns, length,
                                                  start_utc_ns + clock.begin_at_ns));
  write_attributes();
  write_places();
  write_regions();
  write_metrics();
  write_communicators();
  write_handles();
}

void Definitions::write_attributes() {
  const auto attribute = [&](Attribute self, const char* name, const char* meaning, OTF2_Type type) {
    const OTF2_StringRef called = text(name), told = text(meaning);
    (*calls_)(OTF2_GlobalDefWriter_WriteAttribute(writer_, self, called, told, type));
  };
  attribute(kOffset, "Offset", "where in the file the operation began", OTF2_TYPE_UINT64);
  attribute(kErrno, "Errno", "why the call failed", OTF2_TYPE_UINT32);
  attribute(kMoved, "Bytes moved", "by the call", OTF2_TYPE_UINT64);
  attribute(kHandle, "File", "what the call was on", OTF2_TYPE_IO_HANDLE);
  attribute(kSize, "Bytes asked for", "by the call", OTF2_TYPE_UINT64);
  attribute(kTarget, "Rank reached", "whose memory the call read or changed", OTF2_TYPE_UINT32);
}

/// Hosts, processes and threads.
void Definitions::write_places() {
  Calls& check = *calls_;
  check(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, kMachine, text("machine"), text("machine"),
                                                 OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  std::map<std::string, uint32_t> hosts;
  std::map<uint64_t, uint32_t> processes;
  const OTF2_StringRef process_name = text("process"), pid_name = text("pid"), thread_name = text("thread");
  for (const uint32_t i : locations_) {
    const events::Location& what = trace_->locations()[i].what;
    const auto [host, new_host] = hosts.try_emplace(what.host, static_cast<uint32_t>(hosts.size() + 1));
    if (new_host)
      check(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, host->second, text(what.host), text("node"), kMachine));
    const auto [process, new_process] = processes.try_emplace(what.process, static_cast<uint32_t>(processes.size()));
    if (new_process) {
      std::string name =
          what.rank >= 0 ? "MPI Rank " + std::to_string(what.rank) : "Process " + std::to_string(what.process_id);
      if (what.rank < 0 && !what.command.empty()) name += " " + what.command;
      check(OTF2_GlobalDefWriter_WriteLocationGroup(writer_, process->second, text(name),
                                                    OTF2_LOCATION_GROUP_TYPE_PROCESS, host->second,
                                                    OTF2_UNDEFINED_LOCATION_GROUP));
      check(OTF2_GlobalDefWriter_WriteLocationGroupProperty(writer_, process->second, process_name, OTF2_TYPE_UINT64,
                                                            number(what.process)));
      check(OTF2_GlobalDefWriter_WriteLocationGroupProperty(writer_, process->second, pid_name, OTF2_TYPE_UINT64,
                                                            number(what.process_id)));
    }
    const std::string thread = "Thread " + std::to_string(what.thread) + (what.name.empty() ? "" : " " + what.name);
    check(OTF2_GlobalDefWriter_WriteLocation(writer_, i, text(thread), OTF2_LOCATION_TYPE_CPU_THREAD, records_[i],
                                             process->second));
    check(OTF2_GlobalDefWriter_WriteLocationProperty(writer_, i, thread_name, OTF2_TYPE_UINT64, number(what.thread)));
  }
  if (locations_.empty()) write_no_place();
}

/// Readers take an archive without any location for a broken one.
void Definitions::write_no_place() {
  const OTF2_StringRef name = text("nothing was recorded");
  (*calls_)(OTF2_GlobalDefWriter_WriteLocationGroup(writer_, 0, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, kMachine,
                                                    OTF2_UNDEFINED_LOCATION_GROUP));
  (*calls_)(OTF2_GlobalDefWriter_WriteLocation(writer_, kNoPlace, name, OTF2_LOCATION_TYPE_CPU_THREAD, 0, 0));
}

void Definitions::write_regions() {
  for (uint32_t i = 0; i < regions_.references.size(); ++i) {
    const Reference& what = trace_->references()[regions_.references[i]];
    const OTF2_StringRef name = text(name_of(regions_.references[i])), layer = text(what.layer);
    (*calls_)(OTF2_GlobalDefWriter_WriteRegion(writer_, i, name, name, layer, role_of(what), paradigm_of(what),
                                               flags_of(what), OTF2_UNDEFINED_STRING, 0, 0));
  }
}

void Definitions::write_metrics() {
  Calls& check = *calls_;
  for (uint32_t i = 0; i < metrics_.references.size(); ++i) {
    const OTF2_StringRef name = text(name_of(metrics_.references[i])), nothing = text("");
    check(OTF2_GlobalDefWriter_WriteMetricMember(writer_, i, name, nothing, OTF2_METRIC_TYPE_OTHER,
                                                 OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0,
                                                 nothing));
    check(OTF2_GlobalDefWriter_WriteMetricClass(writer_, i, 1, &i, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU));
  }
}

/// Ranks in the trace are those of the whole program, so all communicators have all ranks.
void Definitions::write_communicators() {
  Calls& check = *calls_;
  const auto count = static_cast<uint32_t>(ranks_.size());
  if (count == 0) return;
  std::vector<uint64_t> places(count);
  for (uint32_t i = 0; i < count; ++i) places[i] = i;
  const OTF2_StringRef nothing = text("");
  check(OTF2_GlobalDefWriter_WriteParadigm(writer_, OTF2_PARADIGM_MPI, text("MPI"), OTF2_PARADIGM_CLASS_PROCESS));
  check(OTF2_GlobalDefWriter_WriteGroup(writer_, kWorldGroup, nothing, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                        OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count, ranks_.data()));
  check(OTF2_GlobalDefWriter_WriteGroup(writer_, kRanksGroup, nothing, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                        OTF2_GROUP_FLAG_NONE, count, places.data()));
  for (uint32_t i = 0; i < communicators_.references.size(); ++i)
    check(OTF2_GlobalDefWriter_WriteComm(writer_, i, text(name_of(communicators_.references[i])), kRanksGroup,
                                         OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

void Definitions::write_handles() {
  Calls& check = *calls_;
  std::vector<OTF2_IoParadigmRef> paradigms(kParadigms, OTF2_UNDEFINED_IO_PARADIGM);  // numbered as they come
  OTF2_IoParadigmRef next_paradigm = 0;
  std::unordered_map<OTF2_StringRef, OTF2_IoFileRef> files;
  for (OTF2_IoHandleRef self = 0; self < handle_list_.size(); ++self) {
    const auto [process, number, paradigm] = handle_list_[self];
    if (paradigms[paradigm] == OTF2_UNDEFINED_IO_PARADIGM) {
      paradigms[paradigm] = next_paradigm++;
      const IoParadigm& is = kIoParadigms[paradigm];
      check(OTF2_GlobalDefWriter_WriteIoParadigm(writer_, paradigms[paradigm], text(is.identification), text(is.name),
                                                 is.kind, is.flags, 0, nullptr, nullptr, nullptr));
    }
    const std::string& path = trace_->handle(process, number);
    const OTF2_StringRef name = text(path.empty() ? "unknown" : path);
    const auto [file, added] = files.try_emplace(name, static_cast<OTF2_IoFileRef>(files.size()));
    if (added) check(OTF2_GlobalDefWriter_WriteIoRegularFile(writer_, file->second, name, kMachine));
    check(OTF2_GlobalDefWriter_WriteIoHandle(writer_, self, name, file->second, paradigms[paradigm],
                                             OTF2_IO_HANDLE_FLAG_PRE_CREATED, OTF2_UNDEFINED_COMM,
                                             OTF2_UNDEFINED_IO_HANDLE));
    check(OTF2_GlobalDefWriter_WriteIoPreCreatedHandleState(writer_, self, OTF2_IO_ACCESS_MODE_READ_WRITE,
                                                            OTF2_IO_STATUS_FLAG_NONE));
  }
}

}  // namespace headrace::convert::otf2

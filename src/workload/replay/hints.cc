#include "workload/replay/hints.h"

#include <unordered_map>

namespace headrace::workload::replay {
namespace {

/// Of a path, from the end of the trace back to a call.
struct Later {
  Session session;
  int64_t open = 0;  // descriptors and streams that are closed later
  uint64_t position = kUnknown;
};

}  // namespace

Hints look_ahead(const Recording& job, const std::vector<Call>& calls, const std::vector<Fate>& fates) {
  Hints hints;
  hints.sessions.resize(calls.size());
  hints.positions.assign(calls.size(), kUnknown);
  std::unordered_map<uint32_t, Later> all;
  for (size_t i = calls.size(); i-- > 0;) {
    if (fates[i] != Fate::kDone) continue;
    const Call& call = calls[i];
    const Action action = job.functions[call.function].done.action;
    Later& later = all[call.path];
    later.session.reads |= reads(action);
    later.session.writes |= writes(action) || action == Action::kResize;
    if (reads(action) || writes(action)) later.session.reads_first = reads(action) && call.moved > 0;
    if (moves_position(action)) later.position = call.offset;
    if (closes(action)) ++later.open;
    if (action == Action::kDuplicate && later.open > 0) --later.open;
    if (needs_open(action)) hints.sessions[i] = later.session;
    if (!opens(action) && !seeks(action)) continue;
    if (opens(action) && call.error == 0) {
      hints.sessions[i] = later.session;
      if (later.open > 0) --later.open;
      if (later.open == 0) later.session = {};
    }
    hints.positions[i] = std::exchange(later.position, kUnknown);
  }
  return hints;
}

}  // namespace headrace::workload::replay

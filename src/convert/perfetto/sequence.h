#pragma once
// The events of one location as packets of one sequence, which names texts by numbers. Internal to perfetto.

#include <string>
#include <unordered_map>
#include <vector>

#include "convert/perfetto/fields.h"
#include "convert/perfetto/flows.h"
#include "convert/perfetto/tracks.h"
#include "convert/trace/export.h"

namespace headrace::convert::perfetto {

class Sequence {
 public:
  /// Packets are appended to `to`.
  Sequence(const events::TraceReader& trace, const Tracks& tracks, Flows& flows, uint32_t location, std::string& to);

  void take(const BalancedEvent& event);

 private:
  void slice_begin(const model::Event& event);
  void slice_end(const model::Event& event, bool made);
  void instant(const model::Event& event, const char* name);
  void counter(const model::Event& event);
  uint64_t name_of(uint32_t reference);
  uint64_t path_of(uint32_t handle);
  uint64_t text_of(const std::string& text);
  void annotate(uint32_t name, uint64_t number);
  void annotate_text(uint32_t name, uint64_t text);
  void intern(uint32_t list, uint64_t number, std::string_view text);
  void put(uint64_t time);

  const events::TraceReader& trace_;
  const Tracks& tracks_;
  Flows& flows_;
  uint32_t location_;
  std::string& to_;
  Message event_, interned_, packet_, scratch_;
  std::vector<bool> unnamed_;                        // of open slices: operations whose begin has no file
  std::vector<bool> named_;                          // references whose names are interned
  std::unordered_map<uint32_t, uint64_t> paths_;     // by handle
  std::unordered_map<std::string, uint64_t> texts_;  // their numbers
  std::unordered_map<uint32_t, uint32_t> counters_;  // by reference
  std::vector<std::string> layers_;                  // categories behind those of the classes of time
};

}  // namespace headrace::convert::perfetto

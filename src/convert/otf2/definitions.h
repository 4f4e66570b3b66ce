#pragma once
// The definitions of an archive: what events of a trace refer to, collected while these are written. Internal to otf2.

#include <otf2/otf2.h>

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "events/trace_reader.h"

namespace headrace::convert::otf2 {

/// References of attributes.
enum Attribute : OTF2_AttributeRef { kOffset, kErrno, kMoved, kHandle, kSize, kTarget };

/// The first failure of many calls.
struct Calls {
  OTF2_ErrorCode first = OTF2_SUCCESS;
  void operator()(OTF2_ErrorCode code) {
    if (first == OTF2_SUCCESS) first = code;
  }
  bool ok() const { return first == OTF2_SUCCESS; }
};

struct Clock {
  uint64_t begin_at_ns = 0, end_at_ns = 0;  // since the job's start; of all events
};

inline constexpr OTF2_LocationRef kNoPlace = 0;  // of an archive in which nothing happens

class Definitions {
 public:
  /// `locations`: whose events are written; others are not defined.
  Definitions(events::TraceReader& trace, const std::vector<uint32_t>& locations);

  /// For what an event of the trace refers to. Each kind is numbered from 0 on, as readers expect it.
  uint32_t region(uint32_t reference) { return regions_.number_of(reference); }
  uint32_t metric(uint32_t reference) { return metrics_.number_of(reference); }
  uint32_t communicator(uint32_t reference) { return communicators_.number_of(reference); }
  OTF2_IoHandleRef handle(uint64_t process, uint32_t handle, uint32_t paradigm);

  /// Whether messages with this rank can be told: ranks are places in a list of locations.
  bool knows(int64_t rank) const { return rank >= 0 && static_cast<uint64_t>(rank) < ranks_.size(); }

  void count(uint32_t location, uint64_t records) { records_[location] = records; }

  /// Everything, once all events are written.
  void write(OTF2_GlobalDefWriter* writer, const Clock& clock, Calls& calls);

 private:
  /// References in the order in which they were met.
  struct Numbered {
    std::vector<uint32_t> references, numbers;  // numbers: by reference, from 1 on
    uint32_t number_of(uint32_t reference) {
      if (reference >= numbers.size()) numbers.resize(reference + 1);
      if (numbers[reference] == 0) {
        references.push_back(reference);
        numbers[reference] = static_cast<uint32_t>(references.size());
      }
      return numbers[reference] - 1;
    }
  };
  OTF2_StringRef text(std::string_view bytes);
  std::string name_of(uint32_t reference) const;
  void write_attributes();
  void write_places();
  void write_no_place();
  void write_regions();
  void write_metrics();
  void write_communicators();
  void write_handles();

  events::TraceReader* trace_;
  const std::vector<uint32_t>& locations_;
  Numbered regions_, metrics_, communicators_;
  using HandleKey = std::tuple<uint64_t, uint32_t, uint32_t>;  // process, handle, paradigm
  std::map<HandleKey, uint32_t> handles_;
  std::vector<HandleKey> handle_list_;
  std::vector<uint64_t> ranks_;    // location of each
  std::vector<uint64_t> records_;  // by location
  std::unordered_map<std::string, OTF2_StringRef> texts_;
  OTF2_GlobalDefWriter* writer_ = nullptr;
  Calls* calls_ = nullptr;
};

}  // namespace headrace::convert::otf2

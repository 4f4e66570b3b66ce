#pragma once
// The definitions of an archive that is read. What is not defined reads as empty. Internal to otf2.

#include <otf2/otf2.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "convert/otf2/known_names.h"

namespace headrace::convert::otf2 {

struct KnownRegion {
  std::string name, description;
  OTF2_RegionRole role = OTF2_REGION_ROLE_UNKNOWN;
  OTF2_Paradigm paradigm = OTF2_PARADIGM_UNKNOWN;
  OTF2_RegionFlag flags = OTF2_REGION_FLAG_NONE;
  KnownName by_name = {};
};
struct KnownProcess {
  std::string host;
  uint64_t process = 0, pid = 0;
  int32_t rank = -1;
  uint32_t threads = 0;  // given so far
};
struct KnownLocation {
  uint64_t self = 0, thread = 0;  // thread 0: not known
  OTF2_LocationGroupRef process = 0;
};
struct KnownHandle {
  std::string name;
  OTF2_IoFileRef file = 0;
  OTF2_IoParadigmRef paradigm = 0;
};

struct KnownDefinitions {
  uint64_t resolution = 1, begin = 0, start_utc_ns = 0;
  std::unordered_map<uint32_t, std::string> texts, hosts, paradigms, files, members;
  std::unordered_map<uint32_t, std::string> attributes;  // names
  std::unordered_map<uint32_t, KnownRegion> regions;
  std::unordered_map<uint32_t, KnownProcess> processes;
  std::vector<KnownLocation> locations;
  std::unordered_map<uint64_t, size_t> location_of;  // in locations
  std::unordered_map<uint32_t, KnownHandle> handles;
  std::unordered_map<uint32_t, std::vector<uint32_t>> metrics;                   // members of a class
  std::unordered_map<uint32_t, std::pair<std::string, uint32_t>> communicators;  // name and group
  std::unordered_map<uint32_t, std::vector<uint64_t>> groups;
  std::vector<uint64_t> ranks;  // locations of MPI's ranks

  /// Gives processes their ranks. After all definitions.
  void finish();
  /// The rank in the whole program; the same number if the communicator's group is not known.
  uint32_t rank_of(uint32_t communicator, uint32_t rank) const;
  const std::string& text(uint32_t reference) const { return of(texts, reference); }

  template <typename Map>
  static const std::string& of(const Map& map, uint32_t reference) {
    static const std::string kNone;
    const auto found = map.find(reference);
    return found == map.end() ? kNone : found->second;
  }
};

/// Reads them into `to`.
OTF2_ErrorCode read_definitions(OTF2_Reader* reader, KnownDefinitions& to);

}  // namespace headrace::convert::otf2

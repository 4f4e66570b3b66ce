#pragma once
// The names of a Darshan log: paths, datasets and the like by their id.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "convert/darshan/region.h"

namespace headrace::convert::darshan {

class NameMap {
 public:
  /// Adds all records of the region; gives false when it ends inside one, or beyond `most` bytes.
  bool read(RegionReader& region, const Header& header, uint64_t most);

  /// Of several names of an id the first that is not empty counts.
  void add(uint64_t id, std::string_view name);

  /// The name; "<darshan 0123456789abcdef>" for an id that has none.
  std::string of(uint64_t id) const;
  bool has(uint64_t id) const { return names_.contains(id); }
  const std::vector<uint64_t>& ids() const { return ids_; }  // in the order of the log
  std::string_view raw(uint64_t id) const;

 private:
  size_t parse(base::Bytes bytes, const Header& header);
  std::unordered_map<uint64_t, std::string> names_;
  std::vector<uint64_t> ids_;
};

}  // namespace headrace::convert::darshan

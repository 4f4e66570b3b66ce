#pragma once
// What no record of a log can say. Records that say it are read askew, since their layout is another one, or damaged.
// Internal to darshan.

#include <cstdint>
#include <string>
#include <string_view>

#include "convert/darshan/reading.h"

namespace headrace::convert::darshan {

/// Looks at the values of records and keeps the first that cannot be. `reading` outlives it, and its names are read.
class Sanity {
 public:
  explicit Sanity(const Reading& reading) : reading_(reading) {}

  bool id(uint64_t id);
  /// -1: of all ranks.
  bool rank(int64_t rank);
  /// A number of things or bytes; -1: nobody counted.
  bool count(std::string_view name, int64_t value);
  /// The same of what may be negative, as a stride.
  bool distance(std::string_view name, int64_t value);
  /// A point in time or a duration. Darshan itself has had durations below 0.
  bool seconds(std::string_view name, double value);
  bool record(const Layout& layout, const Record& record);
  /// Whether these are the first bytes of a record, with an id and a rank: the region was cut in it.
  bool is_begun(base::Bytes bytes);
  /// Says that the region ends inside a record, unless something else was wrong before.
  void end_inside() { (void)fail("they end inside one"); }

  /// Empty: nothing was wrong so far.
  const std::string& why() const { return why_; }

 private:
  bool fail(const std::string& why);
  const Reading& reading_;
  std::string why_;
};

/// Says that nothing of a module is read, since its records are others than its version has.
void lose_askew(Reading& reading, Module module, const std::string& why);
/// Whether a region was passed to its end without damage, which leaves no other reason for senseless records.
bool is_undamaged(RegionReader& region);

/// The version whose layout the records of a module have: that of the header, else the only known one that fits, which
/// is told. 0: none, and that is told. A damaged region is as its header says.
uint32_t fitting_version(Reading& reading, const Layout& layout);

}  // namespace headrace::convert::darshan

// What the file system of a directory costs, measured: the constants of a profile.
#pragma once
#include <array>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "base/result.h"
#include "workload/emulation/constants.h"

namespace headrace::workload::emulation {

struct MeasureSettings {
  std::string directory;      // an empty one, which stays empty
  int processes = 2;          // at most, that do something at once
  uint64_t bytes = 64 << 20;  // written and read for the bandwidth, by all together
  int repetitions = 200;      // of each call by each process
  std::function<void(const std::string&)> progress;
  std::function<bool()> stopped;
};

/// Calls a second of all processes together.
struct Rate {
  std::string call;
  int processes;
  double rate;
};

/// How a constant is known. kUnknown: nothing here tells it, and 0 in `constants` is no figure.
enum class Origin : uint8_t { kMeasured, kStated, kEmulated, kUnknown };

struct Measured {
  Constants constants;
  std::vector<Rate> rates;                                 // of names, and of bytes ("write_bytes", "read_bytes")
  std::array<Origin, std::size(kConstants)> origins = {};  // of each of kConstants
  Origin& origin(uint64_t Constants::* place) { return origins[index_of(place)]; }
};

/// kIo: a call failed, or it was stopped. Leaves files behind then.
base::Result<Measured> measure(const MeasureSettings& settings);

/// What was not measured or found below an emulated file system, from the constants that are emulated.
void complete(const Constants& emulated, Measured* measured);

/// The profile, each constant with how it is known. Nothing in it depends on the day. `hints`: the file of an emulated
/// profile, or "".
std::string profile_text(const Measured& measured, const std::string& title, const std::string& source,
                         const std::string& hints);

}  // namespace headrace::workload::emulation

// `--emulate`: what programs that this process becomes or starts need so that files are slow.
#pragma once
#include <string>

#include "base/result.h"
#include "workload/emulation/profile.h"
#include "workload/emulation/state.h"

namespace headrace::programs {

class Emulation {
 public:
  /// Nothing is emulated.
  Emulation() = default;
  /// Sets the variables of workload/emulation/state_file.h and LD_PRELOAD, behind what is there: a capture is outside
  /// and sees the delays. `profile` as the user names it; `directory` must be there.
  /// `brief`: for ranks that find the state by their launch, and remove its file once all of them have it.
  static base::Result<Emulation> begin(const std::string& profile, const std::string& directory, bool brief);

  const workload::emulation::Profile& profile() const { return profile_; }
  /// {"creates": 12, …} of this node's processes so far.
  std::string counts() const;
  /// This process has no more part in it. The state goes with the last one that has.
  void end();

 private:
  workload::emulation::Profile profile_;
  workload::emulation::State* state_ = nullptr;
  std::string path_;
};

/// Where the profiles are that come with Headrace.
std::string profiles_directory();

}  // namespace headrace::programs

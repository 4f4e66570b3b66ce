// Profiles: TOML files that say what a file system costs (docs/bench/emulation.md has the keys).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "workload/emulation/constants.h"

namespace headrace::workload::emulation {

struct Profile {
  std::string title;  // one line
  Constants constants;
  std::string hints;  // path of a file for ROMIO, as its variable ROMIO_HINTS names one; may be ""
};

/// `text` of the file `name`. kInvalid: "mine.toml:7: [latency] read: …; …" with what to do.
base::Result<Profile> parse_profile(std::string_view text, const std::string& name);
/// kIo: it cannot be read.
base::Result<Profile> read_profile(const std::string& path);

/// What a word after --emulate means: a file if it has a / or ends with .toml; else the name of a profile in
/// `installed`; else a time such as 200us, which each read and write waits.
base::Result<Profile> find_profile(const std::string& word, const std::string& installed);
/// Names of the profiles in a directory, in order.
std::vector<std::string> profile_names(const std::string& directory);

/// For HEADRACE_EMULATE.
std::string handed_on(const Constants& constants);
/// The value of a constant as profiles write it: "200us", "1500000B/s", "4096B".
std::string written(uint64_t value, Unit unit);
/// Less than a ns or byte is dropped. Times: ns, us, ms, s. Sizes: B, KiB, MiB, GiB, KB, MB, GB; rates: with /s.
base::Result<uint64_t> parse_value(const std::string& text, Unit unit);

}  // namespace headrace::workload::emulation

// The part of TOML 1.0 that profiles are written in: comments, [tables], bare keys, strings on one line, and whole
// numbers. All else that TOML has is refused, by name, so that nothing of a file is taken for something it is not.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace headrace::workload::emulation {

struct TomlEntry {
  int line;           // from 1
  std::string table;  // "" before the first [table]
  std::string key;
  std::string value;  // of a string, without quotes; of a number, its digits
  bool is_string;
};

/// The entries in their order; no key comes twice in a table, and no table twice. kInvalid: "line 7: …".
base::Result<std::vector<TomlEntry>> parse_toml(std::string_view text);

}  // namespace headrace::workload::emulation

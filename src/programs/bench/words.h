// Options of a command line: by name, each with what it sets.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace headrace::programs {

struct Option {
  bool flag;  // has no value
  std::function<base::Status(const std::string&)> set;
};
using Options = std::map<std::string, Option>;

Option flag(bool* to, bool value = true);
Option text(std::string* to);
/// Digits alone, at most `most`.
Option number(uint64_t* to, uint64_t most);
Option number(int* to);
/// "3.5": finite, not negative.
Option decimal(double* to);
/// "4M", "4m", "65536", "1G", "512KiB": powers of 1024.
Option size(uint64_t* to);
/// The same, or "off" for 0.
Option size_or_off(std::optional<uint64_t>* to);
/// "10Kx10K": a size for each dimension.
Option sizes(std::vector<uint64_t>* to);
/// KEY=VALUE, again for more.
Option pairs(std::vector<std::pair<std::string, std::string>>* to);

/// One of these, by the word that name_of has for it.
template <typename Name>
Option name(Name* to, std::initializer_list<Name> all) {
  return {false, [to, names = std::vector<Name>(all)](const std::string& value) -> base::Status {
            std::string known;
            for (const Name one : names) {
              known += (known.empty() ? "" : ", ") + std::string(name_of(one));
              if (value != name_of(one)) continue;
              *to = one;
              return {};
            }
            return {base::Code::kInvalid, "'" + value + "' is none of " + known};
          }};
}

/// kNotFound with `help` where it was asked for; kInvalid: a mistake, in words.
base::Status parse_words(const std::vector<std::string>& words, const Options& options, const char* help);

}  // namespace headrace::programs

#include "programs/bench/words.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>

namespace headrace::programs {

using base::Code;
using base::Status;

namespace {

/// Neither a sign nor what no 64 bits hold.
Status read_number(const std::string& value, size_t digits, uint64_t* to) {
  const auto [end, error] = std::from_chars(value.data(), value.data() + digits, *to);
  if (error != std::errc() || end != value.data() + digits || digits == 0)
    return base::invalid("'" + value + "' is no number that is meant here");
  return {};
}

Status read_size(const std::string& value, uint64_t* to) {
  const size_t digits = std::min(value.find_first_not_of("0123456789"), value.size());
  std::string unit = value.substr(digits);
  if (unit.size() == 1) unit[0] = static_cast<char>(toupper(static_cast<unsigned char>(unit[0])));
  constexpr const char* kUnits[] = {"", "K", "M", "G", "T"};
  for (unsigned power = 0; digits > 0 && power < std::size(kUnits); ++power) {
    if (unit != kUnits[power] && unit != std::string(kUnits[power]) + "iB") continue;
    HEADRACE_TRY(read_number(value, digits, to));
    if (*to > (UINT64_MAX >> (10 * power))) break;
    *to <<= 10 * power;
    return {};
  }
  return base::invalid("'" + value + "' is no size, such as 65536, 64K, 4M or 1G");
}

}  // namespace

Option flag(bool* to, bool value) {
  return {true, [=](const std::string&) { return *to = value, Status(); }};
}

Option text(std::string* to) {
  return {false, [to](const std::string& value) { return *to = value, Status(); }};
}

Option number(uint64_t* to, uint64_t most) {
  return {false, [=](const std::string& value) -> Status {
            HEADRACE_TRY(read_number(value, value.size(), to));
            return *to > most ? base::invalid("'" + value + "' is more than " + std::to_string(most)) : Status();
          }};
}

Option number(int* to) {
  return {false, [=](const std::string& value) -> Status {
            uint64_t found = 0;
            HEADRACE_TRY(read_number(value, value.size(), &found));
            if (found > INT32_MAX) return base::invalid("'" + value + "' is too much");
            *to = static_cast<int>(found);
            return {};
          }};
}

Option decimal(double* to) {
  return {false, [to](const std::string& value) -> Status {
            const char* const behind = value.data() + value.size();
            const auto [end, error] = std::from_chars(value.data(), behind, *to, std::chars_format::fixed);
            if (error != std::errc() || end != behind || !std::isfinite(*to) || std::signbit(*to))
              return base::invalid("'" + value + "' is no number that is meant here, such as 3.5");
            return {};
          }};
}

Option size(uint64_t* to) {
  return {false, [to](const std::string& value) { return read_size(value, to); }};
}

Option size_or_off(std::optional<uint64_t>* to) {
  return {false, [to](const std::string& value) {
            *to = 0;
            return value == "off" ? Status() : read_size(value, &**to);
          }};
}

Option sizes(std::vector<uint64_t>* to) {
  return {false, [to](const std::string& value) -> Status {
            to->clear();
            for (size_t at = 0; at <= value.size();) {
              const size_t end = std::min(value.find('x', at), value.size());
              HEADRACE_TRY(read_size(value.substr(at, end - at), &to->emplace_back()));
              at = end + 1;
            }
            return {};
          }};
}

Option pairs(std::vector<std::pair<std::string, std::string>>* to) {
  return {false, [to](const std::string& value) {
            const size_t equals = value.find('=');
            if (equals == value.npos || equals == 0) return base::invalid("'" + value + "' is no KEY=VALUE");
            to->emplace_back(value.substr(0, equals), value.substr(equals + 1));
            return Status();
          }};
}

Status parse_words(const std::vector<std::string>& words, const Options& options, const char* help) {
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i] == "-q" ? "--quiet" : words[i];
    if (word == "--help" || word == "-h") return {Code::kNotFound, help};
    if (!word.starts_with("--")) return base::invalid("'" + word + "' is no option");
    const size_t equals = std::min(word.find('='), word.size());
    const std::string name = word.substr(2, equals - 2);
    const auto option = options.find(name);
    if (option == options.end()) return base::invalid("there is no option --" + name);
    const bool given = equals < word.size();
    if (option->second.flag && given) return base::invalid("--" + name + " has no value");
    if (!option->second.flag && !given && i + 1 == words.size()) return base::invalid("--" + name + " needs a value");
    const std::string value = given ? word.substr(equals + 1) : option->second.flag ? "" : words[++i];
    if (const Status status = option->second.set(value); !status.ok())
      return base::invalid("--" + name + ": " + status.message());
  }
  return {};
}

}  // namespace headrace::programs

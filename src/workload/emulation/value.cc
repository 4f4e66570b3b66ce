#include <algorithm>
#include <span>

#include "workload/emulation/profile.h"

namespace headrace::workload::emulation {
namespace {

using base::Code;
using base::Result;
using base::Status;

struct Name {
  const char* name;
  uint64_t factor;
};
constexpr Name kTimes[] = {{"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}, {"ns", 1}};
constexpr Name kSizes[] = {
    {"TiB", uint64_t{1} << 40}, {"GiB", 1 << 30},  {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"TB", 1'000'000'000'000},
    {"GB", 1'000'000'000},      {"MB", 1'000'000}, {"KB", 1'000},    {"B", 1}};

const char* example_of(Unit unit) {
  return unit == Unit::kTime     ? "a time up to 60s, such as \"200us\" or \"1.5ms\""
         : unit == Unit::kRate   ? "a rate, such as \"350MiB/s\" or \"2.5GB/s\""
         : unit == Unit::kSize   ? "a size, such as \"4MiB\""
         : unit == Unit::kSystem ? "\"lustre\" or \"gpfs\""
                                 : "\"service\" (one for all directories) or \"directory\" (one for each)";
}

/// "us" or "MiB"; 0: there is no such unit.
uint64_t factor_of(const std::string& name, std::span<const Name> names) {
  const auto found = std::find_if(names.begin(), names.end(), [&](const Name& each) { return each.name == name; });
  return found == names.end() ? 0 : found->factor;
}

}  // namespace

Result<uint64_t> parse_value(const std::string& text, Unit unit) {
  const Status refused(Code::kInvalid, "'" + text + "' is not " + example_of(unit));
  if (unit == Unit::kQueue) {
    if (text != "service" && text != "directory") return refused;
    return uint64_t{text == "directory"};
  }
  if (unit == Unit::kSystem) {
    if (text != "lustre" && text != "gpfs") return refused;
    return text == "lustre" ? kLustre : kGpfs;
  }
  constexpr size_t kMostDigits = 16;
  uint64_t number = 0, parts = 1;
  size_t at = 0, points = 0, digits = 0;
  for (; at < text.size() && (text[at] == '.' || (text[at] >= '0' && text[at] <= '9')); ++at) {
    if (text[at] == '.') {
      if (digits == 0 || ++points > 1) return refused;
      continue;
    }
    if (++digits > kMostDigits) return refused;
    number = number * 10 + static_cast<uint64_t>(text[at] - '0');
    if (points > 0) parts *= 10;
  }
  std::string name = text.substr(at);
  if (digits == 0 || text[at - 1] == '.') return refused;
  if (unit == Unit::kRate) {
    if (!name.ends_with("/s")) return refused;
    name.resize(name.size() - 2);
  }
  const uint64_t factor = unit == Unit::kTime ? factor_of(name, kTimes) : factor_of(name, kSizes);
  const auto value = static_cast<__uint128_t>(number) * factor / parts;
  if (factor == 0 || value > most_of(unit)) return refused;
  return static_cast<uint64_t>(value);
}

std::string written(uint64_t value, Unit unit) {
  if (unit == Unit::kQueue) return value != 0 ? "directory" : "service";
  if (unit == Unit::kSystem) return value == kLustre ? "lustre" : "gpfs";
  const auto names = unit == Unit::kTime ? std::span<const Name>(kTimes) : std::span<const Name>(kSizes);
  for (const Name& each : names) {  // the largest unit that two decimals are enough for
    const uint64_t hundredths = each.factor % 100 == 0 ? each.factor / 100 : each.factor;
    if (value < each.factor || value % hundredths != 0) continue;
    std::string text = std::to_string(value / each.factor);
    if (const uint64_t rest = value % each.factor / hundredths; rest > 0)
      text += (rest < 10 ? ".0" : ".") + std::to_string(rest % 10 == 0 ? rest / 10 : rest);
    return text + each.name + (unit == Unit::kRate ? "/s" : "");
  }
  return unit == Unit::kTime ? "0ns" : unit == Unit::kRate ? "0B/s" : "0B";
}

std::string handed_on(const Constants& constants) {
  std::string text = "1";
  for (const Constant& each : kConstants) text += "," + std::to_string(constants.*each.place);
  return text;
}

}  // namespace headrace::workload::emulation

#include "capture/harvest/readable_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace headrace::capture {
namespace {

constexpr size_t kLongestMangled = 4095;
constexpr double kLongestReadable = 1 << 20;

/// The place behind "S0_" or "T_" whose letter is at `at`, and its number from 0; 0: it is none.
size_t end_of_reference(const std::string& name, size_t at, size_t& number) {
  size_t end = at + 1;
  bool digits = false;
  for (number = 0; end < name.size() && name[end] != '_'; ++end, digits = true) {
    const char c = name[end];
    const bool digit = c >= '0' && c <= '9', letter = c >= 'A' && c <= 'Z';
    if ((!digit && !letter) || number > kLongestMangled) return 0;
    number = number * 36 + static_cast<size_t>(digit ? c - '0' : c - 'A' + 10);
  }
  if (end == name.size()) return 0;
  if (digits) ++number;
  return end + 1;
}

}  // namespace

/// A substitution repeats something that was said before, so it is at most as long as all of that was when its number,
/// or a higher one, came for the first time. A parameter of a template may be any of what was said.
double longest_readable(const std::string& name) {
  constexpr double kLongestLetter = 24;  // "unsigned long long", an operator, and what separates
  std::vector<double> known;             // by number of the substitution
  double length = 0;
  for (size_t at = 0; at < name.size(); ++at) {
    size_t number = 0;
    const size_t end = name[at] == 'S' || name[at] == 'T' ? end_of_reference(name, at, number) : 0;
    if (end != 0 && name[at] == 'S') {
      if (number >= known.size()) known.resize(number + 1, length);
      length += known[number];
    } else if (end != 0) {
      length *= 2;
    }
    length += kLongestLetter;
  }
  return length;
}

std::string readable_name(const std::string& name) {
  if (!name.starts_with("_Z") || name.size() > kLongestMangled || longest_readable(name) > kLongestReadable)
    return name;
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string result = text != nullptr && status == 0 ? text : name;
  std::free(text);
  return result;
}

}  // namespace headrace::capture

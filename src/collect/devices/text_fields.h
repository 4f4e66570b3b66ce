// Words and numbers of the kernel's text files. Pure functions; whatever the text holds, they stay inside it.
#pragma once
#include <cstdint>
#include <string_view>

namespace headrace::collect {

/// Takes the next line off `text`; false at its end. The last line may lack its end.
inline bool next_line(std::string_view& text, std::string_view& line) {
  if (text.empty()) return false;
  const size_t end = text.find('\n');
  line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return true;
}

/// Takes the next word, between spaces or tabs, off `line`; empty at its end.
inline std::string_view next_word(std::string_view& line) {
  size_t begin = 0;
  while (begin < line.size() && (line[begin] == ' ' || line[begin] == '\t')) ++begin;
  size_t end = begin;
  while (end < line.size() && line[end] != ' ' && line[end] != '\t') ++end;
  const std::string_view word = line.substr(begin, end - begin);
  line = line.substr(end);
  return word;
}

/// False: not all of `word` is digits, or the number is beyond 2^63 - 1.
inline bool to_number(std::string_view word, int64_t& value) {
  if (word.empty()) return false;
  uint64_t number = 0;
  for (const char c : word) {
    if (c < '0' || c > '9') return false;
    const auto digit = static_cast<uint64_t>(c - '0');
    if (number > (static_cast<uint64_t>(INT64_MAX) - digit) / 10) return false;
    number = number * 10 + digit;
  }
  value = static_cast<int64_t>(number);
  return true;
}

}  // namespace headrace::collect

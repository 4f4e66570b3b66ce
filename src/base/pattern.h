// Names with "*" (any text) and "?" (any one byte). Allocates nothing and calls nothing.
#pragma once

namespace headrace::base {

constexpr bool matches_pattern(const char* pattern, const char* text) {
  const char *star = nullptr, *resume = nullptr;
  while (*text) {
    if (*pattern == '*') {
      star = pattern++;
      resume = text;
    } else if (*pattern == '?' || *pattern == *text) {
      ++pattern;
      ++text;
    } else if (star) {
      pattern = star + 1;
      text = ++resume;
    } else {
      return false;
    }
  }
  while (*pattern == '*') ++pattern;
  return !*pattern;
}

static_assert(matches_pattern("ssh", "ssh") && !matches_pattern("ssh", "sshd") && matches_pattern("ssh*", "sshd"));
static_assert(matches_pattern("*-daemon", "a-b-daemon") && !matches_pattern("*-daemon", "a-daemons"));
static_assert(matches_pattern("a*b*c", "a-b-b-c") && matches_pattern("?", "x") && !matches_pattern("?", ""));
static_assert(matches_pattern("*", "") && matches_pattern("", "") && !matches_pattern("", "x"));

}  // namespace headrace::base

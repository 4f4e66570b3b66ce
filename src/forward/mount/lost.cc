#include "forward/mount/lost.h"

#include <string.h>

#include <algorithm>

namespace headrace::forward::mount {
namespace {

constexpr size_t kMostLines = 1000;
constexpr size_t kMostRanges = 4;  // of a line

std::string ranges_in_words(int error, std::span<const BadRange> of_error) {
  std::string text;
  size_t named = 0;
  uint64_t left = 0;
  for (const BadRange& each : of_error) {
    if (static_cast<int>(each.error) != error) continue;
    if (++named > kMostRanges) {
      left += each.where.length;
      continue;
    }
    text += (text.empty() ? "" : ", ") + std::to_string(each.where.length) + " bytes from " +
            std::to_string(each.where.offset);
  }
  if (named > kMostRanges)
    text += " and " + std::to_string(left) + " bytes in " + std::to_string(named - kMostRanges) + " more ranges";
  return text + " are not stored: " + strerror(error);
}

}  // namespace

std::string lost_in_words(const std::string& path, int error, std::span<const BadRange> bad) {
  std::vector<int> errors;
  bool unbounded = bad.empty();  // what a server that was killed held is not known
  for (const BadRange& each : bad) {
    const int number = static_cast<int>(each.error);
    if (each.where.length == 0)
      unbounded = true;
    else if (std::find(errors.begin(), errors.end(), number) == errors.end())
      errors.push_back(number);
  }
  std::vector<BadRange> bounded;
  std::copy_if(bad.begin(), bad.end(), std::back_inserter(bounded),
               [](const BadRange& each) { return each.where.length != 0; });
  std::string text;
  for (const int each : errors) text += (text.empty() ? "" : "; ") + ranges_in_words(each, bounded);
  if (unbounded)
    text += (text.empty() ? "" : "; ") + std::string("not all that was written is stored: ") + strerror(error);
  return path + ": " + text;
}

void Lost::add(std::string line) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (lines_.size() == kMostLines)
    ++left_out_;
  else
    lines_.push_back(std::move(line));
}

bool Lost::any() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !lines_.empty();
}

std::string Lost::lines(std::span<const std::string> more, size_t most) const {
  constexpr size_t kLastLine = 64;
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string text;
  size_t left_out = left_out_;
  const auto put = [&](const std::string& line) {
    if (text.size() + line.size() + 1 + kLastLine > most)
      ++left_out;
    else
      text += line + "\n";
  };
  for (const std::string& line : lines_) put(line);
  for (const std::string& line : more) put(line);
  if (left_out > 0) text += std::to_string(left_out) + " more are in the log of the mount\n";
  return text;
}

}  // namespace headrace::forward::mount

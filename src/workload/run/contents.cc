#include "workload/run/contents.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"

namespace headrace::workload {
namespace {

constexpr uint64_t kPage = 4096;

}  // namespace

Contents::Contents(uint64_t seed, uint64_t largest) : lines_(kLine * kLines + kLine + largest) {
  for (uint64_t at = 0; at + 8 <= kLine * kLines; at += 8) {
    const uint64_t word = base::mix(seed, at / 8);
    for (uint64_t byte = 0; byte < 8; ++byte) lines_[at + byte] = static_cast<uint8_t>(word >> (8 * byte));
  }
  for (size_t at = kLine * kLines; at < lines_.size();) {  // behind the last line comes the first again
    const size_t some = std::min<size_t>(lines_.size() - at, kLine * kLines);
    std::memcpy(&lines_[at], lines_.data(), some);
    at += some;
  }
}

std::optional<Contents::Difference> Contents::compare(uint32_t file, uint64_t offset,
                                                      std::span<const uint8_t> bytes) const {
  const std::span<const uint8_t> meant = at(file, offset, bytes.size());
  if (std::equal(bytes.begin(), bytes.end(), meant.begin())) return std::nullopt;
  Difference found{0, 0};
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == meant[i]) continue;
    if (found.bytes++ == 0) found.offset = offset + i;
  }
  return found;
}

std::optional<Contents::Difference> Contents::glance(uint32_t file, uint64_t offset,
                                                     std::span<const uint8_t> bytes) const {
  const std::span<const uint8_t> meant = at(file, offset, bytes.size());
  for (size_t i = 0; i < bytes.size(); i += kPage)
    if (bytes[i] != meant[i]) return Difference{offset + i, 1};
  if (!bytes.empty() && bytes.back() != meant.back()) return Difference{offset + bytes.size() - 1, 1};
  return std::nullopt;
}

}  // namespace headrace::workload

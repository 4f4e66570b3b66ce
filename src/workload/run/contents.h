// What files hold: bytes that follow from the run's seed, the file and where they are, so that whoever reads them can
// tell what was never written, is another file's, stands elsewhere or is of an earlier run.
//
// They repeat, so that all that is ever written stands ready in memory that a processor keeps near, and a measured call
// is preceded by nothing:
//
//   byte at offset o of file f = line[(o / 64 + 194 f) mod 509], byte o mod 64; word w of line l = mix(seed, 8 l + w)
//
// 509 is prime: what is displaced by any power of two, or belongs to one of the 508 files beside it, differs. What is
// displaced by a multiple of 64 x 509 = 32,576 bytes does not. A neighbouring file's bytes stand 12 KiB and more away.
// Immutable, any thread.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace headrace::workload {

class Contents {
 public:
  /// For transfers of at most `largest` bytes.
  Contents(uint64_t seed, uint64_t largest);

  /// What stands at `offset` of `file`. Lives as long as this does.
  std::span<const uint8_t> at(uint32_t file, uint64_t offset, uint64_t bytes) const {
    const uint64_t line = (offset / kLine + file * kBetweenFiles) % kLines;
    return {lines_.data() + line * kLine + offset % kLine, bytes};
  }

  struct Difference {
    uint64_t offset;  // in the file, of the first wrong byte
    uint64_t bytes;   // that are wrong
  };
  std::optional<Difference> compare(uint32_t file, uint64_t offset, std::span<const uint8_t> bytes) const;
  /// Whether a glance finds nothing.
  bool looks_right(uint32_t file, uint64_t offset, std::span<const uint8_t> bytes) const {
    constexpr uint64_t kSmall = 4096;
    if (bytes.empty() || bytes.size() > kSmall) return !glance(file, offset, bytes);
    const uint8_t* meant = at(file, offset, bytes.size()).data();
    return bytes.front() == meant[0] && bytes.back() == meant[bytes.size() - 1];
  }
  /// Looks at one byte in 4096 and at the last one alone, which costs next to nothing. `bytes` of the answer is 1.
  std::optional<Difference> glance(uint32_t file, uint64_t offset, std::span<const uint8_t> bytes) const;

 private:
  static constexpr uint64_t kLine = 64, kLines = 509;
  static constexpr uint64_t kBetweenFiles =
      194;  // lines; by the golden ratio, which keeps those of near files far apart

  std::vector<uint8_t> lines_;
};

}  // namespace headrace::workload

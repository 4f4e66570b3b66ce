#include "format/scan.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/crc32c.h"
#include "format/magic.h"
#include "format/room.h"

namespace headrace::format {

using base::Bytes;
using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr size_t kHop = 4096;          // read at once while going from header to header
constexpr size_t kSearch = 256 << 10;  // read at once while looking for a magic

class Scanner {
 public:
  Scanner(Source& source, uint64_t begin, uint64_t end, Contents& contents, bool gaps)
      : source_(source),
        position_(begin),
        end_(end),
        contents_(contents),
        gaps_(gaps),
        checks_left_(4 * (end - begin) + kSearch) {}

  Status run(uint64_t max_chunks) {
    while (position_ < end_) {
      if (contents_.chunks.size() >= max_chunks) {
        return Status(Code::kLimit, source_.label() + ": holds more than " + std::to_string(max_chunks) +
                                        " chunks, the reader's limit");
      }
      std::string trouble;
      HEADRACE_TRY(step(trouble));
      if (!trouble.empty()) HEADRACE_TRY(skip_to_next_header(std::move(trouble)));
    }
    return {};
  }

 private:
  /// Takes one chunk, or says why there is none here.
  Status step(std::string& trouble) {
    HEADRACE_ASSIGN(const Bytes bytes, peek(position_, kHeaderSize));
    const Result<ChunkHeader> header = decode_header(bytes);
    if (!header.ok()) {
      contents_.newer_format |= header.code() == Code::kUnsupported;
      trouble = header.message();
      return {};
    }
    if (chunk_size(*header) > end_ - position_) {
      trouble = "chunk is cut off: " + std::to_string(chunk_size(*header)) + " bytes were to follow";
      return {};
    }
    // A header right behind it vouches for the length. Otherwise the chunk may have been cut and something else
    // appended, and its payload must speak for itself.
    const uint64_t next = position_ + chunk_size(*header);
    HEADRACE_ASSIGN(const bool vouched, next == end_ ? Result<bool>(true) : magic_at(next));
    // The payload of an index is looked at by nobody after a scan: check it now, so that no damage stays unsaid.
    if (!vouched || is_bookkeeping(header->kind)) {
      HEADRACE_ASSIGN(const bool whole, payload_holds(*header));
      if (!whole) {
        trouble = "chunk payload fails its checksum";
        return {};
      }
    }
    if (!is_bookkeeping(header->kind)) contents_.chunks.push_back({position_, *header});
    position_ = next;
    // A room that was never opened; where the file ends inside it, nothing is lost.
    if (header->kind == kRoomKind) position_ += std::min(passed_, end_ - next);
    return {};
  }

  Result<bool> magic_at(uint64_t offset) {
    HEADRACE_ASSIGN(const Bytes bytes, peek(offset, kMagicStem));
    return bytes.size() == kMagicStem && std::memcmp(bytes.data(), kMagic.data(), kMagicStem) == 0;
  }

  Result<bool> payload_holds(const ChunkHeader& header) {
    // Overlapping headers that each claim a large payload would make this quadratic; honest files never come close.
    if (header.stored_length > checks_left_) return false;
    checks_left_ -= header.stored_length;
    HEADRACE_ASSIGN(const Bytes bytes, source_.read(position_ + kHeaderSize, header.stored_length, payload_));
    if (base::crc32c(bytes) != header.payload_crc) return false;
    if (header.kind == kRoomKind) passed_ = passed_by(bytes);
    return true;
  }

  /// Up to `length` bytes at `offset`, fewer at the end of the region; cheap when near the last one.
  Result<Bytes> peek(uint64_t offset, size_t length) {
    if (offset < window_at_ || offset + length > window_at_ + window_.size()) {
      // Between large chunks only headers are worth reading; small ones come several at once.
      const bool far = offset - window_at_ > kHop && window_at_ != 0;
      const size_t wanted = std::min<uint64_t>(far ? kHeaderSize : kHop, end_ - offset);
      HEADRACE_ASSIGN(window_, source_.read(offset, wanted, window_bytes_));
      window_at_ = offset;
    }
    return window_.subspan(offset - window_at_, std::min<uint64_t>(length, end_ - offset));
  }

  Status skip_to_next_header(std::string reason) {
    const uint64_t bad = position_;
    HEADRACE_ASSIGN(const Bytes first, peek(bad, 1));
    bool blank = first[0] == 0;  // nothing but zeros so far: space that was reserved and never written
    uint64_t at = bad + 1;
    // Windows grow, so that neither a large gap nor very many small ones cost much more than their bytes.
    size_t window = kHop;
    for (bool found = false; !found && at < end_; window = std::min(window * 2, kSearch)) {
      HEADRACE_TRY(search(window, at, found, blank));
      if (!found && blank && at < end_) at = std::min(source_.next_data(at), end_);
    }
    if (!gaps_ || !blank)
      contents_.damage.push_back({bad, at - bad, blank ? "nothing was ever written here" : std::move(reason)});
    position_ = at;
    return {};
  }

  /// Moves `at` to the next header that holds, or, if there is none in the next `window` bytes, about that far.
  Status search(size_t window, uint64_t& at, bool& found, bool& blank) {
    const size_t length = std::min<uint64_t>(window, end_ - at);
    HEADRACE_ASSIGN(const Bytes bytes, source_.read(at, length, search_bytes_));
    size_t skip = 0;
    if (blank) {
      const auto nonzero = std::find_if(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte != 0; });
      skip = static_cast<size_t>(nonzero - bytes.begin());
    }
    const size_t zeros = skip;
    const bool last = at + length == end_;
    while (skip < length) {
      const void* hit = memmem(bytes.data() + skip, length - skip, kMagic.data(), kMagicStem);
      if (hit == nullptr) break;
      skip = static_cast<size_t>(static_cast<const uint8_t*>(hit) - bytes.data());
      if (length - skip < kHeaderSize && !last) break;  // the next window shows all of it
      if (decode_header(bytes.subspan(skip)).ok()) {
        blank = blank && zeros == skip;
        at += skip;
        found = true;
        return {};
      }
      ++skip;
    }
    blank = blank && zeros == length;
    at += last ? length : length - kHeaderSize;
    return {};
  }

  Source& source_;
  uint64_t position_;
  uint64_t end_;
  Contents& contents_;
  bool gaps_;
  uint64_t checks_left_;
  uint64_t passed_ = 0;  // what the latest room says
  Bytes window_;
  uint64_t window_at_ = 0;
  std::vector<uint8_t> window_bytes_;
  std::vector<uint8_t> search_bytes_;
  std::vector<uint8_t> payload_;
};

}  // namespace

Status scan(Source& source, uint64_t begin, uint64_t end, uint64_t max_chunks, Contents& contents, bool gaps) {
  return Scanner(source, begin, end, contents, gaps).run(max_chunks);
}

}  // namespace headrace::format

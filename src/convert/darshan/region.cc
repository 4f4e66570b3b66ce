#include "convert/darshan/region.h"

#include <bzlib.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>

namespace headrace::convert::darshan {

namespace {
constexpr size_t kInput = 256 * 1024;
}

/// One method of decompression.
struct RegionReader::Stream {
  enum class State { kMore, kEnd, kBad };
  virtual ~Stream() = default;
  /// Takes from `in` and gives to `out`, both shortened by what was used.
  virtual State step(base::Bytes& in, std::span<uint8_t>& out) = 0;
  virtual bool started() const = 0;  // inside a stream: the region must not end here
};

class RegionReader::Zlib : public Stream {
 public:
  Zlib() { good_ = inflateInit(&z_) == Z_OK; }
  ~Zlib() override { inflateEnd(&z_); }
  State step(base::Bytes& in, std::span<uint8_t>& out) override {
    if (!good_) return State::kBad;
    z_.next_in = const_cast<Bytef*>(in.data());
    z_.avail_in = static_cast<uInt>(in.size());
    z_.next_out = out.data();
    z_.avail_out = static_cast<uInt>(std::min<size_t>(out.size(), 1u << 30));
    const uInt room = z_.avail_out;
    const int result = inflate(&z_, Z_NO_FLUSH);
    in = in.subspan(in.size() - z_.avail_in);
    out = out.subspan(room - z_.avail_out);
    started_ = result == Z_OK || result == Z_BUF_ERROR;
    if (result == Z_STREAM_END) {  // each process may have written a stream of its own: the next one follows
      good_ = inflateReset(&z_) == Z_OK;
      return State::kEnd;
    }
    return started_ ? State::kMore : State::kBad;
  }
  bool started() const override { return started_; }

 private:
  z_stream z_{};
  bool good_ = false, started_ = false;
};

class RegionReader::Bzip2 : public Stream {
 public:
  Bzip2() { good_ = BZ2_bzDecompressInit(&b_, 0, 0) == BZ_OK; }
  ~Bzip2() override { BZ2_bzDecompressEnd(&b_); }
  State step(base::Bytes& in, std::span<uint8_t>& out) override {
    if (!good_) return State::kBad;
    b_.next_in = const_cast<char*>(reinterpret_cast<const char*>(in.data()));
    b_.avail_in = static_cast<unsigned>(in.size());
    b_.next_out = reinterpret_cast<char*>(out.data());
    b_.avail_out = static_cast<unsigned>(std::min<size_t>(out.size(), 1u << 30));
    const unsigned room = b_.avail_out;
    const int result = BZ2_bzDecompress(&b_);
    in = in.subspan(in.size() - b_.avail_in);
    out = out.subspan(room - b_.avail_out);
    started_ = result == BZ_OK;
    if (result == BZ_STREAM_END) {
      BZ2_bzDecompressEnd(&b_);
      b_ = {};
      good_ = BZ2_bzDecompressInit(&b_, 0, 0) == BZ_OK;
      return State::kEnd;
    }
    return started_ ? State::kMore : State::kBad;
  }
  bool started() const override { return started_; }

 private:
  bz_stream b_{};
  bool good_ = false, started_ = false;
};

class RegionReader::Plain : public Stream {
 public:
  State step(base::Bytes& in, std::span<uint8_t>& out) override {
    const size_t count = std::min(in.size(), out.size());
    std::memcpy(out.data(), in.data(), count);
    in = in.subspan(count);
    out = out.subspan(count);
    return State::kMore;
  }
  bool started() const override { return false; }
};

RegionReader::RegionReader(format::Source& source, const Region& region, Compression compression, bool padded)
    : source_(source), region_(region), padded_(padded && compression != Compression::kNone) {
  const uint64_t left = source.size() - std::min(region.offset, source.size());
  cut_ = region.length > left;
  region_.length = std::min(region.length, left);
  if (compression == Compression::kZlib) stream_ = std::make_unique<Zlib>();
  if (compression == Compression::kBzip2) stream_ = std::make_unique<Bzip2>();
  if (compression == Compression::kNone) stream_ = std::make_unique<Plain>();
}

RegionReader::~RegionReader() = default;

void RegionReader::fail(const std::string& why) {
  const uint64_t at = region_.offset + position_ - input_.size();
  trouble_ = why + " at byte " + std::to_string(at) + " of the file";
}

bool RegionReader::fill() {
  if (!input_.empty()) return true;
  const auto count = static_cast<size_t>(std::min<uint64_t>(kInput, region_.length - position_));
  if (count == 0) return false;
  auto bytes = source_.read(region_.offset + position_, count, scratch_);
  if (!bytes.ok()) {
    trouble_ = bytes.message();
    return false;
  }
  input_ = *bytes;
  position_ += count;
  return true;
}

bool RegionReader::skip_zeros() {
  while (fill()) {
    const auto first = std::find_if(input_.begin(), input_.end(), [](uint8_t byte) { return byte != 0; });
    input_ = input_.subspan(static_cast<size_t>(first - input_.begin()));
    if (!input_.empty()) return true;
  }
  return false;
}

size_t RegionReader::read(std::span<uint8_t> out) {
  const size_t wanted = out.size();
  while (!out.empty() && trouble_.empty()) {
    const bool more = padded_ && !stream_->started() ? skip_zeros() : fill();
    if (!trouble_.empty()) break;
    if (!more && !stream_->started()) {
      if (cut_) fail("the file ends");
      break;
    }
    const size_t before = input_.size() + out.size();
    const Stream::State state = stream_->step(input_, out);
    if (state == Stream::State::kBad) fail("what was compressed is damaged");
    const bool stuck = state == Stream::State::kMore && input_.size() + out.size() == before;
    if (stuck && !out.empty()) fail(cut_ ? "the file ends" : "what was compressed ends too early");
  }
  given_ += wanted - out.size();
  return wanted - out.size();
}

}  // namespace headrace::convert::darshan

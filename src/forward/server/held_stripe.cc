#include "forward/server/held_stripe.h"

#include <string.h>

#include <algorithm>

namespace headrace::forward {
namespace {

constexpr size_t kFixedCost = 4096;  // with room for a few ranges
constexpr size_t kFewPieces = 64;
constexpr size_t kPieceCost = 64;  // with what a vector keeps in reserve

}  // namespace

size_t HeldStripe::cost(uint64_t bytes) { return kFixedCost + bytes / kPage * sizeof(Buffer); }

HeldStripe::HeldStripe(Buffers& buffers, uint64_t begin, uint64_t bytes)
    : buffers_(buffers), begin_(begin), bytes_(bytes), pages_(bytes / kPage), charged_(cost(bytes)) {}

HeldStripe::~HeldStripe() { buffers_.discharge(charged_); }

/// A write adds at most two ranges to each of two sets.
bool HeldStripe::make_pieces_fit() {
  const size_t most = 2 * many_pieces();
  if (pieces_ + 4 > most) return false;
  if (pieces_ + 4 <= kFewPieces || charged_ > cost(bytes_)) return true;
  if (!buffers_.charge(most * kPieceCost)) return false;
  charged_ += most * kPieceCost;
  return true;
}

RangeSet& HeldStripe::ranges_of(uint32_t writer) {
  const auto found =
      std::find_if(writers_.rbegin(), writers_.rend(), [&](const auto& each) { return each.first == writer; });
  return found != writers_.rend() ? found->second : writers_.emplace_back(writer, RangeSet()).second;
}

uint64_t HeldStripe::put(uint32_t writer, Range range, const uint8_t* from, const TakePage& take_page) {
  if (!make_pieces_fit()) return 0;
  uint64_t at = range.begin;
  while (at < range.end) {
    Buffer& page = pages_[(at - begin_) / kPage];
    if (!page) {
      page = take_page();
      if (!page) break;
      memory_ += page.capacity();
    }
    const uint64_t inside = (at - begin_) % kPage;
    const uint64_t part = std::min(range.end - at, kPage - inside);
    memcpy(page.data() + inside, from + (at - range.begin), part);
    at += part;
  }
  if (at == range.begin) return 0;
  RangeSet& own = ranges_of(writer);
  pieces_ -= own.size() + written_.size();
  own.add({range.begin, at});
  written_.add({range.begin, at});
  pieces_ += own.size() + written_.size();
  return at - range.begin;
}

std::vector<iovec> HeldStripe::parts_of(Range range) const {
  std::vector<iovec> parts;
  while (range.begin < range.end) {
    const uint64_t inside = (range.begin - begin_) % kPage;
    const uint64_t part = std::min(range.end - range.begin, kPage - inside);
    parts.push_back({pages_[(range.begin - begin_) / kPage].data() + inside, part});
    range.begin += part;
  }
  return parts;
}

void HeldStripe::copy_out(Range range, uint8_t* into) const {
  for (const Range& written : written_.within(range)) {
    uint8_t* to = into + (written.begin - range.begin);
    for (const iovec& part : parts_of(written)) {
      memcpy(to, part.iov_base, part.iov_len);
      to += part.iov_len;
    }
  }
}

void HeldStripe::cut(uint64_t size) {
  written_.remove({size, UINT64_MAX});
  pieces_ = written_.size();
  for (auto& [writer, ranges] : writers_) {
    ranges.remove({size, UINT64_MAX});
    pieces_ += ranges.size();
  }
}

}  // namespace headrace::forward

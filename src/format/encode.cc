#include "format/encode.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <unordered_map>

#include "format/layout.h"

namespace headrace::format {

using base::ByteWriter;

namespace {

template <typename Stored>
void store_narrow(std::span<const uint64_t> values, uint64_t base, uint8_t* to) {
  for (size_t i = 0; i < values.size(); ++i) {
    const auto narrow = static_cast<Stored>(values[i] - base);
    std::memcpy(to + i * sizeof narrow, &narrow, sizeof narrow);
  }
}

uint8_t width_of(uint64_t range) {
  if (range == 0) return 0;
  if (range <= 0xff) return 1;
  if (range <= 0xffff) return 2;
  return range <= 0xffffffff ? 4 : 8;
}

void put_block(std::span<const uint64_t> values, uint64_t base, uint8_t width, ByteWriter& out) {
  out.u8(width);
  out.u64(base);
  uint8_t* to = out.extend(values.size() * width);
  if (width == 1) store_narrow<uint8_t>(values, base, to);
  if (width == 2) store_narrow<uint16_t>(values, base, to);
  if (width == 4) store_narrow<uint32_t>(values, base, to);
  if (width == 8) store_narrow<uint64_t>(values, base, to);
}

struct Range {
  uint64_t least, width;  // the greatest is least + width
};

/// Of at least one value; `is_signed` decides which is the least.
Range range_of(std::span<const uint64_t> values, bool is_signed) {
  const uint64_t flip = is_signed ? uint64_t{1} << 63 : 0;  // makes unsigned order the order of signed values
  uint64_t least = ~uint64_t{0};
  uint64_t greatest = 0;
  for (const uint64_t value : values) {
    least = std::min(least, value ^ flip);
    greatest = std::max(greatest, value ^ flip);
  }
  return {least ^ flip, greatest - least};
}

/// Picks the narrowest frame.
void encode_block(std::span<const uint64_t> values, bool is_signed, ByteWriter& out) {
  if (values.empty()) return put_block(values, 0, 0, out);
  const Range range = range_of(values, is_signed);
  const uint8_t width = width_of(range.width);
  put_block(values, width == 8 ? 0 : range.least, width, out);
}

void put_planes(std::span<const uint64_t> values, uint64_t base, int width, ByteWriter& out) {
  uint8_t* to = out.extend(values.size() * static_cast<size_t>(width));
  for (int byte = 0; byte < width; ++byte) {
    for (const uint64_t value : values) *to++ = static_cast<uint8_t>((value - base) >> (8 * byte));
  }
}

void encode_planes(std::span<const uint64_t> values, bool is_signed, ByteWriter& out) {
  const Range range = range_of(values, is_signed);
  const int width = (std::bit_width(range.width) + 7) / 8;
  out.u8(static_cast<uint8_t>(width));
  out.u64(range.least);
  put_planes(values, range.least, width, out);
}

/// A dictionary of one text, to which every row leads.
void put_constant(std::string_view text, ByteWriter& out) {
  out.u32(1);
  put_block({}, text.size(), 0, out);
  out.append(base::as_bytes(text));
  put_block({}, 0, 0, out);
}

}  // namespace

std::string_view TableEncoder::text_at(const Source& source, size_t row) const {
  const auto* at = static_cast<const char*>(source.values) + row * source.stride;
  if (source.owned_strings) return *reinterpret_cast<const std::string*>(at);
  return *reinterpret_cast<const std::string_view*>(at);
}

size_t TableEncoder::chunk_end(size_t first, size_t max_rows, size_t max_bytes) const {
  const size_t last = first + std::min(max_rows, table_.rows_ - first);
  size_t fixed = 0;  // bytes a row takes before its text
  std::vector<const Source*> texts;
  for (const Source& source : table_.columns_) {
    fixed += sizeof(uint64_t);
    if (source.type == Type::kText) texts.push_back(&source);
  }
  size_t bytes = 0;
  for (size_t row = first; row < last; ++row) {
    bytes += fixed;
    for (const Source* source : texts) bytes += text_at(*source, row).size();
    if (bytes > max_bytes && row > first) return row;
  }
  return last;
}

size_t TableEncoder::row_bytes(size_t row) const {
  size_t bytes = 0;
  for (const Source& source : table_.columns_) {
    bytes += sizeof(uint64_t);
    if (source.type == Type::kText) bytes += text_at(source, row).size();
  }
  return bytes;
}

std::vector<uint8_t> TableEncoder::payload(size_t first, size_t end) {
  std::vector<uint8_t> bytes;
  ByteWriter out(bytes);
  bytes.reserve(table_.columns_.size() * 64);  // more than most tables of a few rows need
  out.u16(static_cast<uint16_t>(table_.columns_.size()));
  for (const Source& source : table_.columns_) encode_column(source, first, end, out);
  return bytes;
}

void TableEncoder::encode_column(const Source& source, size_t first, size_t end, ByteWriter& out) {
  out.u8(static_cast<uint8_t>(source.name.size()));
  out.append(base::as_bytes(source.name));
  out.u8(static_cast<uint8_t>(source.type));
  if (source.type == Type::kText) {
    encode_text(source, first, end, out);
  } else {
    encode_numbers(source, first, end, out);
  }
}

void TableEncoder::encode_numbers(const Source& source, size_t first, size_t end, ByteWriter& out) {
  numbers_.resize(end - first);
  if (source.values == nullptr) {
    std::fill(numbers_.begin(), numbers_.end(), source.constant);
  } else {
    const auto* at = static_cast<const uint8_t*>(source.values) + first * source.stride;
    for (uint64_t& number : numbers_) {
      std::memcpy(&number, at, sizeof number);
      at += source.stride;
    }
  }
  const bool constant = std::all_of(numbers_.begin(), numbers_.end(), [&](uint64_t n) { return n == numbers_[0]; });
  const bool is_float = source.type == Type::kF64;
  const Encoding encoding = constant   ? Encoding::kFrame
                            : is_float ? Encoding::kSplit
                            : planes_  ? Encoding::kPlanes
                                       : Encoding::kFrame;
  out.u8(static_cast<uint8_t>(encoding));
  const size_t length_at = out.size();
  out.u32(0);
  if (encoding == Encoding::kSplit) {
    put_planes(numbers_, 0, 8, out);
  } else if (encoding == Encoding::kPlanes) {
    encode_planes(numbers_, source.type == Type::kI64, out);
  } else {
    encode_block(numbers_, source.type == Type::kI64, out);
  }
  out.set_u32(length_at, static_cast<uint32_t>(out.size() - length_at - 4));
}

void TableEncoder::encode_text(const Source& source, size_t first, size_t end, ByteWriter& out) {
  texts_.clear();
  for (size_t row = first; row < end; ++row) texts_.push_back(text_at(source, row));
  const size_t encoding_at = out.size();
  out.u8(static_cast<uint8_t>(Encoding::kDictionary));
  out.u32(0);
  if (!encode_dictionary(out)) {
    *out.at(encoding_at) = static_cast<uint8_t>(Encoding::kPlain);
    numbers_.clear();
    for (const std::string_view text : texts_) numbers_.push_back(text.size());
    encode_block(numbers_, false, out);
    for (const std::string_view text : texts_) out.append(base::as_bytes(text));
  }
  out.set_u32(encoding_at + 1, static_cast<uint32_t>(out.size() - encoding_at - 5));
}

/// False, and nothing written, when the values repeat too little for a dictionary to be shorter.
bool TableEncoder::encode_dictionary(ByteWriter& out) {
  if (texts_.empty()) return false;
  if (std::all_of(texts_.begin(), texts_.end(), [&](std::string_view text) { return text == texts_[0]; })) {
    put_constant(texts_[0], out);
    return true;
  }
  const size_t most = std::max<size_t>(1, texts_.size() / 2);
  std::unordered_map<std::string_view, uint64_t> known;
  std::vector<std::string_view> distinct;
  numbers_.clear();
  for (const std::string_view text : texts_) {
    const auto [entry, is_new] = known.try_emplace(text, distinct.size());
    if (is_new) distinct.push_back(text);
    if (distinct.size() > most) return false;
    numbers_.push_back(entry->second);
  }
  out.u32(static_cast<uint32_t>(distinct.size()));
  std::vector<uint64_t> lengths;
  for (const std::string_view text : distinct) lengths.push_back(text.size());
  encode_block(lengths, false, out);
  for (const std::string_view text : distinct) out.append(base::as_bytes(text));
  encode_block(numbers_, false, out);
  return true;
}

}  // namespace headrace::format

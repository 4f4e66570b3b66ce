#include "format/decode.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace headrace::format {

using base::ByteReader;
using base::Bytes;
using base::Code;
using base::Result;
using base::Status;

namespace {

Status corrupt(std::string_view column, const char* what) {
  return Status(Code::kCorrupt, "column '" + std::string(column) + "' " + what);
}

// The hot loops: one simple pass each, so that the compiler vectorises them.
template <typename Stored>
void widen(const uint8_t* from, uint64_t base, uint64_t rows, uint64_t* to) {
  for (uint64_t i = 0; i < rows; ++i) to[i] = base + base::load<Stored>(from + i * sizeof(Stored));
}

void join_split(const uint8_t* from, uint64_t rows, uint64_t* to) {
  for (uint64_t i = 0; i < rows; ++i) {
    uint64_t value = 0;
    for (int byte = 0; byte < 8; ++byte) value |= uint64_t{from[byte * rows + i]} << (8 * byte);
    to[i] = value;
  }
}

void join_planes(const uint8_t* from, uint64_t base, uint64_t width, uint64_t rows, uint64_t* to) {
  std::fill_n(to, rows, base);
  for (uint64_t byte = 0; byte < width; ++byte) {
    for (uint64_t i = 0; i < rows; ++i) to[i] += uint64_t{*from++} << (8 * byte);
  }
}

bool known(Type type, Encoding encoding) {
  switch (type) {
    case Type::kU64:
    case Type::kI64:
      return encoding == Encoding::kFrame || encoding == Encoding::kPlanes;
    case Type::kF64:
      return encoding == Encoding::kFrame || encoding == Encoding::kSplit;
    case Type::kText:
      return encoding == Encoding::kPlain || encoding == Encoding::kDictionary;
  }
  return false;
}

}  // namespace

TableAssembler::TableAssembler(std::string name, uint64_t expected_rows, uint64_t memory_limit)
    : expected_rows_(expected_rows), memory_left_(memory_limit) {
  table_.name = std::move(name);
}

Status TableAssembler::add(Bytes payload, uint32_t rows) {
  HEADRACE_TRY(parse(payload));
  ++payloads_;
  const size_t columns_before = columns_.size();
  for (size_t position = 0; position < parts_.size(); ++position) {
    if (Status status = append_part(parts_[position], position, rows); !status.ok()) {
      roll_back(columns_before);
      return status;
    }
  }
  for (Growing& growing : columns_) {  // columns that this payload lacks
    if (growing.seen != payloads_) HEADRACE_TRY(append_constant(growing, 0, {}, rows));
  }
  table_.rows += rows;
  for (Growing& growing : columns_) growing.column.rows = table_.rows;
  return {};
}

Table TableAssembler::finish() {
  for (Growing& growing : columns_) {
    // A column that some chunk stores in a way unknown here has unknown values there: giving 0 would be a lie.
    if (unknown_.contains(growing.column.name)) continue;
    table_.columns.push_back(std::move(growing.column));
  }
  table_.unknown_columns.assign(unknown_.begin(), unknown_.end());
  std::sort(table_.unknown_columns.begin(), table_.unknown_columns.end());
  return std::move(table_);
}

/// Fills parts_ with views into the payload.
Status TableAssembler::parse(Bytes payload) {
  parts_.clear();
  ByteReader reader(payload);
  const size_t count = reader.u16();
  if (count == 0) return Status(Code::kCorrupt, "table has no columns");
  if (count > kMaxColumns) return Status(Code::kCorrupt, "table claims more columns than the format allows");
  for (size_t i = 0; i < count; ++i) {
    Part part;
    part.name = base::as_text(reader.take(reader.u8()));
    part.type = static_cast<Type>(reader.u8());
    part.encoding = static_cast<Encoding>(reader.u8());
    part.data = reader.take(reader.u32());
    if (!reader.ok()) return Status(Code::kCorrupt, "table payload ends inside a column");
    if (!good_name(part.name, kMaxColumnName))
      return Status(Code::kCorrupt, "table has a column without a proper name");
    parts_.push_back(part);
  }
  if (reader.left() != 0) return Status(Code::kCorrupt, "table payload goes on behind its last column");
  return {};
}

Status TableAssembler::append_part(const Part& part, size_t position, uint32_t rows) {
  if (!known(part.type, part.encoding)) {
    unknown_.emplace(part.name);
    if (unknown_.size() > kMaxColumns) return corrupt(part.name, "is one of too many of a type unknown to this reader");
    return {};
  }
  HEADRACE_ASSIGN(Growing* const growing, column_for(part, position));
  if (growing->seen == payloads_) return corrupt(part.name, "is there twice");
  if (growing->column.type != part.type) return corrupt(part.name, "has another type than in earlier chunks");
  growing->seen = payloads_;
  if (part.encoding == Encoding::kPlain) return append_plain(*growing, part.data, rows);
  if (part.encoding == Encoding::kDictionary) return append_dictionary(*growing, part.data, rows);
  return append_numbers(*growing, part, rows);
}

Result<TableAssembler::Growing*> TableAssembler::column_for(const Part& part, size_t position) {
  // Chunks of one table nearly always have the same columns in the same order.
  if (position < columns_.size() && columns_[position].column.name == part.name) return &columns_[position];
  const auto [entry, is_new] = positions_.try_emplace(std::string(part.name), columns_.size());
  if (is_new) {
    if (columns_.size() == kMaxColumns)
      return Status(Code::kCorrupt, "chunks name more columns than the format allows");
    Growing& growing = columns_.emplace_back();
    growing.column.name = part.name;
    growing.column.type = part.type;
    growing.column.rows = table_.rows;  // of zeros, as a constant
  }
  return &columns_[entry->second];
}

Status TableAssembler::append_numbers(Growing& growing, const Part& part, uint32_t rows) {
  ByteReader reader(part.data);
  if (part.encoding == Encoding::kSplit) {
    if (part.data.size() != uint64_t{rows} * 8) return corrupt(part.name, "is not as long as its rows");
    HEADRACE_TRY(make_dense(growing, rows));
    join_split(part.data.data(), rows, growing.column.words.get() + table_.rows);
    return {};
  }
  const bool planes = part.encoding == Encoding::kPlanes;
  HEADRACE_ASSIGN(const Block block, take_block(reader, rows, planes));
  if (reader.left() != 0) return corrupt(part.name, "is longer than its rows");
  if (block.width == 0) return append_constant(growing, block.base, {}, rows);
  HEADRACE_TRY(make_dense(growing, rows));
  uint64_t* const to = growing.column.words.get() + table_.rows;
  if (planes) {
    join_planes(block.values, block.base, block.width, rows, to);
  } else {
    expand(block, rows, to);
  }
  return {};
}

Status TableAssembler::append_plain(Growing& growing, Bytes data, uint32_t rows) {
  ByteReader reader(data);
  HEADRACE_ASSIGN(const Block block, take_block(reader, rows));
  const Bytes bytes = reader.take(reader.left());
  scratch_.resize(rows);
  expand(block, rows, scratch_.data());
  uint64_t sum = 0;
  for (const uint64_t length : scratch_) {
    if (length > bytes.size() - sum) return corrupt(growing.column.name, "claims longer text than it has");
    sum += length;
  }
  if (sum != bytes.size()) return corrupt(growing.column.name, "has more text than its rows claim");
  HEADRACE_TRY(make_dense(growing, rows));
  HEADRACE_TRY(spend(bytes.size()));
  Column& column = growing.column;
  for (const uint64_t length : scratch_) column.offsets.push_back(column.offsets.back() + length);
  column.bytes.append(base::as_text(bytes));
  return {};
}

Status TableAssembler::append_dictionary(Growing& growing, Bytes data, uint32_t rows) {
  ByteReader reader(data);
  const uint32_t count = reader.u32();
  HEADRACE_ASSIGN(const Block length_block, take_block(reader, count));
  if (count == 0 || count > kMaxDictionary) return corrupt(growing.column.name, "has a dictionary of impossible size");
  std::vector<std::string_view> texts(count);
  scratch_.resize(count);
  expand(length_block, count, scratch_.data());
  for (uint32_t i = 0; i < count; ++i) texts[i] = base::as_text(reader.take(scratch_[i]));
  HEADRACE_ASSIGN(const Block index_block, take_block(reader, rows));
  if (!reader.ok() || reader.left() != 0) return corrupt(growing.column.name, "is not as long as its rows");
  if (index_block.width == 0) {
    if (index_block.base >= count) return corrupt(growing.column.name, "points outside its dictionary");
    return append_constant(growing, 0, texts[index_block.base], rows);
  }
  scratch_.resize(rows);
  expand(index_block, rows, scratch_.data());
  uint64_t sum = 0;  // at most kMaxRows × kMaxPayloadBytes: no overflow
  for (const uint64_t index : scratch_) {
    if (index >= count) return corrupt(growing.column.name, "points outside its dictionary");
    sum += texts[index].size();
  }
  HEADRACE_TRY(make_dense(growing, rows));
  HEADRACE_TRY(spend(sum));
  Column& column = growing.column;
  const size_t needed = column.bytes.size() + sum;
  if (needed > column.bytes.capacity()) column.bytes.reserve(std::max(needed, column.bytes.capacity() * 2));
  for (const uint64_t index : scratch_) {
    column.bytes.append(texts[index]);
    column.offsets.push_back(column.bytes.size());
  }
  return {};
}

Status TableAssembler::append_constant(Growing& growing, uint64_t bits, std::string_view text, uint32_t rows) {
  if (rows == 0) return {};
  Column& column = growing.column;
  const bool is_text = column.type == Type::kText;
  if (column.constant && table_.rows == 0) {
    column.bits = bits;
    column.bytes = text;
    return {};
  }
  if (column.constant && (is_text ? column.bytes == text : column.bits == bits)) return {};
  HEADRACE_TRY(make_dense(growing, rows));
  if (!is_text) {
    std::fill_n(column.words.get() + table_.rows, rows, bits);
    return {};
  }
  HEADRACE_TRY(spend(uint64_t{rows} * text.size()));
  for (uint32_t i = 0; i < rows; ++i) {
    column.bytes.append(text);
    column.offsets.push_back(column.bytes.size());
  }
  return {};
}

/// Gives the column storage for the rows so far, filled with its constant, and for `more_rows`.
Status TableAssembler::make_dense(Growing& growing, uint64_t more_rows) {
  Column& column = growing.column;
  const uint64_t rows = table_.rows;
  if (column.type == Type::kText) {
    if (!column.constant) return spend(more_rows * sizeof(uint64_t));
    const std::string text = std::move(column.bytes);
    HEADRACE_TRY(spend((rows + more_rows + 1) * sizeof(uint64_t)));
    if (!text.empty() && rows > memory_left_ / text.size()) return spend(~uint64_t{0});
    HEADRACE_TRY(spend(rows * text.size()));
    column.constant = false;
    column.bytes.clear();
    column.offsets.assign(1, 0);
    for (uint64_t i = 0; i < rows; ++i) {
      column.bytes.append(text);
      column.offsets.push_back(column.bytes.size());
    }
    return {};
  }
  if (!column.constant && growing.capacity >= rows + more_rows) return {};
  const uint64_t capacity = std::max(expected_rows_, rows + more_rows);
  HEADRACE_TRY(spend(capacity * sizeof(uint64_t)));
  // Not value-initialised: every word is written below or by the caller, and touching memory twice costs as much as
  // decoding.
  auto* words = new (std::nothrow) uint64_t[capacity];
  if (words == nullptr) return Status(Code::kLimit, "the machine has no memory for column '" + column.name + "'");
  if (column.constant) {
    std::fill_n(words, rows, column.bits);
  } else {
    std::copy_n(column.words.get(), rows, words);
  }
  column.words.reset(words);
  column.constant = false;
  growing.capacity = capacity;
  return {};
}

Status TableAssembler::spend(uint64_t bytes) {
  if (bytes > memory_left_) {
    return Status(Code::kLimit, "needs more memory than the reader's limit for one table");
  }
  memory_left_ -= bytes;
  return {};
}

/// Forgets what a payload that turned out to be bad has appended.
void TableAssembler::roll_back(size_t columns) {
  while (columns_.size() > columns) {
    positions_.erase(columns_.back().column.name);
    columns_.pop_back();
  }
  for (Growing& growing : columns_) {
    Column& column = growing.column;
    if (column.constant || column.type != Type::kText) continue;  // words beyond rows do not count
    column.offsets.resize(table_.rows + 1);
    column.bytes.resize(column.offsets.back());
  }
}

Result<TableAssembler::Block> TableAssembler::take_block(ByteReader& reader, uint64_t rows, bool any_width) {
  Block block;
  block.width = reader.u8();
  block.base = reader.u64();
  const uint8_t width = block.width;
  if (width > 8 || (!any_width && !std::has_single_bit(width) && width != 0)) {
    return Status(Code::kCorrupt, "table has numbers of an impossible width");
  }
  const Bytes values = reader.take(rows * width);  // rows < 2^32: no overflow
  if (!reader.ok()) return Status(Code::kCorrupt, "table payload ends inside a column");
  block.values = values.data();
  return block;
}

void TableAssembler::expand(const Block& block, uint64_t rows, uint64_t* to) {
  switch (block.width) {
    case 0:
      std::fill_n(to, rows, block.base);
      return;
    case 1:
      widen<uint8_t>(block.values, block.base, rows, to);
      return;
    case 2:
      widen<uint16_t>(block.values, block.base, rows, to);
      return;
    case 4:
      widen<uint32_t>(block.values, block.base, rows, to);
      return;
    default:
      widen<uint64_t>(block.values, block.base, rows, to);
      return;
  }
}

}  // namespace headrace::format

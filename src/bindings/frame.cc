#include "bindings/frame.h"

#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <new>

#include "base/utf8.h"

namespace headrace::bindings {

const Values* Frame::find(std::string_view column) const {
  for (const Values& values : columns) {
    if (values.name == column) return &values;
  }
  return nullptr;
}

uint64_t Frame::number(std::string_view column, uint64_t row) const {
  const Values* values = find(column);
  return values && values->words ? values->words[row] : 0;
}

std::shared_ptr<const uint64_t[]> zeros(uint64_t rows) {
  static std::mutex mutex;
  static std::shared_ptr<const uint64_t[]> block;
  static uint64_t size = 0;
  const std::lock_guard lock(mutex);
  if (!block || size < rows) {
    size = std::max<uint64_t>(rows, 1u << 20);
    const uint64_t bytes = size * sizeof(uint64_t);
    void* memory = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    block = {static_cast<const uint64_t*>(memory),
             [bytes](const uint64_t* p) { munmap(const_cast<uint64_t*>(p), bytes); }};
  }
  return block;
}

namespace {

template <typename T>
std::shared_ptr<const T[]> share(std::vector<T>&& values) {
  auto owner = std::make_shared<std::vector<T>>(std::move(values));
  return {owner, owner->data()};
}

}  // namespace

Values number_values(std::string name, std::vector<uint64_t> words, Kind kind) {
  const uint64_t rows = words.size();
  words.push_back(0);  // so that the pointer is never null
  return {.name = std::move(name), .kind = kind, .rows = rows, .words = share(std::move(words))};
}

Values zero_values(std::string name, uint64_t rows, Kind kind) {
  return {.name = std::move(name), .kind = kind, .rows = rows, .zero = true, .words = zeros(rows)};
}

void TextBuilder::reserve(uint64_t rows, uint64_t bytes) {
  offsets_.reserve(rows + 1);
  bytes_.reserve(bytes);
}

void TextBuilder::add(std::string_view text) {
  if (binary_ || base::is_utf8(text)) return add_valid(text);
  base::append_escaped(text, bytes_);
  offsets_.push_back(bytes_.size());
}

Values TextBuilder::finish(std::string name) {
  auto bytes = std::make_shared<std::string>(std::move(bytes_));
  Values values{.name = std::move(name), .kind = binary_ ? Kind::kBinary : Kind::kText, .rows = offsets_.size() - 1};
  values.offsets = share(std::move(offsets_));
  values.bytes = {bytes, bytes->data()};
  return values;
}

}  // namespace headrace::bindings

#include "capture/reduce/named_sums.h"

#include <algorithm>

#include "base/collectives.h"
#include "base/varint.h"

namespace headrace::capture {
namespace {

using base::Code;
using base::kNobody;
using base::Status;

const Status kHalf(Code::kCorrupt, "a rank sent half of its sums");

void put_text(base::ByteWriter& to, const std::string& text) {
  write_varint(to, text.size());
  to.append(base::as_bytes(text));
}

std::string get_text(base::ByteReader& from) {
  uint64_t length = 0;
  (void)read_varint(from, length);
  return std::string(base::as_text(from.take(length)));
}

std::vector<uint8_t> encode(const NamedSums& sums) {
  std::vector<uint8_t> bytes;
  base::ByteWriter to(bytes);
  for (const auto& [name, values] : sums) {
    put_text(to, name);
    write_varint(to, values.size());
    for (const uint64_t value : values) write_varint(to, value);
  }
  return bytes;
}

Status decode(base::Bytes bytes, NamedSums* sums) {
  base::ByteReader from(bytes);
  while (from.left() > 0) {
    const std::string name = get_text(from);
    uint64_t count = 0, value = 0;
    if (!from.ok() || !read_varint(from, count) || count > from.left()) return kHalf;
    std::vector<uint64_t>& values = (*sums)[name];
    for (; count > 0; --count) {
      if (!read_varint(from, value)) return kHalf;
      values.push_back(value);
    }
  }
  return {};
}

}  // namespace

void add(NamedSums& into, const NamedSums& from) {
  for (const auto& [name, values] : from) {
    std::vector<uint64_t>& to = into[name];
    to.resize(std::max(to.size(), values.size()));
    const bool greatest = !name.empty() && name[0] == kGreatest;
    for (size_t i = 0; i < values.size(); ++i) to[i] = greatest ? std::max(to[i], values[i]) : to[i] + values[i];
  }
}

Status sum_at_first(base::Communicator& ranks, NamedSums* sums) {
  const int rank = ranks.rank(), size = ranks.size();
  for (int step = 1; step < size; step *= 2) {
    if (rank & step) {
      HEADRACE_TRY(ranks.exchange(rank - step, encode(*sums), kNobody, nullptr));
      sums->clear();
      return {};
    }
    if (rank + step >= size) continue;
    std::vector<uint8_t> in;
    NamedSums other;
    HEADRACE_TRY(ranks.exchange(kNobody, {}, rank + step, &in));
    HEADRACE_TRY(decode(in, &other));
    add(*sums, other);
  }
  return {};
}

Status tell_texts(base::Communicator& ranks, std::vector<std::string>* texts) {
  std::vector<uint8_t> bytes;
  base::ByteWriter to(bytes);
  if (ranks.rank() == 0)
    for (const std::string& each : *texts) put_text(to, each);
  HEADRACE_TRY(base::broadcast(ranks, &bytes));
  texts->clear();
  base::ByteReader from(bytes);
  while (from.left() > 0 && from.ok()) texts->push_back(get_text(from));
  return from.ok() ? Status() : kHalf;
}

}  // namespace headrace::capture

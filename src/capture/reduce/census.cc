#include <algorithm>
#include <cstring>

#include "base/collectives.h"
#include "capture/reduce/butterfly.h"

namespace headrace::capture {
namespace {

using base::Bytes;
using base::Code;
using base::Communicator;
using base::kNobody;
using base::Result;
using base::Status;

/// Keys, ascending, and for each whether more than one rank has it.
struct Keys {
  std::vector<uint64_t> keys;
  std::vector<uint8_t> many;

  void add(uint64_t key, uint8_t is_shared) {
    keys.push_back(key);
    many.push_back(is_shared);
  }
};

Keys merged(const Keys& a, const Keys& b) {
  Keys all;
  size_t i = 0, j = 0;
  while (i < a.keys.size() || j < b.keys.size()) {
    if (j == b.keys.size() || (i < a.keys.size() && a.keys[i] < b.keys[j])) {
      all.add(a.keys[i], a.many[i]);
      ++i;
    } else if (i == a.keys.size() || b.keys[j] < a.keys[i]) {
      all.add(b.keys[j], b.many[j]);
      ++j;
    } else {
      all.add(a.keys[i], 1);
      ++i;
      ++j;
    }
  }
  return all;
}

std::vector<uint8_t> bytes_of(const Keys& list) {
  std::vector<uint8_t> bytes(list.keys.size() * 9);
  if (bytes.empty()) return bytes;
  std::memcpy(bytes.data(), list.keys.data(), list.keys.size() * 8);
  std::memcpy(bytes.data() + list.keys.size() * 8, list.many.data(), list.many.size());
  return bytes;
}

Result<Keys> keys_of(Bytes bytes) {
  if (bytes.size() % 9 != 0) return Status(Code::kCorrupt, "a rank sent half a key");
  Keys list;
  list.keys.resize(bytes.size() / 9);
  list.many.assign(bytes.end() - static_cast<ptrdiff_t>(list.keys.size()), bytes.end());
  if (!list.keys.empty()) std::memcpy(list.keys.data(), bytes.data(), list.keys.size() * 8);
  if (!std::is_sorted(list.keys.begin(), list.keys.end()))
    return Status(Code::kCorrupt, "a rank sent keys in disorder");
  return list;
}

/// The answers for `asked`, all of which are in `known`.
std::vector<uint8_t> answers(const Keys& known, const std::vector<uint64_t>& asked) {
  std::vector<uint8_t> bytes;
  bytes.reserve(asked.size());
  for (uint64_t key : asked) {
    const auto place = std::lower_bound(known.keys.begin(), known.keys.end(), key);
    bytes.push_back(known.many[static_cast<size_t>(place - known.keys.begin())]);
  }
  return bytes;
}

class Census {
 public:
  explicit Census(Communicator& ranks)
      : ranks_(ranks), rank_(ranks.rank()), butterfly_(base::butterfly_size(ranks.size())) {}

  Result<std::vector<uint8_t>> run(const std::vector<uint64_t>& keys) {
    Keys mine;
    mine.keys = keys;
    mine.many.assign(keys.size(), 0);
    if (rank_ >= butterfly_) return leave_to(rank_ - butterfly_, mine);
    Keys guest;
    const bool has_guest = rank_ + butterfly_ < ranks_.size();
    if (has_guest) {
      HEADRACE_ASSIGN(guest, receive(kNobody, {}, rank_ + butterfly_));
      known_ = merged(mine, guest);
    } else {
      known_ = mine;
    }
    for (int step = 1; step < butterfly_; step *= 2) HEADRACE_TRY(forward(step));
    for (size_t i = rounds_.size(); i-- > 0;) HEADRACE_TRY(back(rounds_[i]));
    if (has_guest) HEADRACE_TRY(ranks_.exchange(rank_ + butterfly_, answers(known_, guest.keys), kNobody, nullptr));
    return answers(known_, keys);
  }

 private:
  struct Round {
    int partner;
    std::vector<uint64_t> given, got;
  };

  Result<Keys> receive(int to, Bytes out, int from) {
    std::vector<uint8_t> in;
    HEADRACE_TRY(ranks_.exchange(to, out, from, &in));
    return keys_of(in);
  }

  Result<std::vector<uint8_t>> leave_to(int host, const Keys& mine) {
    std::vector<uint8_t> in;
    HEADRACE_TRY(ranks_.exchange(host, bytes_of(mine), kNobody, nullptr));
    HEADRACE_TRY(ranks_.exchange(kNobody, {}, host, &in));
    if (in.size() != mine.keys.size()) return Status(Code::kCorrupt, "a rank answered for other keys");
    return in;
  }

  Status forward(int step) {
    Keys given, kept;
    const uint64_t bit = static_cast<uint64_t>(step), my_bit = static_cast<uint64_t>(rank_) & bit;
    for (size_t i = 0; i < known_.keys.size(); ++i)
      ((known_.keys[i] & bit) == my_bit ? kept : given).add(known_.keys[i], known_.many[i]);
    HEADRACE_ASSIGN(Keys got, receive(rank_ ^ step, bytes_of(given), rank_ ^ step));
    known_ = merged(kept, got);
    rounds_.push_back({rank_ ^ step, std::move(given.keys), std::move(got.keys)});
    return {};
  }

  Status back(Round& round) {
    Keys given;
    HEADRACE_TRY(ranks_.exchange(round.partner, answers(known_, round.got), round.partner, &given.many));
    if (given.many.size() != round.given.size()) return {Code::kCorrupt, "a rank answered for other keys"};
    given.keys = std::move(round.given);
    known_ = merged(known_, given);
    return {};
  }

  Communicator& ranks_;
  int rank_, butterfly_;
  Keys known_;
  std::vector<Round> rounds_;
};

}  // namespace

Result<std::vector<uint8_t>> shared_with_others(Communicator& ranks, const std::vector<uint64_t>& keys) {
  return Census(ranks).run(keys);
}

}  // namespace headrace::capture

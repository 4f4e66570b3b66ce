#include "base/collectives.h"
#include "base/varint.h"
#include "capture/reduce/butterfly.h"

namespace headrace::capture {
namespace {

using base::Bytes;
using base::Code;
using base::Communicator;
using base::kNobody;
using base::Result;
using base::Status;

Result<Parcels> merged(const Parcels& a, const Parcels& b) {
  Parcels all;
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (j == b.size() || (i < a.size() && a.key(i) < b.key(j))) {
      all.add(a.key(i), a.encoded(i));
      ++i;
    } else if (i == a.size() || b.key(j) < a.key(i)) {
      all.add(b.key(j), b.encoded(j));
      ++j;
    } else {
      HEADRACE_ASSIGN(GroupRecord one, decode_group(a.encoded(i)));
      HEADRACE_ASSIGN(const GroupRecord other, decode_group(b.encoded(j)));
      one.merge(other);
      all.add(a.key(i), one);
      ++i;
      ++j;
    }
  }
  return all;
}

void write_to(base::ByteWriter& to, uint64_t key, Bytes encoded) {
  to.u64(key);
  base::write_varint(to, encoded.size());
  to.append(encoded);
}

Result<Parcels> parcels_of(Bytes bytes) {
  base::ByteReader reader(bytes);
  Parcels parcels;
  while (reader.left() > 0) {
    const uint64_t key = reader.u64();
    uint64_t length = 0;
    if (!base::read_varint(reader, length)) break;
    const Bytes encoded = reader.take(length);
    if (!reader.ok() || (parcels.size() > 0 && key <= parcels.key(parcels.size() - 1))) break;
    parcels.add(key, encoded);
  }
  if (!reader.ok() || reader.left() > 0) return Status(Code::kCorrupt, "a rank sent records in disorder");
  return parcels;
}

}  // namespace

void Parcels::add(uint64_t key, const GroupRecord& group) {
  const size_t begin = bytes_.size();
  encode(group, &bytes_);
  entries_.push_back({key, begin, static_cast<uint32_t>(bytes_.size() - begin)});
}

void Parcels::add(uint64_t key, Bytes encoded) {
  entries_.push_back({key, bytes_.size(), static_cast<uint32_t>(encoded.size())});
  bytes_.insert(bytes_.end(), encoded.begin(), encoded.end());
}

Result<Parcels> bring_to_owners(Communicator& ranks, Parcels parcels) {
  const int rank = ranks.rank(), butterfly = base::butterfly_size(ranks.size());
  std::vector<uint8_t> out, in;
  base::ByteWriter to(out);
  if (rank >= butterfly) {
    for (size_t i = 0; i < parcels.size(); ++i) write_to(to, parcels.key(i), parcels.encoded(i));
    HEADRACE_TRY(ranks.exchange(rank - butterfly, out, kNobody, nullptr));
    return Parcels();
  }
  if (rank + butterfly < ranks.size()) {
    HEADRACE_TRY(ranks.exchange(kNobody, {}, rank + butterfly, &in));
    HEADRACE_ASSIGN(const Parcels guests, parcels_of(in));
    HEADRACE_ASSIGN(parcels, merged(parcels, guests));
  }
  for (int step = 1; step < butterfly; step *= 2) {
    const uint64_t bit = static_cast<uint64_t>(step), my_bit = static_cast<uint64_t>(rank) & bit;
    Parcels kept;
    out.clear();
    for (size_t i = 0; i < parcels.size(); ++i) {
      if ((parcels.key(i) & bit) == my_bit)
        kept.add(parcels.key(i), parcels.encoded(i));
      else
        write_to(to, parcels.key(i), parcels.encoded(i));
    }
    parcels = Parcels();
    HEADRACE_TRY(ranks.exchange(rank ^ step, out, rank ^ step, &in));
    HEADRACE_ASSIGN(const Parcels got, parcels_of(in));
    HEADRACE_ASSIGN(parcels, merged(kept, got));
  }
  return parcels;
}

}  // namespace headrace::capture

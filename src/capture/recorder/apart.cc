#include "capture/recorder/apart.h"

#include "capture/recorder/descriptors.h"
#include "capture/recorder/update.h"
#include "intercept/functions.h"

namespace headrace::capture {
namespace {

void raise_to(uint64_t& most, uint64_t value) {
  uint64_t known = __atomic_load_n(&most, __ATOMIC_RELAXED);
  while (value > known &&
         !__atomic_compare_exchange_n(&most, &known, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

ApartCalls& apart_rest(Header& header, const ApartKey& key) {
  const uint32_t direction = key.does == kDoesRead ? 0 : key.does == kDoesWrite ? 1 : 2;
  const uint32_t layer = key.function & kLibraryFunction                      ? 2
                         : intercept::is_stdio(static_cast<Fn>(key.function)) ? 1
                                                                              : 0;
  return header.apart[kApartRows + direction * 3 + layer];
}

ApartCalls& apart_row(Header& header, const ApartKey& key) {
  const uint64_t packed = key.packed();
  for (uint32_t i = 0; i < kApartRows; ++i) {
    uint64_t known = __atomic_load_n(&header.apart[i].key, __ATOMIC_RELAXED);
    if (known == packed) return header.apart[i];
    if (known == 0 &&
        (__atomic_compare_exchange_n(&header.apart[i].key, &known, packed, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
         known == packed))
      return header.apart[i];
  }
  return apart_rest(header, key);
}

void add_apart(const ApartKey& key, uint64_t calls, bool ok, uint64_t bytes, uint64_t spent) {
  Header* header = spool.header;
  if (!header) return;  // before there is a spool: constructors of other libraries, or capture is off
  ApartCalls& row = apart_row(*header, key);
  __atomic_fetch_add(&row.calls, calls, __ATOMIC_RELAXED);
  if (!ok) __atomic_fetch_add(&row.errors, calls, __ATOMIC_RELAXED);
  __atomic_fetch_add(&row.bytes, bytes, __ATOMIC_RELAXED);
  __atomic_fetch_add(&row.time, spent, __ATOMIC_RELAXED);
  raise_to(row.max_time, spent);
}

/// What a tag's descriptor leads to, which holds its record in place.
uint32_t on_what(uint64_t tag) {
  if (is_excluded(tag)) return kOnExcluded;
  if (!is_tracked(tag) || in_vfork_child()) return kOnUnknown;  // a child's descriptors are others
  const uint32_t record = __atomic_load_n(&file_of(tag)->record, __ATOMIC_ACQUIRE);
  if (!record || !is_current(tag)) return kOnUnknown;
  const RecordKind kind = at<Record>(record)->kind;
  return kind <= RecordKind::kDataset ? static_cast<uint32_t>(kind) : kOnUnknown;
}

Apart for_want_of_memory() { return lacked_descriptor() ? Apart::kNoDescriptor : Apart::kNoMemory; }

Apart why_not_entered() {
  if (in_vfork_child()) return Apart::kVforkChild;
  return block ? Apart::kInterrupting : for_want_of_memory();
}

void add_apart_call(const ApartCall& call, Apart why, bool profiled) {
  const auto function = static_cast<uint32_t>(call.function);
  const ApartKey key{function, call.does, on_what(call.tag), why, profiled || call.half};
  const bool ok = call.result >= 0;
  add_apart(key, call.calls, ok, ok ? static_cast<uint64_t>(call.result) : 0,
            call.end > call.start ? call.end - call.start : 0);
}

}  // namespace

void count_apart(const ApartCall& call) { add_apart_call(call, why_not_entered(), false); }

void count_library_apart(uint32_t number, bool ok, uint64_t bytes, uint64_t spent) {
  add_apart({number | kLibraryFunction, kDoesOther, kOnUnknown, why_not_entered(), false}, 1, ok, bytes, spent);
}

void count_without_room(const ApartCall& call, bool profiled) { add_apart_call(call, for_want_of_memory(), profiled); }

void count_without_record(const ApartCall& call, Apart why) { add_apart_call(call, why, true); }

Apart why_without_record(int fd) {
  if (fd >= static_cast<int>(kDescriptors) || lacked_open_file()) return Apart::kTooManyFiles;
  return for_want_of_memory();
}

}  // namespace headrace::capture

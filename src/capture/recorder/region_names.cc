#include "capture/recorder/region_names.h"

#include <string.h>

#include "base/hash.h"
#include "base/kernel.h"
#include "capture/recorder/spool.h"
#include "capture/recorder/trace_choice.h"

namespace headrace::capture {
namespace {

constexpr uint32_t kPage = 1024, kPages = 4096;
constexpr uint32_t kFirstSlots = 1024;
constexpr uint32_t kTextRoom = 64 << 10;

HEADRACE_LARGE RegionName* name_pages[kPages];
uint32_t given;

struct Slot {
  uint64_t key;
  uint32_t number;  // 0: nothing is here
};
/// Readers may hold an earlier one for ever, so none is given back: all together are as large as the last.
struct NameTable {
  uint32_t mask;
  Slot slots[];
};
std::atomic<NameTable*> table;

char* text_room;
uint32_t text_left;

/// Lock held; the key is not in it.
void put(NameTable& in, uint64_t key, uint32_t number) {
  auto at = static_cast<uint32_t>(key) & in.mask;
  while (in.slots[at].number != 0) at = (at + 1) & in.mask;
  in.slots[at].key = key;
  __atomic_store_n(&in.slots[at].number, number, __ATOMIC_RELEASE);
}

/// A table with room for one more; null: there is no memory. Lock held.
NameTable* table_with_room() {
  NameTable* now = table.load(std::memory_order_relaxed);
  if (now && given < (now->mask + 1) / 2) return now;
  const uint32_t slots = now ? (now->mask + 1) * 2 : kFirstSlots;
  auto* larger = static_cast<NameTable*>(base::map_anonymous(sizeof(NameTable) + slots * sizeof(Slot)));
  if (!larger) return nullptr;
  larger->mask = slots - 1;
  for (uint32_t i = 0; now && i <= now->mask; ++i)
    if (now->slots[i].number != 0) put(*larger, now->slots[i].key, now->slots[i].number);
  table.store(larger, std::memory_order_release);
  return larger;
}

/// Behind its address and build id.
const char* file_of_function(const char* name) {
  for (int words = 0; words < 2 && *name; ++name) words += *name == ' ';
  return name;
}

/// `name`: with NUL. Functions are chosen by their files: what they are called is found out when all is over.
uint8_t left_out_as(RegionKind kind, const char* name) {
  if (!state.choosy) return 0;
  if (kind == RegionKind::kFunction) return left_out_by_name(TraceModule::kFunctions, file_of_function(name));
  if (kind == RegionKind::kPython) return left_out_by_pattern(name);
  return left_out_by_name(kind == RegionKind::kPhase ? TraceModule::kPhases : TraceModule::kRegions, name);
}

/// Lock held. With NUL. Another thread may fork at any time: in this order its child never takes more than there is.
const char* keep_text(const char* text, uint32_t length) {
  const uint32_t bytes = length + 1;
  if (text_left < bytes) {
    const uint32_t room = bytes > kTextRoom ? bytes : kTextRoom;
    auto* fresh = static_cast<char*>(base::map_anonymous(room));
    if (!fresh) return nullptr;
    __atomic_store_n(&text_left, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&text_room, fresh, __ATOMIC_RELEASE);
    __atomic_store_n(&text_left, room, __ATOMIC_RELEASE);
  }
  char* kept = text_room;
  memcpy(kept, text, length);  // into zeros
  __atomic_store_n(&text_left, text_left - bytes, __ATOMIC_RELEASE);
  __atomic_store_n(&text_room, kept + bytes, __ATOMIC_RELEASE);
  return kept;
}

}  // namespace

uint64_t region_key(RegionKind kind, uint64_t hash) { return base::mix(hash, static_cast<uint64_t>(kind) + 1); }

uint32_t find_region(uint64_t key) {
  NameTable* now = table.load(std::memory_order_acquire);
  if (HEADRACE_UNLIKELY(now == nullptr)) return 0;
  // Each number is read once: a free slot may get another thread's key while this looks at it.
  for (auto at = static_cast<uint32_t>(key) & now->mask;; at = (at + 1) & now->mask) {
    const uint32_t number = __atomic_load_n(&now->slots[at].number, __ATOMIC_ACQUIRE);
    if (number == 0 || now->slots[at].key == key) return number;
  }
}

uint32_t add_region(uint64_t key, RegionKind kind, const char* text, uint32_t length) {
  SpoolLock lock;
  if (const uint32_t known = find_region(key)) return known;
  const uint32_t page = given / kPage;
  if (page == kPages) return 0;
  if (!name_pages[page]) name_pages[page] = static_cast<RegionName*>(base::map_anonymous(kPage * sizeof(RegionName)));
  NameTable* room = name_pages[page] ? table_with_room() : nullptr;
  const char* kept = room ? keep_text(text, length) : nullptr;
  if (!kept) return 0;
  name_pages[page][given % kPage] = {kept, length, 0, kind, left_out_as(kind, kept)};
  const uint32_t number = given + 1;
  __atomic_store_n(&given, number, __ATOMIC_RELEASE);  // whoever sees it sees the name
  put(*room, key, number);
  return number;
}

RegionName& region_name(uint32_t number) { return name_pages[(number - 1) / kPage][(number - 1) % kPage]; }

bool is_region(uint32_t number) { return number != 0 && number <= __atomic_load_n(&given, __ATOMIC_ACQUIRE); }

}  // namespace headrace::capture

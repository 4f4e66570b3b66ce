#include "capture/recorder/call_sites.h"

#include <errno.h>
#include <string.h>

#include <iterator>

#include "base/clock.h"
#include "base/hash.h"
#include "base/kernel.h"
#include "base/start_code.h"
#include "capture/recorder/python_interpreter.h"
#include "capture/recorder/python_sites.h"
#include "capture/recorder/site_memory.h"

namespace headrace::capture {
namespace {

constexpr uint32_t kStackSlots = 2048, kMaximumStacks = 1024, kMaximumModules = 256;
constexpr uint64_t kTimeShare = 32;         // part of a thread's time that its walks may take
constexpr uint64_t kFreeWalking = 1 << 22;  // ticks that they may take in any case
constexpr uint64_t kFreePython = 1 << 24;   // the same in a Python program: it comes to its own code after many imports
constexpr uint64_t kLongestWalk = 1 << 18;  // ticks: in a longer one the thread was not running all the time
constexpr uint64_t kLeastSlow = 1 << 14;    // ticks: nothing faster is a new slowest operation, but the first
constexpr uintptr_t kNearStack = 256 << 10;  // bytes by which the known part of the main stack grows at a time

/// A module of this spool; a row never changes while its number is in use.
struct KnownModule {
  uintptr_t start, end, bias;
  const void* map;
  uint64_t identity;
  bool permanent;
};
HEADRACE_LARGE KnownModule modules[kMaximumModules];
uint32_t module_count, stack_count, generation;
HEADRACE_LARGE uint32_t stack_table[kStackSlots];
uintptr_t own_start, own_end, main_low, main_high;
bool prepared;

/// Memory of the stack that is there without asking: the main thread's, which only ever grows.
Readable known_stack(uintptr_t place) {
  const uintptr_t page = place & ~uintptr_t{4095}, low = __atomic_load_n(&main_low, __ATOMIC_RELAXED);
  if (place >= low && place < main_high) return {low, main_high};
  if (place >= low || low - place > kNearStack) return {};
  if (Readable between; !between.covers(page, low - page)) return between;
  __atomic_store_n(&main_low, page, __ATOMIC_RELAXED);
  return {page, main_high};
}

bool is_same(const KnownModule& module, const LoadedObject& object) {
  if (module.start != object.start || module.end != object.end || module.map != object.map) return false;
  return module.permanent || module.identity == identity_of(object, build_id_of(object));
}

bool still_loaded(const KnownStack& known) {
  for (uint32_t i = 0; i < known.passing_count; ++i) {
    const KnownModule& module = modules[known.passing[i]];
    LoadedObject object;
    if (!find_object(module.start, &object) || !is_same(module, object)) return false;
  }
  return true;
}

bool is_present(const KnownStack& known, uintptr_t place, Readable& stack) {
  if (known.place != place || known.stack == 0 || known.generation != generation || known.frames.count == 0)
    return false;
  const Frames& frames = known.frames;
  if (!stack.covers(place, frames.slot[frames.count - 1] + sizeof(uint64_t))) return false;
  for (uint32_t i = 0; i < frames.count; ++i) {
    uint64_t word;
    memcpy(&word, reinterpret_cast<const void*>(place + frames.slot[i]), sizeof word);
    if (word != frames.address[i]) return false;
  }
  return known.passing_count == 0 || still_loaded(known);
}

/// A module's name; a relative one is of the directory that it was loaded from, most likely this one.
uint32_t store_module_name(const char* name) {
  if (!*name) return 0;
  const auto length = static_cast<uint32_t>(strnlen(name, kPathMax - 1));
  if (*name == '/' || !memchr(name, '/', length)) return allocate_name(name, length);
  char* path = self->path[2];
  const long directory = base::kernel_call(SYS_getcwd, path, kPathMax);
  if (directory < 2 || path[0] != '/' || static_cast<uint64_t>(directory) + length >= kPathMax)
    return allocate_name(name, length);
  path[directory - 1] = '/';
  memcpy(path + directory, name, length);
  return allocate_name(path, static_cast<uint32_t>(directory) + length);
}

/// Number of the module, from 1; 0 when it has none.
uint32_t known_module(const LoadedObject& object) {
  const uint32_t count = __atomic_load_n(&module_count, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < count; ++i)
    if (is_same(modules[i], object)) return i + 1;
  return 0;
}

/// The same; 0 when there is no room for it. Lock held.
uint32_t add_module(const LoadedObject& object) {
  if (const uint32_t known = known_module(object)) return known;
  const uint32_t offset = module_count < kMaximumModules ? allocate_share(sizeof(Module)) : 0;
  if (!offset) return 0;
  const BuildId id = build_id_of(object);
  auto* module = at<Module>(offset);
  module->start = object.start;
  module->end = object.end;
  module->bias = object.bias;
  module->name = store_module_name(object.name);
  if (id.length <= sizeof module->build_id) {
    memcpy(module->build_id, id.bytes, id.length);
    module->build_id_length = static_cast<uint16_t>(id.length);
  }
  module->id = static_cast<uint16_t>(module_count + 1);
  module->next = spool.header->first_module;
  std::atomic_signal_fence(std::memory_order_release);
  spool.header->first_module = offset;
  modules[module_count] = {object.start,        object.end, object.bias, object.map, identity_of(object, id),
                           is_permanent(object)};
  offer_interpreter(object);
  __atomic_store_n(&module_count, module_count + 1, __ATOMIC_RELEASE);
  return module_count;
}

struct Words {
  uint32_t count;
  bool complete;      // every module has a number, and every frame of Python a place
  bool recognisable;  // few enough of its modules may be unloaded to remember them
  uint64_t frame[kStackFrames + kPythonFrames];
};

void note_passing(KnownStack* known, uint32_t module, Words* out) {
  uint32_t n = 0;
  while (n < known->passing_count && known->passing[n] != module) ++n;
  if (n < known->passing_count) return;
  if (n == std::size(known->passing))
    out->recognisable = false;
  else
    known->passing[known->passing_count++] = static_cast<uint16_t>(module);
}

/// The program's own frames by module. `number_of` gives a module's number.
template <typename NumberOf>
void name_frames(KnownStack* known, NumberOf number_of, Words* out) {
  const Frames& frames = known->frames;
  uint32_t first = 0;
  while (first < frames.count && frames.address[first] - own_start < own_end - own_start) ++first;
  *out = {0, true, true, {}};
  known->passing_count = 0;
  LoadedObject object;
  bool found = false;
  uint32_t module = 0;
  for (uint32_t i = first; i < frames.count && out->count < kStackFrames; ++i) {
    const uint64_t address = frames.address[i];
    if (!found || address - 1 - object.start >= object.end - object.start) {
      found = find_object(address - 1, &object);
      module = found ? number_of(object) : 0;
      if (found && module == 0) out->complete = false;
      if (module && !modules[module - 1].permanent) note_passing(known, module - 1, out);
    }
    out->frame[out->count++] = module ? uint64_t{module} << kModuleShift | (address - object.bias) : address;
  }
}

/// What is above machine code that the interpreter called.
struct PythonView {
  const Python* python;  // null: nothing, or it cannot be read
  ReadablePages memory;
  PythonStack stack;
  explicit PythonView(bool alive) : python(nullptr), memory(python_memory(alive)) {}
};

/// The same of Python. `place_of` gives a frame's place in the spool. False: one has none.
template <typename PlaceOf>
bool name_python(PythonView& view, PlaceOf place_of, Words* out) {
  if (!view.python) return true;
  const uint32_t machine = out->count;
  for (uint32_t i = 0; i < view.stack.count; ++i) {
    if (const uint32_t place = place_of(*view.python, view.stack.place[i], view.memory)) {
      out->frame[out->count++] = kPythonModule << kModuleShift | place;
      continue;
    }
    out->count = machine;
    out->complete = false;
    return false;
  }
  return true;
}

PythonPart python_part(const Frames& frames) {
  const InterpreterSpan span = interpreter_span();
  if (span.end == 0) return PythonPart::kNone;
  for (uint32_t i = 0; i < frames.count; ++i)
    if (frames.address[i] - span.start < span.end - span.start) return PythonPart::kCalled;
  return frames.count == kWalkFrames ? PythonPart::kDeep : PythonPart::kNone;
}

uint64_t hash_of(const Words& words) { return base::hash_bytes(words.frame, words.count * sizeof(uint64_t)); }

/// Its place in the table: that of the stack, or an empty one.
uint32_t* stack_slot(uint64_t hash) {
  for (uint32_t i = static_cast<uint32_t>(hash) % kStackSlots;; i = (i + 1) % kStackSlots) {
    const uint32_t offset = __atomic_load_n(&stack_table[i], __ATOMIC_ACQUIRE);
    if (!offset || at<Stack>(offset)->hash == hash) return &stack_table[i];
  }
}

/// Lock held.
uint32_t find_or_add(const Words& words, uint16_t flags) {
  const auto bytes = static_cast<uint32_t>(words.count * sizeof(uint64_t));
  const uint64_t hash = hash_of(words);
  uint32_t* slot = stack_slot(hash);
  if (*slot) return *slot;
  const uint32_t offset =
      words.count && stack_count < kMaximumStacks ? allocate_share(static_cast<uint32_t>(sizeof(Stack)) + bytes) : 0;
  if (!offset) return kLostStack;
  auto* stack = at<Stack>(offset);
  stack->hash = hash;
  stack->depth = static_cast<uint16_t>(words.count);
  stack->flags = flags;
  memcpy(stack + 1, words.frame, bytes);
  stack->next = spool.header->first_stack;
  std::atomic_signal_fence(std::memory_order_release);
  spool.header->first_stack = offset;
  __atomic_store_n(slot, offset, __ATOMIC_RELEASE);
  ++stack_count;
  return offset;
}

/// The stack's place in the spool; 0 when it cannot be stored now. `view`: the Python above it; null: there is none, as
/// far as is known.
__attribute__((noinline)) uint32_t store_stack(KnownStack* known, PythonView* view, bool* recognisable) {
  Words words;
  name_frames(known, known_module, &words);
  if (view) name_python(*view, known_python_frame, &words);
  *recognisable = words.recognisable;
  if (words.complete)
    if (const uint32_t offset = __atomic_load_n(stack_slot(hash_of(words)), __ATOMIC_ACQUIRE)) return offset;
  Update update;
  if (!update.enter()) return 0;
  uint32_t offset = 0;
  {
    SpoolLock lock;
    name_frames(known, add_module, &words);
    if (!view) known->python = python_part(known->frames);  // its module may have been met just now
    const bool lost = view && !name_python(*view, add_python_frame, &words);
    const auto flags =
        static_cast<uint16_t>((known->frames.whole ? Stack::kWhole : 0) | (lost ? Stack::kLostPython : 0));
    if (view || known->python == PythonPart::kNone) offset = find_or_add(words, flags);
  }
  update.leave();
  *recognisable = words.recognisable;
  return offset;
}

/// The time that a thread spends on what it has not met before.
struct Budget {
  KnownStacks& stacks;
  uint64_t begin = base::ticks();

  bool is_spent() {
    if (stacks.since == 0) stacks.since = begin;
    const uint64_t free = interpreter_span().end != 0 ? kFreePython : kFreeWalking;
    return stacks.walking > free && stacks.walking > (begin - stacks.since) / kTimeShare;
  }
  void take() {
    const uint64_t took = base::ticks() - begin;
    stacks.walking += took < kLongestWalk ? took : kLongestWalk;
  }
};

/// The same with the Python code above it. `walked`: just now, so that it may not have a place in the spool yet.
__attribute__((noinline)) uint32_t store_python_stack(KnownStack* known, bool walked, bool main_thread,
                                                      bool* recognisable) {
  PythonView view(main_thread && known->python == PythonPart::kCalled);
  view.python = read_own_stack(main_thread, view.memory, &view.stack);
  const uint64_t mark = view.python ? mark_places(*view.python, view.stack, view.memory) : 0;
  const uint64_t key = base::mix(base::mix(known->hash, mark), generation);
  KnownPython& row = self->stacks.python[key % KnownStacks::kPython];
  if (const uint64_t stack = row.stack; !walked && stack != 0 && (row.check ^ stack) == key)
    return static_cast<uint32_t>(stack);
  Budget budget{self->stacks};
  if (!walked && budget.is_spent()) return 0;
  const uint32_t offset = store_stack(known, &view, recognisable);
  if (offset && *recognisable) row = {key ^ offset, offset};
  if (!walked) budget.take();
  return offset;
}

bool is_main_thread(const Place& here) { return here.stack >= main_low && here.stack < main_high; }

/// Walks, and remembers what it finds. A signal handler may do the same in between, on this very row.
__attribute__((noinline)) uint32_t walk(KnownStack* known, const Place& here, const Readable& stack) {
  known->stack = 0;
  const uint32_t version = ++known->version;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  walk_stack(here, stack, &known->frames);
  known->hash = base::hash_bytes(known->frames.address, known->frames.count * sizeof(uint64_t));
  known->python = python_part(known->frames);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (known->version != version) return 0;
  bool recognisable = false;
  uint32_t offset = 0;
  if (known->python == PythonPart::kNone) offset = store_stack(known, nullptr, &recognisable);
  if (known->python != PythonPart::kNone) offset = store_python_stack(known, true, is_main_thread(here), &recognisable);
  if (known->version != version || !recognisable) return offset;
  known->place = here.stack;
  known->generation = generation;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  known->stack = offset;
  return offset;
}

/// The stack above `here` in the spool: kLostStack when there is no room for it, 0 when it is not looked at now.
uint32_t stack_above(const Place& here) {
  KnownStacks& stacks = self->stacks;
  Readable stack = known_stack(here.stack);
  KnownStack* set = stacks.of[(here.stack >> 4 ^ here.stack >> 8) % KnownStacks::kSets];
  for (uint32_t way = 0; way < KnownStacks::kWays; ++way) {
    if (!is_present(set[way], here.stack, stack)) continue;
    bool recognisable = true;
    if (set[way].python == PythonPart::kNone) return set[way].stack;
    return store_python_stack(&set[way], false, is_main_thread(here), &recognisable);
  }
  Budget budget{stacks};
  if (budget.is_spent()) return 0;
  const uint32_t offset = walk(&set[stacks.turn++ % KnownStacks::kWays], here, stack);
  budget.take();
  return offset;
}

bool may_look() { return prepared && self != nullptr && !in_vfork_child(); }

/// Runs `keep` on the record of that name, if it is still there.
template <typename Keep>
void with_record(uint64_t hash, Keep keep) {
  Update update;
  if (!update.enter()) return;
  if (const uint32_t record = take_existing(hash)) {
    keep(at<Record>(record));
    drop_record(record);
  }
  update.leave();
}

/// Puts an operation in a site's place if it is greater. Another thread that is at the same site goes first.
void keep_greater(Site& site, const Site& now, uint64_t Site::* measure) {
  const uint32_t before = __atomic_exchange_n(&site.stack, kBusyStack, __ATOMIC_ACQUIRE);
  if (before == kBusyStack) return;
  const bool greater = before == 0 || now.*measure > site.*measure;
  if (greater) {
    site.time = now.time;
    site.at = now.at;
    site.bytes = now.bytes;
  }
  __atomic_store_n(&site.stack, greater ? now.stack : before, __ATOMIC_RELEASE);
}

}  // namespace

HEADRACE_AT_START void prepare_call_sites(const void* own, uintptr_t stack_top) {
  prepare_objects();
  LoadedObject object;
  if (own && find_object(reinterpret_cast<uintptr_t>(own), &object)) {
    own_start = object.start;
    own_end = object.end;
  }
  main_low = stack_top & ~uintptr_t{4095};
  main_high = stack_top;
  prepared = true;
}

HEADRACE_AT_START void reset_call_sites() {
  if (stack_count != 0) memset(stack_table, 0, sizeof stack_table);
  module_count = stack_count = 0;
  reset_share();
  reset_python_frames();
  ++generation;
}

void make_sites(Record* record) {
  if (!prepared || record->sites != 0) return;
  const uint32_t offset = allocate_share(sizeof(Sites), false);
  __atomic_store_n(&record->sites, offset ? offset : kLostStack, __ATOMIC_RELEASE);
}

void note_open(uint64_t record_hash) {
  if (!may_look()) return;
  const int saved = errno;
  if (const uint32_t stack = stack_above(this_place()))
    with_record(record_hash, [&](Record* record) {
      if (record->open_stack == 0) record->open_stack = stack;
    });
  errno = saved;
}

void note_operation(uint64_t record_hash, DirectionIndex direction, uint64_t bytes, uint64_t spent, uint64_t end) {
  if (!may_look()) return;
  const int saved = errno;
  if (const uint32_t stack = stack_above(this_place()); stack && stack != kLostStack)
    with_record(record_hash, [&](Record* record) {
      const uint32_t offset = __atomic_load_n(&record->sites, __ATOMIC_ACQUIRE);
      if (offset <= kLostStack) return;
      Sites* sites = at<Sites>(offset);
      const Site now{spent, end, bytes, stack, 0};
      keep_greater(sites->of[uint32_t{Sites::kSlowest} + direction], now, &Site::time);
      if (bytes) keep_greater(sites->of[uint32_t{Sites::kLargest} + direction], now, &Site::bytes);
    });
  errno = saved;
}

namespace {

uint32_t doubled(uint64_t value) { return value < UINT32_MAX / 2 ? static_cast<uint32_t>(value * 2) : UINT32_MAX; }
uint32_t next_large(uint64_t bytes) { return bytes ? doubled(bytes) : 1; }
uint32_t next_slow(uint64_t ticks) { return doubled(ticks < kLeastSlow ? kLeastSlow >> 9 : ticks >> 8); }

}  // namespace

void set_thresholds(CachedFile& cached) {
  const Record* record = at<Record>(cached.shard->record);
  const uint32_t sites = __atomic_load_n(&record->sites, __ATOMIC_ACQUIRE);
  for (uint32_t d = 0; d < 2; ++d) {
    cached.large[d] = sites == kLostStack ? UINT32_MAX : 0;
    cached.slow[d] = cached.large[d];
    if (sites < 64) continue;
    const Site &slowest = at<Sites>(sites)->of[Sites::kSlowest + d],
               &largest = at<Sites>(sites)->of[Sites::kLargest + d];
    if (largest.stack) cached.large[d] = next_large(largest.bytes);
    if (slowest.stack) cached.slow[d] = next_slow(slowest.time);
  }
}

void raise_thresholds(CachedFile& cached, DirectionIndex direction, uint64_t bytes, uint64_t spent) {
  if (bytes >= cached.large[direction]) cached.large[direction] = next_large(bytes);
  if (spent >> 8 >= cached.slow[direction]) cached.slow[direction] = next_slow(spent);
}

void fold_call_sites(Record* rollup, Record* folded) {
  if (rollup->open_stack == 0)
    rollup->open_stack = folded->open_stack;
  else if (folded->open_stack >= 64 && folded->open_stack != rollup->open_stack)
    spool.header->folded_sites++;
  if (folded->sites < 64) return;
  if (rollup->sites < 64) {
    rollup->sites = folded->sites;
  } else {
    for (uint32_t i = 0; i < Sites::kCount; ++i) {
      const Site& site = at<Sites>(folded->sites)->of[i];
      if (site.stack < 64) continue;
      keep_greater(at<Sites>(rollup->sites)->of[i], site, i < Sites::kLargest ? &Site::time : &Site::bytes);
    }
    release_share(folded->sites, sizeof(Sites));
  }
  folded->sites = 0;
}

}  // namespace headrace::capture

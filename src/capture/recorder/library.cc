#include "capture/recorder/library.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>

#include "capture/recorder/apart.h"
#include "capture/recorder/exclusion.h"
#include "capture/recorder/on_demand.h"
#include "capture/recorder/properties.h"
#include "capture/recorder/trace_choice.h"

namespace headrace::capture {
namespace {

/// A call that could not be counted at its file.
void library_call_apart() {
  if (spool.header) __atomic_fetch_add(&spool.header->library_calls_apart, 1, __ATOMIC_RELAXED);
}

/// A call for which no section could be entered: not at its file either, whatever else was tried for it.
void library_call_apart(LibraryFn function, bool ok, uint64_t bytes, uint64_t spent) {
  library_call_apart();
  count_library_apart(static_cast<uint32_t>(function), ok, bytes, spent);
}

constexpr uint32_t kObjects = 4096;       // open at once; more are counted by function alone
constexpr uint64_t kLeft = ~uint64_t{0};  // in place of a handle: free, but not the end of a chain
struct Objects {
  LibraryObject of[kObjects];
};
constinit OnDemand<Objects> objects;

uint32_t first_place(Layer layer, uint64_t handle) {
  return static_cast<uint32_t>((handle * 0x9e3779b97f4a7c15 ^ static_cast<uint64_t>(layer)) >> 48) % kObjects;
}

/// Objects of the parent's spool are not those of a forked child's.
bool is_ours(const LibraryObject& object) { return object.spool == spool.header->process_id; }

Profile* profile_in(LibraryFn function) {
  const auto number = static_cast<uint32_t>(function);
  static_assert(static_cast<uint32_t>(LibraryFn::kCount) <= kLibraryPage * kLibraryPages);
  uint32_t& page = block->libraries[number / kLibraryPage];
  if (HEADRACE_UNLIKELY(!page)) {
    SpoolLock lock;
    page = allocate(sizeof(LibraryProfiles), Use::kThread);
    if (!page) return nullptr;
  }
  uint32_t& offset = at<LibraryProfiles>(page)->of[number % kLibraryPage];
  if (HEADRACE_UNLIKELY(!offset)) {
    SpoolLock lock;
    offset = allocate(sizeof(Profile), Use::kThread);
    if (offset) link_profile(offset, static_cast<uint16_t>(number | kLibraryFunction), 0);
  }
  return offset ? at<Profile>(offset) : nullptr;
}

void count_in_profile(LibraryFn function, bool ok, uint64_t bytes, uint64_t spent, uint64_t inside) {
  Profile* p = profile_in(function);
  if (!p) return count_library_apart(static_cast<uint32_t>(function), ok, bytes, spent);
  p->calls++;
  p->errors += !ok;
  p->bytes += bytes;
  p->time += spent;
  p->inside += std::min(inside, spent);
  if (spent > p->max_time) p->max_time = spent;
}

LibraryCounts* counts_of(Shard* shard) {
  Metadata* metadata = metadata_of(shard);
  if (!metadata) return nullptr;
  if (!metadata->library) {
    Referenced kept(shard->record);
    SpoolLock lock;
    metadata->library = allocate(sizeof(LibraryCounts));
  }
  return metadata->library ? at<LibraryCounts>(metadata->library) : nullptr;
}

void count_how(Shard* shard, DirectionIndex direction, uint32_t how) {
  if (!how) return;
  LibraryCounts* counts = counts_of(shard);
  if (!counts) return;
  using L = LibraryCounts;
  static constexpr struct {
    How how;
    L::Count count;
  } kPairs[] = {{kTogether, L::kCollective},
                {kLater, L::kNonblocking},
                {kInTwo, L::kSplit},
                {kSharedPlace, L::kSharedPointer},
                {kInPieces, L::kNoncontiguous}};
  for (const auto& pair : kPairs)
    if (how & pair.how) counts->count[static_cast<uint32_t>(pair.count) + direction]++;
}

LibraryObject* place_for(Layer layer, uint64_t handle) {
  const uint32_t first = first_place(layer, handle);
  Objects* known = objects.get();
  for (uint32_t i = 0; known && i < kObjects; ++i) {
    LibraryObject& object = known->of[(first + i) % kObjects];
    uint64_t expected = __atomic_load_n(&object.handle, __ATOMIC_RELAXED);
    if (expected != 0 && expected != kLeft && is_ours(object)) continue;
    if (__atomic_compare_exchange_n(&object.handle, &expected, handle, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return &object;
  }
  return nullptr;
}

uint32_t record_for(const char* path, RecordKind kind) {
  const PathName name = absolute_name(AT_FDCWD, path, 0);
  if (uint32_t record = take_existing(name.hash)) return record;
  if (excluding_rule(name.text, name.length) >= 0) return 0;
  return take_record(name, kind);
}

/// An object, which takes over the reference to `record`; null: there is no room, and the reference is given up.
LibraryObject* add_object(Layer layer, uint64_t handle, uint32_t record) {
  LibraryObject* object = record ? place_for(layer, handle) : nullptr;
  if (object) {
    object->layer = layer;
    object->record = record;
    object->file = 0;
    object->in_pieces = object->changed = false;
    object->whole_as_of = 0;
    object->later[kRead] = object->later[kWrite] = 0;
    object->waits[kRead] = object->waits[kWrite] = 0;
    object->spool = spool.header->process_id;
  } else if (record) {
    drop_record(record);
  }
  return object;
}

LibraryObject* open_object(Layer layer, uint64_t handle, uint32_t record, uint32_t how, Timed time) {
  // What is opened outside phases may be used inside.
  if (Shard* shard = record && time.recorded() ? shard_of(record, layer) : nullptr) {
    if (shard->opens++ == 0) shard->first_open = time.start;
    add_meta_time(shard, time);
    if (how & kTogether)
      if (LibraryCounts* counts = counts_of(shard)) counts->count[LibraryCounts::kCollectiveOpens]++;
  }
  return add_object(layer, handle, record);
}

/// Gives up its records and its place. Inside a section.
void remove_object(LibraryObject* object) {
  drop_record(object->record);
  if (object->file) drop_record(object->file);
  object->record = object->file = 0;
  // A place in the middle of a chain stays taken, by a handle that none has, so that what lies behind it is still
  // found.
  LibraryObject* known = objects.there()->of;
  LibraryObject& next = known[(static_cast<uint32_t>(object - known) + 1) % kObjects];
  __atomic_store_n(&object->handle, next.handle == 0 ? 0 : kLeft, __ATOMIC_RELEASE);
}

/// The direction of one of an object's records; null: no room.
Direction* direction_in(uint32_t record, Layer layer, DirectionIndex direction, uint64_t start, Shard** shard) {
  *shard = shard_of(record, layer);
  return *shard ? direction_of(*shard, direction, start) : nullptr;
}

void count_transfer(uint32_t record, Layer layer, DirectionIndex direction, int64_t offset, uint64_t bytes,
                    uint32_t how, Timed time) {
  Shard* shard;
  if (Direction* d = direction_in(record, layer, direction, time.start, &shard)) {
    block->current = offset_of(d);
    auto place = static_cast<uint64_t>(offset);
    count_run(d, place, bytes, offset >= 0);
    d->unaligned_file += offset >= 0 && (offset & 4095) != 0 && bytes != 0;
    count_time(d, time.spent(), time.end, bytes);
    count_how(shard, direction, how);
  } else {
    library_call_apart();
  }
}

}  // namespace

bool passed_by() {
  if (spool.header) __atomic_fetch_add(&spool.header->unknown_calls, 1, __ATOMIC_RELAXED);
  return false;
}

void part_of_call(LibraryFn function, bool ok, uint64_t bytes, Timed time, uint64_t inside) {
  Update update;
  if (in_vfork_child() || !update.enter_anew()) return library_call_apart(function, ok, bytes, time.spent());
  count_in_profile(function, ok, bytes, time.spent(), inside);
  if (HEADRACE_UNLIKELY(state.tracing)) record_library_call(function, time, ok, bytes, {});
  update.leave();
}

void library_call(LibraryFn function, bool ok, uint64_t bytes, Timed time, uint64_t before, bool message,
                  const OnFile& on) {
  if (!time.recorded()) return;
  Update update;
  if (in_vfork_child() || !update.enter_anew()) return library_call_apart(function, ok, bytes, time.spent());
  const uint64_t spent = time.spent(), inside = block->profiled > before ? block->profiled - before : 0;
  block->profiled = before + spent;
  count_in_profile(function, ok, bytes, spent, inside);
  if (HEADRACE_UNLIKELY(state.tracing)) record_library_call(function, time, ok, bytes, on);
  if (message && bytes != 0) add_messages(block, time.start, time.end, bytes);
  update.leave();
}

namespace {

/// A name that no event has would take the memory of those that there are.
bool names_in_events(Layer layer) {
  return state.tracing && !state.paused.load(std::memory_order_relaxed) && is_chosen(layer) &&
         __atomic_load_n(&state.closed, __ATOMIC_RELAXED) == 0;
}

}  // namespace

uint32_t event_handle_of(const LibraryObject* object) {
  Update update;
  if (!names_in_events(object->layer) || !update.enter_anew()) return 0;
  const uint32_t handle = handle_of(object->record);
  update.leave();
  return handle;
}

uint32_t event_handle_of(Layer layer, const char* path) {
  Update update;
  if (!names_in_events(layer) || !update.enter_anew()) return 0;
  const PathName name = absolute_name(AT_FDCWD, path, 0);
  const uint32_t handle = excluding_rule(name.text, name.length) >= 0 ? 0 : handle_of_path(name);
  update.leave();
  return handle;
}

LibraryObject* library_opened(Layer layer, uint64_t handle, const char* path, RecordKind kind, uint32_t how,
                              Timed time) {
  Update update;
  if (in_vfork_child() || handle == 0 || !update.enter_anew()) return nullptr;
  LibraryObject* object = open_object(layer, handle, record_for(path, kind), how, time);
  update.leave();
  return object;
}

LibraryObject* library_opened_in(Layer layer, uint64_t handle, char* name, size_t file_length, Timed time) {
  Update update;
  if (in_vfork_child() || handle == 0 || !update.enter_anew()) return nullptr;
  name[file_length] = '\0';
  const uint32_t file = record_for(name, RecordKind::kFile);
  name[file_length] = ':';
  // A rule that excludes the file excludes what is in it.
  LibraryObject* object = file ? open_object(layer, handle, record_for(name, RecordKind::kDataset), 0, time) : nullptr;
  if (object)
    object->file = file;
  else if (file)
    drop_record(file);
  update.leave();
  return object;
}

LibraryObject* library_part(const LibraryObject* file, uint64_t handle, const char* name) {
  char path[1800];  // a part with a longer name has no row; wrappers may not take much of the program's stack
  Update update;
  if (!file || !update.enter_anew()) return nullptr;
  const Record* record = at<Record>(file->record);
  LibraryObject* object = nullptr;
  const int length =
      snprintf(path, sizeof path, "%.*s:%s", static_cast<int>(record->name_length), name_of(record), name);
  if (length > 0 && static_cast<size_t>(length) < sizeof path) {
    path[record->name_length] = '\0';
    const uint32_t whole = record_for(path, RecordKind::kFile);
    path[record->name_length] = ':';
    object = whole ? add_object(file->layer, handle, record_for(path, RecordKind::kDataset)) : nullptr;
    if (object)
      object->file = whole;
    else if (whole)
      drop_record(whole);
  }
  update.leave();
  return object;
}

bool library_is_new(const LibraryObject* object) { return at<Record>(object->record)->properties == 0; }

void library_forgotten(LibraryObject* object) {
  Update update;
  if (!object || !update.enter_anew()) return;
  remove_object(object);
  update.leave();
}

LibraryObject* library_object(Layer layer, uint64_t handle) {
  if (in_vfork_child() || !ready() || handle == 0) return nullptr;
  const uint32_t first = first_place(layer, handle);
  Objects* known = objects.there();
  for (uint32_t i = 0; known && i < kObjects; ++i) {
    LibraryObject& object = known->of[(first + i) % kObjects];
    const uint64_t found = __atomic_load_n(&object.handle, __ATOMIC_ACQUIRE);
    if (found == handle && object.layer == layer && is_ours(object)) return &object;
    if (found == 0) return nullptr;
  }
  return nullptr;
}

void library_closed(LibraryObject* object, Timed time) {
  Update update;
  if (!object || !update.enter_anew()) return;
  if (Shard* shard = time.recorded() ? shard_of(object->record, object->layer) : nullptr) {
    shard->closes++;
    add_meta_time(shard, time);
  } else if (time.recorded()) {
    library_call_apart();
  }
  if (time.recorded()) __atomic_store_n(&at<Record>(object->record)->last_close, time.end, __ATOMIC_RELAXED);
  remove_object(object);
  update.leave();
}

void library_transfer(const LibraryObject* object, DirectionIndex direction, int64_t offset, uint64_t bytes,
                      uint32_t how, Timed time) {
  if (!time.recorded()) return;
  Update update;
  if (!object || !update.enter_anew()) return;
  if (object->in_pieces) how |= kInPieces;
  if (object->file) count_transfer(object->file, object->layer, direction, offset, bytes, how, time);
  count_transfer(object->record, object->layer, direction, offset, bytes, how, time);
  update.leave();
}

void library_failed(const LibraryObject* object, DirectionIndex direction) {
  if (state.paused.load(std::memory_order_relaxed)) return;
  Update update;
  if (!object || !update.enter_anew()) return;
  for (uint32_t record : {object->file, object->record}) {
    Shard* shard;
    if (Direction* d = record ? direction_in(record, object->layer, direction, base::ticks(), &shard) : nullptr)
      count_error(d);
  }
  update.leave();
}

void library_time(const LibraryObject* object, DirectionIndex direction, Timed time) {
  if (!time.recorded()) return;
  Update update;
  if (!object || !update.enter_anew()) return;
  Shard* shard = shard_of(object->record, object->layer);
  if (Direction* d = shard ? direction_of(shard, direction, time.start) : nullptr) {
    d->time += time.spent();
    if (time.end > d->last_time) d->last_time = time.end;
  }
  update.leave();
}

void library_more_time(const LibraryObject* object, Timed more) {
  Update update;
  if (!object || !update.enter_anew()) return;
  if (Shard* shard = shard_of(object->record, object->layer)) shard->meta_time += more.spent();
  update.leave();
}

void library_metadata(const LibraryObject* object, Metadata::Count which, bool ok, Timed time) {
  if (!time.recorded()) return;
  Update update;
  if (!object || !update.enter_anew()) return;
  if (Shard* shard = shard_of(object->record, object->layer)) {
    count(shard, ok ? which : Metadata::kErrors);
    add_meta_time(shard, time);
  } else {
    library_call_apart();
  }
  update.leave();
}

void library_view(LibraryObject* object, bool in_pieces) {
  Update update;
  if (!object || !update.enter_anew()) return;
  object->in_pieces = in_pieces;
  const bool counts_now = !state.paused.load(std::memory_order_relaxed);
  if (Shard* shard = counts_now ? shard_of(object->record, object->layer) : nullptr)
    if (LibraryCounts* counts = counts_of(shard)) counts->count[LibraryCounts::kViews]++;
  update.leave();
}

void library_property(const LibraryObject* object, const char* key, const char* value) {
  Update update;
  if (!object || !update.enter_anew()) return;
  note_property(object->record, object->layer, key, value);
  update.leave();
}

void set_rank(int rank, int ranks, uint64_t instance, bool spawned) {
  if (in_vfork_child() || !ready() || !spool.header || ranks <= 0) return;
  spool.header->rank = rank;
  spool.header->instance = instance;
  spool.header->ranks = ranks;
  spool.header->spawned = spawned;
  if (state.tracing) choose_by_rank(rank);
}

}  // namespace headrace::capture

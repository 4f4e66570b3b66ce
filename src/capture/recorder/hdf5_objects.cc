// Files and datasets of HDF5 as records, and what is moved between them and memory.
#include <stdio.h>
#include <string.h>

#include <initializer_list>

#include "capture/recorder/hdf5_spaces.h"

namespace headrace::capture::hdf5 {
namespace {

constexpr Id kFirstId = Id{1} << 56;  // below: H5S_ALL and its like
std::atomic<uint32_t> changes_of_extents{1};

/// A dataset that was created without a name. It often gets one as soon as its data are written (h5py's group[name] =
/// data), so that its record waits for the name, and with it the first transfer.
struct Nameless {
  uint64_t handle;  // 0: none
  Timed created, moved;
  uint64_t bytes;
  Id list;  // kDefault, or not known any more
  uint32_t how;
  DirectionIndex direction;
  bool has_moved;
  uint32_t failed[2];  // transfers, by direction
};
__thread Nameless nameless __attribute__((tls_model("initial-exec")));

void settle_name(const Library& m, Id id, bool named);

LibraryObject* object_of(const Library& m, Id id) {
  if (HEADRACE_UNLIKELY(nameless.handle == handle_of(m, id))) settle_name(m, id, false);
  return library_object(Layer::kHdf5, handle_of(m, id));
}
/// The same after a call that may have failed: then nothing is asked of HDF5 (hdf5.h).
LibraryObject* object_of(const Library& m, Id id, bool ok) {
  return ok ? object_of(m, id) : library_object(Layer::kHdf5, handle_of(m, id));
}

/// Elements of the whole dataset, remembered until any dataset changes its dimensions.
uint64_t whole_of(const Library& m, Id dataset) {
  LibraryObject* object = library_object(Layer::kHdf5, handle_of(m, dataset));
  const uint32_t now = changes_of_extents.load(std::memory_order_acquire);
  if (object && object->whole_as_of == now) return object->whole;
  const Id space = m.ask.Dget_space(dataset);
  if (space < 0) return 0;
  const int64_t points = m.ask.Sget_select_npoints(space);
  m.ask.Sclose(space);
  const uint64_t whole = points > 0 ? static_cast<uint64_t>(points) : 0;
  if (object) {
    object->whole = whole;
    object->whole_as_of = now;
  }
  return whole;
}

bool is_collective(const Library& m, Id list) {
  int mode = 0;
  return list != kDefault && m.ask.Pget_dxpl_mpio && m.ask.Pget_dxpl_mpio(list, &mode) >= 0 && mode == 1;
}

/// Bytes of a transfer that succeeded, as they are in memory, and how it was done.
uint64_t look_at(const Library& m, Id dataset, const Transfer& transfer, uint32_t* how) {
  if (is_collective(m, transfer.list)) *how |= kTogether;
  if (!can_ask(m.ask)) return 0;
  Selection file{}, memory{};
  const bool in_file = transfer.file >= kFirstId && selection_of(m, transfer.file, &file);
  if (file.in_pieces) *how |= kInPieces;
  uint64_t points = file.points;  // as many as are selected in memory
  if (!in_file)
    points =
        transfer.memory >= kFirstId && selection_of(m, transfer.memory, &memory) ? memory.points : whole_of(m, dataset);
  return points * size_of_type(m, transfer.type);
}

/// The file of an object, absolute if that is how it was opened; empty: nobody knows.
bool name_file(const Library& m, Id id, char* name, size_t size) {
  const int64_t length = m.ask.Fget_name ? m.ask.Fget_name(id, name, size) : -1;
  return length > 0 && static_cast<size_t>(length) < size;
}

/// By which events name the file of an object.
HEADRACE_COLD uint32_t event_object(const Library& m, Id id) {
  char name[1024];
  if (HEADRACE_LIKELY(!state.tracing)) return 0;
  Quiet quiet(m);
  return name_file(m, id, name, sizeof name) ? event_handle_of(Layer::kHdf5, name) : 0;
}

/// `list`: as of keep_dataset().
LibraryObject* add_dataset(const Library& m, Id id, Timed time, bool named, Id list) {
  char name[1800];  // longer names are cut; wrappers may not take much of the program's stack
  if (!name_file(m, id, name, sizeof name - 300)) return nullptr;
  const size_t length = strlen(name);
  char* end = name + length + 1;  // behind the colon
  const size_t room = sizeof name - length - 1;
  // HDF5 would look through the whole file for the name of an object that was not opened by one.
  const int64_t own = named && m.ask.Iget_name ? m.ask.Iget_name(id, end, room) : 0;
  if (own <= 0) snprintf(end, room, "(unnamed)");
  LibraryObject* object = library_opened_in(Layer::kHdf5, handle_of(m, id), name, length, time);
  if (object && library_is_new(object)) keep_dataset(m, object, id, list);
  return object;
}

/// What HDF5 was asked after a call belongs to it: the program waited for that, too.
Done opened_and_asked(const LibraryObject* object, Timed time) {
  Done done{0, event_handle(object)};
  if (!object || !time.recorded()) return done;
  done.end = base::ticks();
  library_more_time(object, {time.end, done.end});
  return done;
}

/// Gives the dataset that waited its record.
void settle_name(const Library& m, Id id, bool named) {
  const Nameless facts = nameless;
  nameless.handle = 0;
  Quiet quiet(m);
  const LibraryObject* object = add_dataset(m, id, facts.created, named, facts.list);
  if (object && facts.has_moved) library_transfer(object, facts.direction, -1, facts.bytes, facts.how, facts.moved);
  for (const DirectionIndex direction : {kRead, kWrite})
    for (uint32_t i = 0; i < facts.failed[direction]; ++i) library_failed(object, direction);
}

/// The same when another one is created first.
void settle_former(const Library& m) {
  const auto id = static_cast<Id>(nameless.handle ^ handle_of(m, 0));
  if (is_a(Kind::kDataset, id) && m.ask.Iis_valid && m.ask.Iis_valid(id) > 0) settle_name(m, id, false);
}

/// After H5close ids begin anew.
void forget_former(const Library& m, Id id) { library_forgotten(object_of(m, id)); }

}  // namespace

Done file_opened(const Library& m, Id result, const char* path, Id access, Timed time) {
  if (result < 0 || !path) return 0;
  Quiet quiet(m);
  forget_former(m, result);
  const uint32_t how = is_parallel(m, access) ? uint32_t{kTogether} : 0;
  const LibraryObject* object = library_opened(Layer::kHdf5, handle_of(m, result), path, RecordKind::kFile, how, time);
  if (object) keep_file(m, object, result, access);
  return opened_and_asked(object, time);
}

Done file_reopened(const Library& m, Id result, Timed time) {
  char name[1024];
  if (result < 0) return 0;
  Quiet quiet(m);
  forget_former(m, result);
  if (!name_file(m, result, name, sizeof name)) return 0;
  return {0, event_handle(library_opened(Layer::kHdf5, handle_of(m, result), name, RecordKind::kFile, 0, time))};
}

Done dataset_opened(const Library& m, Id result, Timed time, bool named) {
  if (result < 0 || !is_a(Kind::kDataset, result)) return 0;
  Quiet quiet(m);
  forget_former(m, result);
  return opened_and_asked(add_dataset(m, result, time, named, kNotKnown), time);
}

Done dataset_created(const Library& m, Id result, Id list, Timed time) {
  if (result < 0 || !is_a(Kind::kDataset, result)) return 0;
  Quiet quiet(m);
  forget_former(m, result);
  return opened_and_asked(add_dataset(m, result, time, true, list), time);
}

Done nameless_created(const Library& m, Id result, Id list, Timed time) {
  if (result < 0 || !ready()) return 0;
  if (nameless.handle) settle_former(m);
  nameless = {};
  nameless.handle = handle_of(m, result);
  nameless.created = time;
  nameless.list = list == kDefault ? kDefault : kNotKnown;
  return {0, event_object(m, result)};
}

uint64_t linked(const Library& m, Id id, bool ok) {
  if (ok && nameless.handle && nameless.handle == handle_of(m, id)) settle_name(m, id, true);
  return 0;
}

Done file_call(const Library& m, Id any, Metadata::Count which, bool ok, Timed time) {
  const LibraryObject* object = object_of(m, any, ok);
  library_metadata(object, which, ok, time);
  return {0, event_handle(object)};
}

Done dataset_call(const Library& m, Id dataset, Metadata::Count which, bool ok, Timed time) {
  LibraryObject* object = object_of(m, dataset, ok);
  library_metadata(object, which, ok, time);
  if (which != Metadata::kSyncs) extents_changed();
  if (object && ok && which == Metadata::kTruncates) object->changed = true;
  return {0, event_handle(object)};
}

uint64_t extents_changed() {
  changes_of_extents.fetch_add(1, std::memory_order_acq_rel);
  return 0;
}

Done moved(const Library& m, DirectionIndex direction, Id dataset, const Transfer& transfer, uint32_t how, bool ok,
           Timed time) {
  if (!ok) {
    if (nameless.handle == handle_of(m, dataset)) {
      nameless.failed[direction]++;
      return 0;
    }
    const LibraryObject* object = object_of(m, dataset, ok);
    library_failed(object, direction);
    return {0, event_handle(object)};
  }
  const uint64_t bytes = look_at(m, dataset, transfer, &how);
  if (HEADRACE_UNLIKELY(nameless.handle == handle_of(m, dataset) && !nameless.has_moved)) {
    nameless.moved = time;
    nameless.bytes = bytes;
    nameless.how = how;
    nameless.direction = direction;
    nameless.has_moved = true;
    return {bytes, event_object(m, dataset)};
  }
  const LibraryObject* object = object_of(m, dataset);
  library_transfer(object, direction, -1, bytes, how, time);
  return {bytes, event_handle(object)};
}

Done moved_many(const Library& m, DirectionIndex direction, size_t count, const Id* datasets, const Id* types,
                const Id* memories, const Id* files, Id list, bool ok, Timed time) {
  Done all;
  // HDF5 does not say which of them took how long: each has an equal part.
  const uint64_t part = count ? time.spent() / count : 0;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t start = time.start + i * part;
    const Done one =
        moved(m, direction, datasets[i], {types[i], memories[i], files[i], list}, 0, ok, {start, start + part});
    all.bytes += one.bytes;
    if (all.handle == 0) all.handle = one.handle;
  }
  // What there are in one call are of one file. After a failure HDF5 must not be asked for it.
  if (count > 1 && ok) all.handle = event_object(m, datasets[0]);
  return all;
}

Done chunk_moved(const Library& m, DirectionIndex direction, Id dataset, Id list, uint64_t bytes, bool ok, Timed time) {
  const LibraryObject* object = object_of(m, dataset, ok);
  if (!ok)
    library_failed(object, direction);
  else if (object)
    library_transfer(object, direction, -1, bytes, is_collective(m, list) ? uint32_t{kTogether} : 0, time);
  return {ok ? bytes : 0, event_handle(object)};
}

uint64_t chunk_size(const Library& m, Id dataset, const uint64_t* offset, Status result) {
  uint64_t bytes = 0;
  if (result < 0 || !m.ask.Dget_chunk_storage_size) return 0;
  return m.ask.Dget_chunk_storage_size(dataset, offset, &bytes) >= 0 ? bytes : 0;
}

uint64_t attribute_size(const Library& m, Id attribute, Id type, bool ok) {
  if (!ok || !m.ask.Aget_space || !can_ask(m.ask)) return 0;
  const Id space = m.ask.Aget_space(attribute);
  if (space < 0) return 0;
  const int64_t points = m.ask.Sget_select_npoints(space);
  m.ask.Sclose(space);
  return points > 0 ? static_cast<uint64_t>(points) * size_of_type(m, type) : 0;
}

LibraryObject* closing(const Library& m, Id id) {
  if (!is_a(Kind::kFile, id) && !is_a(Kind::kDataset, id)) return nullptr;
  LibraryObject* object = object_of(m, id);
  if (!object) return nullptr;
  if (is_a(Kind::kFile, id)) {
    Quiet quiet(m);
    keep_caches(m, object, id);
  } else if (object->changed) {
    Quiet quiet(m);
    keep_dimensions(m, object, id);
  }
  return object;
}

void closed(const Library& m, LibraryObject* object, Id id, Timed time) {
  // An id that has further references stays open.
  if (object && m.ask.Iis_valid && m.ask.Iis_valid(id) == 0) library_closed(object, time);
}

}  // namespace headrace::capture::hdf5

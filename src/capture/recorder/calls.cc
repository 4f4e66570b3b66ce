#include "capture/recorder/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kernel.h"
#include "capture/recorder/apart.h"
#include "capture/recorder/exclusion.h"
#include "capture/recorder/file_names.h"
#include "capture/recorder/flags.h"
#include "capture/recorder/properties.h"
#include "capture/recorder/trace_choice.h"

namespace headrace::capture {

__thread bool counts_later;

Shard* count_metadata(uint32_t record, Layer layer, Metadata::Count which, Timed time) {
  Shard* shard = shard_of(record, layer);
  if (!shard) return nullptr;
  count(shard, which);
  add_meta_time(shard, time);
  return shard;
}

int64_t record_of(const PathName& name, bool make) {
  if (uint32_t record = take_existing(name.hash)) return record;
  int rule = excluding_rule(name.text, name.length);
  if (rule >= 0) return -1 - rule;
  return make ? take_record(name, RecordKind::kFile) : 0;
}

namespace {

Layer layer_of(Fn function) { return intercept::is_stdio(function) ? Layer::kStdio : Layer::kPosix; }

Excluded* excluded_row(uint32_t rule) {
  uint32_t& offset = block->excluded[rule % kExclusionRules];
  if (!offset) {
    SpoolLock lock;
    offset = allocate(sizeof(Excluded), Use::kThread);
  }
  return offset ? at<Excluded>(offset) : nullptr;
}

uint32_t flags_of_open(int flags) {
  uint32_t result = 0;
  if ((flags & O_ACCMODE) != O_RDONLY && (flags & O_APPEND)) result |= flag::append;
  if (flags & O_CREAT) result |= flag::created;
  if (flags & O_TRUNC) result |= flag::truncated;
  if (flags & O_DIRECT) result |= flag::direct;
  if (flags & (O_SYNC | O_DSYNC)) result |= flag::synchronous;
  if ((flags & O_TMPFILE) == O_TMPFILE) result |= flag::temporary;
  return result;
}

/// Whether a call will have an event: a name that no event has would take the memory of those that there are.
bool will_be_event(Fn function, Timed time) {
  return HEADRACE_UNLIKELY(state.tracing) && !is_left_out(RawKind::kCall, function, time.start, time.end);
}

/// By which the event of a call names the file of a record, which somebody holds.
uint32_t handle_in_events(int64_t record, Fn function, Timed time) {
  return record > 0 && will_be_event(function, time) ? handle_of(static_cast<uint32_t>(record)) : 0;
}

/// `handle`: of the file that it was about; 0: not known, or of none. `other`: the same of its second path.
bool add_to_profile(Fn function, uint32_t handle, bool ok, Timed time, uint32_t other = 0) {
  if (HEADRACE_UNLIKELY(state.tracing))
    record_call(function, handle, counts_later ? time.end : time.start, time.end, ok, other);
  Profile* p = profile_of(function);
  if (!p) return false;
  p->calls++;
  p->errors += !ok;
  p->time += time.spent();
  if (time.spent() > p->max_time) p->max_time = time.spent();
  if (ok) add_to_series(block, time.start, time.end, 0, kOther);
  return true;
}

/// A call that neither reads nor writes, as it is counted in no file. `does`: a Metadata::Count, or of apart_calls.h.
ApartCall apart_call(Fn function, uint32_t does, bool ok, Timed time, uint64_t tag = kUnknownTag) {
  return {function, does, tag, ok ? 0 : -1, time.start, time.end};
}

/// A call that was counted at its file if there was room (`in_file`), whose function gets it now.
void count_profile_of(bool in_file, const ApartCall& call, uint32_t handle, Timed time, uint32_t other = 0) {
  const bool profiled = add_to_profile(call.function, handle, call.result >= 0, time, other);
  if (!in_file) return count_without_room(call, profiled);
  if (!profiled) count_without_room(apart_call(call.function, kDoesOther, call.result >= 0, time), false);
}

void note_size(Shard* shard, int fd) {
  struct stat attributes;
  Metadata* metadata = metadata_of(shard);
  if (!metadata || base::kernel_call(SYS_newfstatat, fd, "", &attributes, AT_EMPTY_PATH) != 0) return;
  metadata->size_at_open = static_cast<uint64_t>(attributes.st_size);
  shard->flags |= flag::size_known;
}

/// Whether a call that failed so had read its path to the end and looked for it. After other errors the path may be an
/// address that nobody can read.
bool looked_for_path(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case EACCES:
    case EPERM:
    case EEXIST:
    case EISDIR:
    case ELOOP:
    case EROFS:
    case ENOTEMPTY:
    case EXDEV:
    case ENODATA:
    case ENXIO:
    case ETXTBSY:
    case EBUSY:
    case ENOSPC:
    case EDQUOT:
      return true;
    default:
      return false;
  }
}

/// Where a failed call on a name is counted: at its record if there is one, else at its directory's, so that a search
/// for names that do not exist shows, without a record for each.
int64_t record_of_failure(const PathName& name) {
  if (int64_t record = record_of(name, false)) return record;
  uint32_t length = name.length;
  while (length > 1 && name.text[length - 1] != '/') --length;
  if (length > 1) --length;
  return take_record({name.text, length, hash_name(name.text, length)}, RecordKind::kDirectory);
}

/// A directory is known by what was asked for or found; nothing but a file can be opened for writing, under whatever
/// name a directory was.
void note_kind(Record* record, bool is_directory, bool writes) {
  if (is_directory && record->kind == RecordKind::kFile)
    record->kind = RecordKind::kDirectory;
  else if (writes && !is_directory && record->kind == RecordKind::kDirectory)
    record->kind = RecordKind::kFile;
}

bool has_no_name(int flags) { return (flags & O_TMPFILE) == O_TMPFILE; }

/// Files without a name are called as the kernel calls them: by their number, in the directory that they were made in.
PathName name_of_unnamed(const PathName& directory, uint64_t inode) {
  char* text = self->path[1];
  const uint32_t length = directory.length < kPathMax - 24 ? directory.length : 0;
  memcpy(text, directory.text, length);
  const int added = snprintf(text + length, kPathMax - length, "/#%llu", static_cast<unsigned long long>(inode));
  const uint32_t whole = length + static_cast<uint32_t>(added);
  return {text, whole, hash_name(text, whole)};
}

/// Below /dev and /proc are links to files that are open already, such as /dev/stdout and /proc/self/fd/3; and what is
/// written below an excluded path counts where a link leads it. Reads there are of libraries mostly, by their
/// thousands.
bool may_lead_elsewhere(const PathName& name, int flags) {
  return (flags & O_ACCMODE) != O_RDONLY || strncmp(name.text, "/proc/", 6) == 0 || strncmp(name.text, "/dev/", 5) == 0;
}

/// The record of what was opened, as record_of() gives it.
int64_t record_of_opened(int fd, PathName name, int flags) {
  int rule = -1;
  if (!find_latest(name.hash) || has_no_name(flags)) rule = excluding_rule(name.text, name.length);
  if (rule >= 0) return may_lead_elsewhere(name, flags) ? record_of_descriptor(fd, false) : -1 - rule;
  const FileKind kind = file_kind(fd);
  if (const uint32_t known = has_no_name(flags) ? 0 : take_existing(name.hash)) {
    // A file that took its place in the same tick of the clock would need this process's unlink, or much luck.
    const bool same = kind.birth != 0 && __atomic_load_n(&at<Record>(known)->birth, __ATOMIC_RELAXED) == kind.birth;
    if (HEADRACE_LIKELY(same)) {
      note_kind(at<Record>(known), S_ISDIR(kind.mode), (flags & O_ACCMODE) != O_RDONLY);
      return known;
    }
    drop_record(known);
  }
  const bool unnamed = has_no_name(flags) && kind.mode != 0;
  if (unnamed) name = name_of_unnamed(name, kind.inode);
  const uint32_t record = take_record(name, RecordKind::kFile, identity_of(fd));
  if (!record) return 0;
  __atomic_store_n(&at<Record>(record)->birth, kind.birth, __ATOMIC_RELAXED);
  const bool is_directory = kind.mode != 0 ? S_ISDIR(kind.mode) : (flags & O_DIRECTORY) != 0;
  note_kind(at<Record>(record), is_directory, (flags & O_ACCMODE) != O_RDONLY);
  if (unnamed) __atomic_fetch_or(&at<Record>(record)->state, kNameless, __ATOMIC_RELAXED);
  return record;
}

/// The record of a path on which a call succeeded. Of a path that is met for the first time the kernel is asked what it
/// is, unless the call showed it or took the name away.
int64_t record_of_success(const PathName& name, int directory, const char* path, Metadata::Count which, Shown shown) {
  if (uint32_t record = take_existing(name.hash)) {
    note_kind(at<Record>(record), shown == Shown::kDirectory, false);
    return record;
  }
  int rule = excluding_rule(name.text, name.length);
  if (rule >= 0) return -1 - rule;
  FileIdentity found = 0;
  bool is_directory = shown == Shown::kDirectory;
  if (shown == Shown::kNothing && which != Metadata::kUnlinks && which != Metadata::kRenames) {
    FileKind kind = file_kind(directory, path, false);
    if (S_ISLNK(kind.mode))  // which file it leads to matters once it is opened
      kind = file_kind(directory, path, true);
    else
      found = identity_of(directory, path, false);
    is_directory = S_ISDIR(kind.mode);
  }
  const uint32_t record = take_record(name, RecordKind::kFile, found);
  if (record) note_kind(at<Record>(record), is_directory, false);
  return record;
}

// Names of opens that failed and have no record of their own: the first few of a process.
constexpr int kFailedOpens = 32;
constexpr uint32_t kLongestFailed = 160;
int failed_opens = 0;

const char* reason_of(int error) {
  switch (error) {
    case ENOENT:
      return "no such file or directory";
    case ENOTDIR:
      return "not a directory";
    case EACCES:
    case EPERM:
      return "permission denied";
    case ELOOP:
      return "too many levels of symbolic links";
    case EROFS:
      return "read-only file system";
    case ENOSPC:
      return "no space left on device";
    case EDQUOT:
      return "disk quota exceeded";
    default:
      return "failed";
  }
}

/// Keeps the name at the record of its directory, where the failure was counted.
void note_failed_open(int directory, const char* path, int error) {
  // The error first: after others nobody may look at the path.
  if (!looked_for_path(error) || !path || !*path || in_vfork_child()) return;
  if (__atomic_load_n(&failed_opens, __ATOMIC_RELAXED) >= kFailedOpens) return;
  Update update;
  if (!update.enter_anew()) return;
  const PathName name = absolute_name(directory, path, 0);
  const uint32_t own = take_existing(name.hash);
  if (own) drop_record(own);
  if (own || excluding_rule(name.text, name.length) >= 0) return update.leave();
  uint32_t begin = name.length;
  while (begin > 0 && name.text[begin - 1] != '/') --begin;
  char key[sizeof kFailedOpen + kLongestFailed];
  const uint32_t length = name.length - begin;
  const int64_t record = length == 0 || length > kLongestFailed ? 0 : record_of_failure(name);
  if (record > 0) {
    memcpy(key, kFailedOpen, sizeof kFailedOpen - 1);
    memcpy(key + sizeof kFailedOpen - 1, name.text + begin, length);
    key[sizeof kFailedOpen - 1 + length] = '\0';
    if (note_property(static_cast<uint32_t>(record), Layer::kPosix, key, reason_of(error)))
      __atomic_fetch_add(&failed_opens, 1, __ATOMIC_RELAXED);
    drop_record(static_cast<uint32_t>(record));
  }
  update.leave();
}

}  // namespace

void count_profile(Fn function, bool ok, Timed time, uint32_t handle) {
  if (!add_to_profile(function, handle, ok, time))
    count_without_room(apart_call(function, kDoesOther, ok, time), false);
}

void add_meta_time(Shard* shard, Timed time) {
  shard->meta_time += time.spent();
  if (time.spent() > shard->max_meta_time) shard->max_meta_time = time.spent();
}

void count_excluded_call(uint32_t rule, bool is_open) {
  Excluded* row = excluded_row(rule);
  if (!row) return count_without_room({kNobodys, is_open ? kDoesOpen : kDoesOther, kExcluded, 0, 0, 0}, true);
  (is_open ? row->opens : row->other)++;
}

void opened(Fn function, int fd, int directory, const char* path, int flags, uint32_t record_flags, Timed time) {
  if (!time.recorded()) return;
  Update update;
  if (!update.enter_anew()) return count_apart(apart_call(function, kDoesOpen, true, time));
  int64_t record = record_of_opened(fd, absolute_name(directory, path, 0), flags);
  if (record < 0) {
    count_excluded_call(static_cast<uint32_t>(-1 - record), true);
    set_tag(fd, kExcluded | static_cast<uint64_t>(-1 - record));
    return update.leave();
  }
  Shard* shard = record ? shard_of(static_cast<uint32_t>(record), layer_of(function)) : nullptr;
  uint64_t first_open_of = 0;
  if (shard) {
    block->current = offset_of(shard);
    record_flags |= flags_of_open(flags);
    Record* opened_record = at<Record>(static_cast<uint32_t>(record));
    if (shard->opens++ == 0) shard->first_open = time.start;
    shard->flags |= record_flags;
    add_meta_time(shard, time);
    if (state.file_sizes && !(shard->flags & flag::size_known)) note_size(shard, fd);
    if (HEADRACE_UNLIKELY(opened_record->open_stack == 0)) first_open_of = opened_record->hash;
    set_tag(fd, new_file(static_cast<uint32_t>(record), record_flags));  // takes over the reference
  } else if (record) {
    drop_record(static_cast<uint32_t>(record));
  }
  count_profile_of(shard != nullptr, apart_call(function, kDoesOpen, true, time),
                   shard ? handle_in_events(record, function, time) : 0, time);
  update.leave();
  if (HEADRACE_UNLIKELY(first_open_of != 0)) note_open(first_open_of);
}

void open_failed(Fn function, int directory, const char* path, Timed time) {
  if (!time.recorded()) return;
  const int error = errno;
  path_call(function, directory, path, Metadata::kErrors, false, time);
  note_failed_open(directory, path, error);
  errno = error;
}

namespace {

/// A descriptor of a file is gone. False: there is no memory to count that.
bool count_close(uint64_t tag, Layer layer, Timed time) {
  OpenFile* file = file_of(tag);
  uint32_t record = file->record;
  if (!is_current(tag) || !record) return true;
  Shard* shard = shard_of(record, layer);
  if (shard) {
    shard->closes++;
    add_meta_time(shard, time);
  }
  __atomic_store_n(&at<Record>(record)->last_close, time.end, __ATOMIC_RELAXED);  // of two threads either is the latest
  release_file(tag);
  return shard != nullptr;
}

}  // namespace

void closed(Fn function, uint64_t tag, Timed time, uint64_t counted_elsewhere) {
  if (!time.recorded()) return forget_tag(tag);
  if (tag == kUnknownTag || is_ignored(tag)) return plain_call(function, true, time);
  Update update;
  const ApartCall call = apart_call(function, kDoesClose, true, time, tag);
  if (!update.enter_anew()) return count_apart(call);
  if (is_excluded(tag)) {
    count_excluded_call(static_cast<uint32_t>(tag), false);
    return update.leave();
  }
  const uint32_t handle = is_current(tag) ? handle_in_events(file_of(tag)->record, function, time) : 0;
  const bool in_file = count_close(tag, layer_of(function), {time.start + counted_elsewhere, time.end});
  count_profile_of(in_file, call, handle, time);
  update.leave();
}

void duplicated(Fn function, int fd, int target, Timed time) {
  if (!time.recorded()) return fd == target ? void() : forget_descriptor(target);
  if (in_vfork_child()) return count_apart(apart_call(function, Metadata::kDuplicates, true, time));
  uint64_t tag = tag_of(fd);
  if (is_ignored(tag)) tag = kUnknownTag;
  if (fd == target) return plain_call(function, true, time);
  const ApartCall call = apart_call(function, Metadata::kDuplicates, true, time, tag);
  Update update;
  if (!update.enter_anew()) return count_apart(call);
  bool in_file = true;
  uint32_t handle = 0;
  if (is_tracked(tag) && is_current(tag)) {
    keep_file(tag);
    const uint32_t record = file_of(tag)->record;
    handle = handle_in_events(record, function, time);
    in_file = count_metadata(record, Layer::kPosix, Metadata::kDuplicates, time) || !record;
  } else if (is_tracked(tag)) {
    tag = kUnknownTag;
  }
  // What `target` stood for was closed by the same call.
  if (uint64_t replaced = take_tag(target); is_tracked(replaced))
    in_file &= count_close(replaced, Layer::kPosix, {time.end, time.end});
  set_tag(target, tag);
  count_profile_of(in_file, call, handle, time);
  update.leave();
}

void path_call(Fn function, int directory, const char* path, Metadata::Count which, bool ok, Timed time,
               uint32_t record_flags, Shown shown, OtherPath other) {
  if (!time.recorded()) return;
  if (!ok && !looked_for_path(errno)) return plain_call(function, ok, time);
  if (!path || !*path)
    return ok && directory >= 0 ? descriptor_call(function, directory, which, ok, time)
                                : plain_call(function, ok, time);
  // Of other failures the kernel may have seen the first path alone: the second may be no address.
  const bool was_looked_at = other.path && (ok || errno == EEXIST);
  const ApartCall call = apart_call(function, which, ok, time);
  Update update;
  if (!update.enter_anew()) return count_apart(call);
  PathName name = absolute_name(directory, path, 0);
  int64_t record = ok ? record_of_success(name, directory, path, which, shown) : record_of_failure(name);
  if (record < 0) {
    count_excluded_call(static_cast<uint32_t>(-1 - record), false);
    return update.leave();
  }
  Shard* shard = nullptr;
  // Of a failure the record may be that of a directory.
  const uint32_t handle = ok                              ? handle_in_events(record, function, time)
                          : will_be_event(function, time) ? handle_of_path(name)
                                                          : 0;
  const uint32_t other_handle = was_looked_at && handle ? handle_of_other(name, other) : 0;
  if (record > 0) {
    shard = count_metadata(static_cast<uint32_t>(record), layer_of(function), ok ? which : Metadata::kErrors, time);
    if (ok && shard) shard->flags |= record_flags;
    if (ok && which == Metadata::kUnlinks) leave_name(static_cast<uint32_t>(record));
    drop_record(static_cast<uint32_t>(record));
  }
  count_profile_of(shard != nullptr, call, handle, time, other_handle);
  update.leave();
}

void descriptor_call(Fn function, int fd, Metadata::Count which, bool ok, Timed time) {
  if (!time.recorded()) return;
  if (in_vfork_child()) return count_apart(apart_call(function, which, ok, time));
  tagged_call(function, ok || fd >= 0 ? tag_of(fd) : kUnknownTag, which, ok, time, fd);
}

void tagged_call(Fn function, uint64_t tag, Metadata::Count which, bool ok, Timed time, int fd) {
  if (!time.recorded()) return;
  const ApartCall call = apart_call(function, which, ok, time, tag);
  Update update;
  if (!update.enter_anew()) return count_apart(call);
  if (is_excluded(tag)) {
    count_excluded_call(static_cast<uint32_t>(tag), false);
    return update.leave();
  }
  bool in_file = true;
  uint32_t handle = 0;
  if (is_tracked(tag) && is_current(tag)) {
    const uint32_t record = file_of(tag)->record;
    handle = handle_in_events(record, function, time);
    in_file = count_metadata(record, layer_of(function), ok ? which : Metadata::kErrors, time) || !record;
  } else if (ok && fd >= 0 && tag == kUnknownTag) {
    count_without_record(call, why_without_record(fd));
  }
  count_profile_of(in_file, call, handle, time);
  update.leave();
}

void plain_call(Fn function, bool ok, Timed time) {
  if (!time.recorded()) return;
  Update update;
  if (!update.enter_anew()) return count_apart(apart_call(function, kDoesOther, ok, time));
  count_profile(function, ok, time);
  update.leave();
}

void call_about(Fn function, int fd, bool ok, Timed time) {
  if (!time.recorded()) return;
  const ApartCall call = apart_call(function, kDoesOther, ok, time);
  if (in_vfork_child()) return count_apart(call);
  const uint64_t tag = state.tracing ? tag_of(fd) : kUnknownTag;
  Update update;
  if (!update.enter_anew()) return count_apart(call);
  const bool known = is_tracked(tag) && is_current(tag);
  count_profile(function, ok, time, known ? handle_in_events(file_of(tag)->record, function, time) : 0);
  update.leave();
}

void moved_position(Fn function, int fd, int64_t position, Timed time) {
  if (!time.recorded()) return;
  if (position >= 0 && !in_vfork_child()) {
    uint64_t tag = tag_of(fd);
    if (is_tracked(tag) && is_current(tag)) {
      OpenFile* file = file_of(tag);
      file->position = static_cast<uint64_t>(position);
      file->unknown_position &= static_cast<uint8_t>(~1u);  // now it is known, whoever shares the description
    }
  }
  descriptor_call(function, fd, Metadata::kSeeks, position >= 0, time);
}

void mapped(Fn function, int fd, uint64_t bytes, bool ok, Timed time) {
  if (!time.recorded()) return;
  descriptor_call(function, fd, Metadata::kMaps, ok, time);
  if (!ok || in_vfork_child()) return;
  uint64_t tag = tag_of(fd);
  Update update;
  if (!is_tracked(tag) || !update.enter_anew()) return;
  if (is_current(tag))
    if (Shard* shard = shard_of(file_of(tag)->record))
      if (Metadata* metadata = metadata_of(shard)) metadata->mapped_bytes += bytes;
  update.leave();
}

}  // namespace headrace::capture

#include "capture/recorder/file_names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/recorder/exclusion.h"
#include "capture/recorder/flags.h"

namespace headrace::capture {
namespace {

void set_state(uint32_t record, uint8_t bits) { __atomic_fetch_or(&at<Record>(record)->state, bits, __ATOMIC_RELAXED); }

/// What is kept under its own name, whatever happens to it.
bool keeps_name(uint32_t record) { return at<Record>(record)->kind == RecordKind::kDirectoryRollup; }

/// An earlier name stays where it is, unused: renames are few. Lock held.
void set_last_name(uint32_t record, const char* text, uint32_t length) {
  set_state(record, kNameLeft);
  if (const uint32_t name = allocate_name(text, length))
    at<Record>(record)->final_name = name;
  else
    spool.header->lost_properties++;
}

/// Whether `name` lies below `directory`.
bool is_below(const PathName& name, const PathName& directory) {
  return name.length > directory.length && name.text[directory.length] == '/' &&
         memcmp(name.text, directory.text, directory.length) == 0;
}

/// All that lies below a directory which has another name now. Lock held.
void move_below(const PathName& old_name, const PathName& new_name) {
  char* text = self->path[2];
  memcpy(text, new_name.text, new_name.length);
  for (uint32_t each = spool.header->first_record; each; each = at<Record>(each)->next) {
    const Record* record = at<Record>(each);
    if (keeps_name(each) || ((record->state & kNameLeft) != 0 && record->final_name == 0)) continue;
    const PathName name = last_name(each);
    if (!is_below(name, old_name)) continue;
    const uint32_t rest = name.length - old_name.length;
    if (new_name.length + rest >= kPathMax) continue;
    memcpy(text + new_name.length, name.text + old_name.length, rest);
    set_last_name(each, text, new_name.length + rest);
  }
}

/// A record of this very file that has `name` as its own has it again.
bool has_again(const PathName& name, uint64_t file) {
  const uint32_t latest = find_latest(name.hash);
  if (!latest || keeps_name(latest) || file == 0 || at<Record>(latest)->file != file) return false;
  at<Record>(latest)->final_name = 0;
  __atomic_fetch_and(&at<Record>(latest)->state, static_cast<uint8_t>(~kNameLeft), __ATOMIC_RELEASE);
  return true;
}

bool is_same_file(uint32_t a, uint32_t b) {
  return at<Record>(a)->file != 0 && at<Record>(a)->file == at<Record>(b)->file;
}

/// The descriptor that a name of /proc or an empty one means; −1: it is the name of a file.
int descriptor_meant(int directory, const char* from, int flags) {
  if (!*from) return (flags & AT_EMPTY_PATH) != 0 ? directory : -1;
  for (const char* each : {"/proc/self/fd/", "/proc/thread-self/fd/", "/dev/fd/"})
    if (strncmp(from, each, strlen(each)) == 0) return atoi(from + strlen(each));
  return -1;
}

/// The record of a file that is open, referenced.
uint32_t open_record(int fd) {
  std::atomic<uint64_t>* entry = entry_of(fd);
  const uint64_t tag = entry ? entry->load(std::memory_order_relaxed) : kUnknownTag;
  const uint32_t record = is_tracked(tag) && is_current(tag) ? file_of(tag)->record : 0;
  return record ? take_reference(record) : 0;
}

/// The record of the file that got another name, referenced.
uint32_t linked_record(int directory, const char* from, int flags) {
  const int fd = descriptor_meant(directory, from, flags);
  return fd < 0 ? take_existing(absolute_name(directory, from, 1).hash) : open_record(fd);
}

/// Where a symbolic link of this name leads.
PathName target_of(const PathName& link, const char* target) {
  uint32_t length = link.length;
  while (length > 0 && link.text[length - 1] != '/') --length;
  const size_t rest = strlen(target);
  if (*target == '/' || length + rest >= kPathMax) return absolute_name(AT_FDCWD, target, 1);
  char* text = self->path[2];
  memcpy(text, link.text, length);
  memcpy(text + length, target, rest + 1);
  return absolute_name(AT_FDCWD, text, 1);
}

/// `mv` tries first whether the new name is free, and then takes it. Behind that, the name may be another file's again.
void ask_before_next(int directory, const char* path) {
  Update update;
  if (!path || in_vfork_child() || !update.enter_anew()) return;
  const PathName name = absolute_name(directory, path, 0);
  const bool is_asked = excluding_rule(name.text, name.length) < 0 && S_ISREG(file_kind(directory, path, false).mode);
  const FileIdentity found = is_asked ? identity_of(directory, path, false) : 0;
  const uint32_t record = found != 0 ? take_record(name, RecordKind::kFile, found) : 0;
  drop_record(record);
  update.leave();
}

void count_replaced(uint32_t target) {
  if (!count_metadata(target, Layer::kPosix, Metadata::kRenames, {}))
    count_without_room({kNobodys, Metadata::kRenames, kUnknownTag, 0, 0, 0}, true);
}

}  // namespace

uint32_t handle_of_other(const PathName& first, const OtherPath& other) {
  const int fd = other.from_first ? -1 : descriptor_meant(other.directory, other.path, other.flags);
  if (fd < 0) {
    const PathName name =
        other.from_first ? target_of(first, other.path) : absolute_name(other.directory, other.path, 1);
    return excluding_rule(name.text, name.length) >= 0 ? 0 : handle_of_path(name);  // it has no name in a trace
  }
  const uint32_t record = open_record(fd);
  const uint32_t handle = record ? handle_of(record) : 0;
  if (record) drop_record(record);
  return handle;
}

PathName last_name(uint32_t offset) {
  const Record* record = at<Record>(offset);
  if (record->final_name == 0) return {name_of(record), record->name_length, record->hash};
  const Name* name = at<Name>(record->final_name);
  return {reinterpret_cast<const char*>(name + 1), name->length, 0};
}

void leave_name(uint32_t record) {
  if (!keeps_name(record)) set_state(record, kNameLeft);
}

void renamed(Fn function, int from_directory, const char* from, int to_directory, const char* to, bool ok,
             bool exchanged, Timed time) {
  if (!time.recorded()) return;
  const bool is_taken = !ok && errno == EEXIST;
  path_call(function, from_directory, from, Metadata::kRenames, ok, time, flag::renamed, Shown::kNothing,
            {to_directory, to});
  if (is_taken) ask_before_next(from_directory, from);
  if (!ok) return;
  Update update;
  if (!update.enter_anew()) return;
  const PathName old_name = absolute_name(from_directory, from, 0), new_name = absolute_name(to_directory, to, 1);
  const uint32_t target = take_existing(new_name.hash);
  const int64_t found = record_of(old_name, false);
  const uint32_t record = found > 0 ? static_cast<uint32_t>(found) : 0;
  // Of two names of one file neither goes away.
  const bool nothing_done = record == target || (record && target && !exchanged && is_same_file(record, target));
  if (record && !keeps_name(record) && !nothing_done) {
    // A name that nobody opened: only now can be asked what it is of.
    if (at<Record>(record)->file == 0) {
      at<Record>(record)->file = identity_of(to_directory, to, false);
      if (S_ISDIR(file_kind(to_directory, to, false).mode)) at<Record>(record)->kind = RecordKind::kDirectory;
    }
    SpoolLock lock;
    const bool back = has_again(new_name, at<Record>(record)->file);
    set_last_name(record, new_name.text, new_name.length);
    if (target && exchanged && !keeps_name(target)) set_last_name(target, old_name.text, old_name.length);
    if (target && !exchanged && !back) leave_name(target);
    if (at<Record>(record)->kind == RecordKind::kDirectory && !exchanged) {
      move_below(old_name, new_name);
      forget_working_directory();
    }
  }
  if (record) drop_record(record);
  // A file that the new name had, and a record of it, is renamed over.
  if (target) {
    count_replaced(target);
    drop_record(target);
  }
  update.leave();
}

void linked(Fn function, int from_directory, const char* from, int to_directory, const char* to, int flags, bool ok,
            Timed time) {
  if (!time.recorded()) return;
  path_call(function, to_directory, to, Metadata::kLinks, ok, time, 0, Shown::kNothing, {from_directory, from, flags});
  if (!ok || !from || in_vfork_child()) return;
  Update update;
  if (!update.enter_anew()) return;
  const PathName name = absolute_name(to_directory, to, 0);
  if (const uint32_t record = linked_record(from_directory, from, flags)) {
    if ((at<Record>(record)->state & kNameless) != 0 && at<Record>(record)->final_name == 0) {
      SpoolLock lock;
      set_last_name(record, name.text, name.length);
    }
    drop_record(record);
  }
  update.leave();
}

}  // namespace headrace::capture

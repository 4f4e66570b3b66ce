// The files a recorder leaves in a spool directory, and whether a process still uses one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "capture/harvest/process_tree.h"

namespace headrace::capture {

/// `<pid>.<creation, ns of the boot clock, hex>.spool`, or `….<reason>.note` of a process that could not be captured.
struct SpoolName {
  std::string file;
  Image image;
  std::string reason;  // of a note; empty for a spool
  bool is_note() const { return !reason.empty(); }
};

/// False for any other name.
bool parse_spool_name(std::string_view file, SpoolName* out);

/// All spools and notes in an open directory, oldest first.
std::vector<SpoolName> list_spools(int directory);

/// Whether all names were read of an open directory's files that are no spools and no notes, which are then in `names`.
bool list_others(int directory, std::unordered_set<std::string>* names);

/// Reads what is in use of an open spool of so many bytes, which most programs' spools have little of.
void read_spool_file(int descriptor, uint64_t size, std::vector<std::byte>* out);

/// Name of the copy of a spool that was reduced, or is about to be (capture/spool_layout.h): the spool's with another
/// ending.
std::string copy_name(const std::string& spool, const char* ending);

enum class Use { kFree, kInUse, kUnknown };

/// Whether some process still maps the open spool for writing. The kernel grants a read lease on a file only when
/// nobody can write to it, mappings included (fcntl(2), F_SETLEASE): so an exec, a zombie, a reused pid and another
/// pid namespace need no special care. kUnknown: leases do not work here.
Use spool_use(int descriptor);

/// By /proc: no such process, a zombie, or another process that began after `image` was created.
bool process_gone(const Image& image);
/// The same, and none of its threads is left either: the first one may have ended before others.
bool process_ended(const Image& image);
/// Whether the pid in the name of a spool in use is another process's here: who uses it lives in a pid namespace of its
/// own, as in a container. By /proc/PID/maps, or where that may not be read because the other one is of another user or
/// older than the job, which began at `job_boottime_ns` and started all that it captures.
bool is_in_other_namespace(const SpoolName& name, uint64_t job_boottime_ns);
/// Whether the process that made `image` is still the owner of its pid.
bool same_process_alive(const Image& image);
/// Its parent's pid as long as it lives, else 0.
uint32_t parent_if_alive(const Image& image);

/// A sentence for the reason in the name of a note.
std::string note_sentence(std::string_view reason);

}  // namespace headrace::capture

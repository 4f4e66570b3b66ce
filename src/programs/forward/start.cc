#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/program_path.h"
#include "forward/program/inside.h"
#include "forward/program/operations.h"
#include "forward/program/places.h"
#include "forward/program/process.h"
#include "forward/program/server_answers.h"
#include "forward/program/table.h"
#include "programs/forward/memory.h"

namespace headrace::forward::program {
namespace {

template <auto function>
constexpr auto entry = &Entry<function>::call;

Calls calls_with(Table table) {
  return {.table = table,
          .open = entry<&open_path>,
          .stat = entry<&stat_path>,
          .statx = entry<&statx_path>,
          .access = entry<&access_path>,
          .readlink = entry<&readlink_path>,
          .truncate = entry<&truncate_path>,
          .unlink = entry<&unlink_path>,
          .remove = entry<&remove_path>,
          .rename = entry<&rename_path>,
          .link = entry<&link_path>,
          .symlink = entry<&symlink_path>,
          .mkdir = entry<&mkdir_path>,
          .chmod = entry<&chmod_path>,
          .chown = entry<&chown_path>,
          .utimens = entry<&utimens_path>,
          .temporary = entry<&temporary_path>,
          .realpath = entry<&real_path>,
          .chdir = entry<&change_directory>,
          .fchdir = entry<&change_directory_to>,
          .getcwd = entry<&current_directory>,
          .elsewhere = entry<&elsewhere>,
          .is_forwarded = entry<&is_forwarded_path>,
          .readv = entry<&readv_file>,
          .preadv = entry<&preadv_file>,
          .writev = entry<&writev_file>,
          .pwritev = &Entry<&pwritev_file>::call_gathering,
          .begin_gathering = &Entry<&begin_gathering>::call_gathering,
          .end_gathering = &Entry<&end_gathering>::call_gathering,
          .lseek = entry<&lseek_file>,
          .fstat = entry<&fstat_file>,
          .fstatx = entry<&fstatx_file>,
          .ftruncate = entry<&ftruncate_file>,
          .allocate = entry<&allocate_file>,
          .fsync = entry<&fsync_file>,
          .fchmod = entry<&fchmod_file>,
          .fchown = entry<&fchown_file>,
          .futimens = entry<&futimens_file>,
          .fcntl = entry<&fcntl_file>,
          .lock = &lock_ranges,
          .flock = &lock_whole,
          .lockf = &lock_from_position,
          .mmap = entry<&map_file>,
          .getdents64 = entry<&getdents64_file>,
          .refused = entry<&refused_file>,
          .copy = entry<&copy_files>,
          .close = entry<&close_number>,
          .dup2 = entry<&dup2_number>,
          .close_range = entry<&close_range_numbers>,
          .duplicated = entry<&duplicated_number>,
          .received = entry<&received_number>,
          .program = entry<&forwarded_program>,
          .forget_program = entry<&forget_program>,
          .begin_spawn = entry<&begin_spawn>,
          .end_spawn = entry<&end_spawn>,
          .fopen = entry<&open_stream>,
          .freopen = entry<&reopen_stream>,
          .stream = entry<&stream_on>,
          .opendir = entry<&open_directory>,
          .fdopendir = entry<&open_directory_of>,
          .is_directory = entry<&is_forwarded_directory>,
          .readdir = entry<&read_directory>,
          .seekdir = entry<&seek_directory>,
          .closedir = entry<&close_directory>};
}

/// A program that is executed from a copy in memory has the copy's number for a name.
void name_this_thread() {
  static char path[PATH_MAX];
  bool is_copy = false;
  path[base::program_path(path, sizeof path - 1, &is_copy)] = '\0';
  if (is_copy) prctl(PR_SET_NAME, strrchr(path, '/') + 1);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const Calls* headrace_forward_start(const char* setup,
                                                                                      const Recorder* recorder);

const Calls* headrace_forward_start(const char* text, const Recorder* recorder) {
  const Inside inside;
  const auto setup = from_text(text);
  if (!setup.ok() || !prepare_table()) {
    const std::string line =
        "headrace: " + (setup.ok() ? std::string(strerror(errno)) : setup.message()) + "; nothing is forwarded\n";
    [[maybe_unused]] const ssize_t put = write(STDERR_FILENO, line.data(), line.size());
    return nullptr;
  }
  prepare_memory();
  name_this_thread();
  prepare_process();
  prepare_gathering();
  prepare_places(*setup);
  find_inherited();
  tell_of_answers(*recorder);
  static const Calls calls = calls_with(table());
  return &calls;
}

}  // namespace headrace::forward::program

#include "capture/recorder/launch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <initializer_list>

#include "base/hash.h"
#include "base/kernel.h"
#include "capture/recorder/settings.h"
#include "capture/recorder/state.h"

namespace headrace::capture {
namespace {

/// What names a launch by itself, the most particular first: under a batch system several launches share its job. All
/// variables of a row that are set belong to the name; without the first one the row says nothing.
constexpr const char* kNames[][3] = {
    {"PMIX_NAMESPACE", "OMPI_MCA_orte_precondition_transports", nullptr},  // the latter is random, the former 16 bits
    {"PALS_APID", nullptr, nullptr},
    {"PMI_JOBID", nullptr, nullptr},
};
constexpr const char* kRanks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PALS_RANKID", "SLURM_PROCID"};
constexpr const char* kSizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
constexpr int kHydraRank = 2, kHydraSize = 1;  // where Hydra's own begin in these lists
constexpr int kAncestors = 32;

uint64_t mix_text(uint64_t id, const char* text) { return base::mix(id, base::hash_text(text)); }

int number_in_text(const char* const* first, const char* const* last, int otherwise) {
  for (; first != last; ++first) {
    const char* value = environment_value(*first);
    if (value && *value >= '0' && *value <= '9') return atoi(value);
  }
  return otherwise;
}

uint64_t name_of_launch() {
  for (const auto& row : kNames) {
    uint64_t id = 0;
    for (const char* name : row) {
      const char* value = name ? environment_value(name) : nullptr;
      if (!value && name == row[0]) break;
      if (value) id = mix_text(id, value);
    }
    if (id) return id;
  }
  return 0;
}

/// A step is one srun; without its number the batch script itself is meant, which is no launch.
uint64_t step_of_slurm() {
  const char* job = environment_value("SLURM_JOB_ID");
  const char* step = environment_value("SLURM_STEP_ID");
  if (!job || !step || !environment_value("SLURM_PROCID")) return 0;
  return mix_text(mix_text(0, job), step);
}

size_t read_process_file(int process, const char* name, char* buffer, size_t capacity) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", process, name);
  const long fd = base::kernel_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return 0;
  const long length = base::kernel_call(SYS_read, fd, buffer, capacity - 1);
  base::kernel_call(SYS_close, fd);
  buffer[length > 0 ? length : 0] = 0;
  return length > 0 ? static_cast<size_t>(length) : 0;
}

/// Hydra tells its ranks nothing that is theirs alone. Its proxy, one a node and an ancestor of them all, was started
/// with the address that all proxies call, and with the number of the group it serves.
uint64_t launch_of_hydra() {
  if (!environment_value("PMI_FD") && !environment_value("PMI_PORT")) return 0;
  static HEADRACE_LARGE char text[4096];  // at starts alone, and too much for a stack that is not ours
  int process = static_cast<int>(base::kernel_call(SYS_getppid));
  for (int i = 0; i < kAncestors && process > 1; ++i) {
    if (!read_process_file(process, "stat", text, sizeof text)) return 0;
    const char* begin = strchr(text, '(');
    const char* end = strrchr(text, ')');  // the program may have such characters in its name
    if (!begin || !end) return 0;
    const bool is_proxy = strncmp(begin, "(hydra_pmi_proxy", 15) == 0 || strncmp(begin, "(pmi_proxy", 10) == 0 ||
                          strncmp(begin, "(hydra_bstrap", 13) == 0;
    // Hydra's variables were then left by an outer launch.
    for (const char* name : {"(orted", "(prted", "(orterun", "(prterun", "(mpirun", "(slurmstepd"})
      if (strncmp(begin, name, strlen(name)) == 0) return 0;
    const int parent = atoi(end + 4);  // ") S PPID"
    const size_t length = is_proxy ? read_process_file(process, "cmdline", text, sizeof text) : 0;
    uint64_t id = 0;
    for (const char* word = text; word < text + length; word += strlen(word) + 1) {
      const char* value = word + strlen(word) + 1;
      if (value >= text + length) break;
      if (strcmp(word, "--control-port") == 0 || strcmp(word, "--pgid") == 0) id = mix_text(id, value);
    }
    if (id) return id;
    process = parent;
  }
  return 0;
}

/// Ranks of one node often have the same parent: the proxy of their launcher.
uint64_t family() {
  utsname system;
  const bool named = base::kernel_call(SYS_uname, &system) == 0;
  return base::mix(base::hash_text(named ? system.nodename : ""),
                   static_cast<uint64_t>(base::kernel_call(SYS_getppid)));
}

}  // namespace

Launch launch_of_environment() {
  Launch launch;
  // A program that Hydra starts in a rank of another launch finds the variables of both.
  const char* outer = environment_value("PMIX_NAMESPACE");
  launch.id = outer ? launch_of_hydra() : 0;
  const bool inner = launch.id != 0;
  launch.rank = number_in_text(std::begin(kRanks) + (inner ? kHydraRank : 0), std::end(kRanks), -1);
  launch.ranks = number_in_text(std::begin(kSizes) + (inner ? kHydraSize : 0), std::end(kSizes), 0);
  if (!launch.id) launch.id = name_of_launch();
  if (!launch.id && !outer) launch.id = launch_of_hydra();
  if (!launch.id) launch.id = step_of_slurm();
  launch.known = launch.id != 0;
  if (!launch.known) launch.id = family();
  if (!launch.id) launch.id = 1;
  return launch;
}

}  // namespace headrace::capture

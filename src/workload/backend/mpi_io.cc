#include "workload/backend/mpi_io.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include <algorithm>
#include <optional>

namespace headrace::workload {
namespace {

constexpr const char* kRomios[] = {"io_romio321_priority", "io_romio341_priority", "io_romio314_priority"};
// Magic numbers of statfs(2) and of the systems themselves.
constexpr unsigned kLustre = 0x0bd00bd0;
constexpr unsigned kTakeStripes[] = {kLustre, 0x19830326 /* BeeGFS */, 0xaad7aaea /* Panasas */, 0x20030528 /* PVFS */};

/// Variables of the library as MPI_T has them.
class Variables {
 public:
  Variables() {
    int provided = 0;
    const bool there = look_up(&begin_, "MPI_T_init_thread") && look_up(&end_, "MPI_T_finalize") &&
                       look_up(&index_, "MPI_T_cvar_get_index") && look_up(&take_, "MPI_T_cvar_handle_alloc") &&
                       look_up(&read_, "MPI_T_cvar_read") && look_up(&leave_, "MPI_T_cvar_handle_free");
    constexpr int kSingle = 0;  // MPI_THREAD_SINGLE
    open_ = there && begin_(kSingle, &provided) == 0;
  }
  ~Variables() {
    if (open_) end_();
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

  /// An integer; nothing where there is no such variable.
  std::optional<int> number(const char* name) const {
    int index = 0, count = 0, value = 0;
    void* handle = nullptr;
    if (!open_ || index_(name, &index) != 0 || take_(index, nullptr, &handle, &count) != 0) return std::nullopt;
    const bool read = count == 1 && read_(handle, &value) == 0;
    leave_(&handle);
    return read ? std::optional(value) : std::nullopt;
  }

 private:
  template <typename F>
  static bool look_up(F** function, const char* name) {
    *function = reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
    return *function != nullptr;
  }
  int (*begin_)(int, int*) = nullptr;
  int (*end_)() = nullptr;
  int (*index_)(const char*, int*) = nullptr;
  int (*take_)(int, void*, void**, int*) = nullptr;
  int (*read_)(void*, void*) = nullptr;
  int (*leave_)(void**) = nullptr;
  bool open_ = false;
};

unsigned file_system_of(const std::string& path) {
  struct statfs info;
  return statfs(path.c_str(), &info) == 0 ? static_cast<unsigned>(info.f_type) : 0;
}

/// Open MPI takes the component of the highest priority among those that it was told to take; components that it was
/// told to leave have no variables. Its 4th version leaves Lustre to ROMIO.
bool takes_ompio(const Mpi& mpi, bool lustre) {
  if (!mpi.name.starts_with("Open MPI")) return false;
  const Variables variables;
  const std::optional<int> ompio = variables.number("io_ompio_priority");
  if (!ompio) return false;
  for (const char* name : kRomios)
    if (const auto romio = variables.number(name))
      return *romio <= *ompio && !(lustre && mpi.name.starts_with("Open MPI v4"));
  return true;
}

}  // namespace

base::Status check_hints(const Mpi& mpi, const Hints::Pairs& pairs) {
  for (const auto& [key, value] : pairs) {
    const auto refuse = [&, &key = key](const std::string& why) {
      return base::Status(base::Code::kInvalid, "--hint " + key + ": " + mpi.name + " takes " + why);
    };
    if (key.empty() || key.size() > mpi.longest_key)
      return refuse("names of 1 to " + std::to_string(mpi.longest_key) + " characters");
    if (value.empty() || value.size() > mpi.longest_value)
      return refuse("values of 1 to " + std::to_string(mpi.longest_value) + " characters");
  }
  return {};
}

Hints::Hints(const Mpi& mpi, Pairs pairs) : mpi_(mpi), info_(mpi.no_info) {
  for (const auto& [key, value] : pairs) add(key, value);
}

Hints::~Hints() {
  if (info_ != mpi_.no_info) mpi_.info_free(&info_);
}

void Hints::add(const std::string& key, const std::string& value) {
  if (info_ == mpi_.no_info) mpi_.info_create(&info_);
  mpi_.info_set(info_, key.c_str(), value.c_str());
  pairs_.emplace_back(key, value);
}

void Hints::note_open(const std::string& path) {
  if (noted_) return;
  noted_ = true;
  system_ = file_system_of(path);
}

std::vector<std::string> Hints::remarks() const {
  if (!noted_) return {};
  const bool ompio = takes_ompio(mpi_, system_ == kLustre);
  const bool stripes = std::find(std::begin(kTakeStripes), std::end(kTakeStripes), system_) != std::end(kTakeStripes);
  std::vector<std::string> all = {std::string("MPI-IO by ") + (ompio ? "OMPIO" : "ROMIO")};
  const auto any = [&](const char* begin) {
    return std::any_of(pairs_.begin(), pairs_.end(), [&](const auto& pair) { return pair.first.starts_with(begin); });
  };
  const char *own = getenv("ROMIO_HINTS"), *profile = getenv("HEADRACE_EMULATE_HINTS");
  if (!ompio && own != nullptr && profile != nullptr && strcmp(own, profile) == 0)
    all.push_back(std::string("hints that a driver of the emulated file system would choose are from ") + profile);
  if (ompio && profile != nullptr)
    all.push_back(
        "OMPIO chooses as for the local file system: it takes no hints from the profile; OMPI_MCA_io=romio321 (in "
        "Open MPI 5: romio341) chooses ROMIO, which does");
  if (ompio && any("romio_"))
    all.push_back(
        "hints named romio_… do nothing in Open MPI's own MPI-IO, OMPIO; OMPI_MCA_io=romio321 (in Open MPI 5: "
        "romio341) chooses ROMIO");
  if (!stripes && any("striping_factor"))
    all.push_back(
        "the hint striping_factor does nothing here: the file system of the run is none that stripes files, such as "
        "Lustre");
  if (!stripes && ompio && any("striping_unit"))  // ROMIO cuts collective transfers by it, whatever the file system
    all.push_back("the hint striping_unit does nothing here: OMPIO takes it on striped file systems alone");
  return all;
}

}  // namespace headrace::workload

#include "workload/backend/library.h"

namespace headrace::workload {
namespace {

using base::Code;
using base::Result;
using base::Status;

/// Whether what a library calls is the ranks' MPI; else in words what it is.
std::string fault_of(void* library, const Mpi& mpi) {
  void* theirs = dlsym(library, "MPI_File_open");  // of the library and what it was linked with
  if (theirs == nullptr) return "is built without MPI";
  if (theirs == dlsym(mpi.loaded, "MPI_File_open")) return "";
  Dl_info info;
  const bool named = dladdr(theirs, &info) != 0 && info.dli_fname != nullptr;
  return std::string("is built with another MPI") + (named ? ", " + std::string(info.dli_fname) : "");
}

/// Of local scope until it is known to fit: one that does not is left again.
Status try_one(const std::string& name, const Mpi* mpi) {
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {Code::kNotFound, dlerror()};
  if (const std::string fault = mpi != nullptr ? fault_of(library, *mpi) : ""; !fault.empty()) {
    dlclose(library);
    return {Code::kUnsupported, name + " " + fault};
  }
  dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
  return {};
}

/// The first that fits; "" = none.
std::string find(const WantedLibrary& wanted, std::string* why) {
  for (const std::string& name : wanted.names) {
    const Status found = try_one(name, wanted.mpi);
    if (found.ok()) return name;
    const bool there = found.code() == Code::kUnsupported;
    *why += (why->empty() ? "" : ", ") + (there ? found.message() : name);
  }
  return "";
}

std::string need(const WantedLibrary& wanted) {
  return wanted.mpi == nullptr ? "no " + std::string(wanted.what) + " library is found"
                               : "a " + std::string(wanted.what) + " built with " + wanted.mpi->name + " is needed";
}

}  // namespace

Result<std::string> load_library(const std::string& given, const WantedLibrary& wanted) {
  std::string tried;
  if (given.empty()) {
    std::string found = find(wanted, &tried);
    if (!found.empty()) return found;
    return Status(Code::kNotFound, need(wanted) + (wanted.mpi == nullptr ? " (" : ", and none is found (") + tried +
                                       "): install one, or name it with " + wanted.option + " /path/to/library.so");
  }
  const Status found = try_one(given, wanted.mpi);
  const std::string begin = std::string(wanted.option) + ": ";
  if (found.ok()) return given;
  if (found.code() != Code::kUnsupported) return Status(found.code(), begin + found.message());
  const std::string other = find(wanted, &tried);
  return Status(found.code(), begin + found.message() + ", and " + need(wanted) +
                                  (other.empty() ? "; none is found here" : ": name " + other));
}

}  // namespace headrace::workload

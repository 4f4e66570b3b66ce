#include "capture/recorder/hdf5.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

namespace headrace::capture::hdf5 {
namespace {

constexpr uint32_t kLibraries = 8, kCallers = 256;
HEADRACE_LARGE constinit Library libraries[kLibraries]{};
HEADRACE_LARGE constinit Caller callers[kCallers]{};
std::atomic<uint32_t> library_count{0}, caller_count{0};
std::atomic<bool> searching{false};

/// One thread at a time enters new callers.
class SearchLock {
 public:
  SearchLock() {
    while (searching.exchange(true, std::memory_order_acquire)) usleep(50);
  }
  ~SearchLock() { searching.store(false, std::memory_order_release); }
  SearchLock(const SearchLock&) = delete;
  SearchLock& operator=(const SearchLock&) = delete;
};

struct Name {
  char text[1024];
};

int look_for_name(struct dl_phdr_info* info, size_t, void* data) {
  if (!info->dlpi_name || !strstr(info->dlpi_name, "hdf5") || strlen(info->dlpi_name) >= sizeof(Name)) return 0;
  strcpy(static_cast<Name*>(data)->text, info->dlpi_name);
  return 1;
}

/// What `name` is in the loaded object at `path`; null: nothing.
void* in_loaded(const char* path, const char* name) {
  void* handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return nullptr;
  void* found = dlsym(handle, name);
  dlclose(handle);
  return found;
}

void* open_function(const void* caller) {
  if (void* found = intercept::beyond("H5open", caller)) return found;
  // The caller has no HDF5 of its own: a function that ended in a jump to HDF5 leaves its own caller's address. The
  // loader may not be asked from within the walk through its objects.
  Name name{};
  dl_iterate_phdr(look_for_name, &name);
  return name.text[0] ? in_loaded(name.text, "H5open") : nullptr;
}

/// The version, by a text in the library: its function for it would set the library up, which is part of the program's
/// first call. False: it is written otherwise.
bool version_in(void* handle, unsigned* version) {
  static constexpr char kBefore[] = "HDF5 library version: ";
  const char* text = static_cast<const char*>(dlsym(handle, "H5_lib_vers_info_g"));
  return text && strncmp(text, kBefore, sizeof kBefore - 1) == 0 &&
         sscanf(text + sizeof kBefore - 1, "%u.%u.%u", &version[0], &version[1], &version[2]) == 3;
}

Facts facts_of(void* open) {
  Facts m{};
  Dl_info info;
  m.range = intercept::object_at(open);
  if (!dladdr(open, &info)) return m;
  // What wrappers remember of it must stay true: it is not unloaded any more.
  void* handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  if (!handle) return m;
#define ASKED(name, returns, params) m.ask.name = reinterpret_cast<returns(*) params>(dlsym(handle, "H5" #name));
#include "capture/recorder/hdf5_asked.def"
#undef ASKED
  m.default_access = static_cast<const Id*>(dlsym(handle, "H5P_LST_FILE_ACCESS_ID_g"));
  const bool told = version_in(handle, m.version);
  dlclose(handle);
  if (!m.ask.get_libversion) return m;
  if (!told && m.ask.get_libversion(&m.version[0], &m.version[1], &m.version[2]) != 0) return m;
  // 1.8 has ids of 32 bits. What comes after 2 may differ, and is to be looked at first.
  m.counts = (m.version[0] == 1 && m.version[1] >= 10) || m.version[0] == 2;
  return m;
}

Library* known_library(const void* open) {
  const uint32_t count = library_count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i)
    if (libraries[i].range.contains(open)) return &libraries[i];
  return nullptr;
}

Library* add_library(const Facts& facts) {
  const uint32_t count = library_count.load(std::memory_order_relaxed);
  if (count == kLibraries) return nullptr;
  Library& m = libraries[count];
  static_cast<Facts&>(m) = facts;
  m.number = count;
  library_count.store(count + 1, std::memory_order_release);
  return &m;
}

const Caller* add_caller(const intercept::LoadedRange& range, Library* m) {
  const uint32_t count = caller_count.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < count; ++i)  // code that is in no object, perhaps
    if (callers[i].range.start == range.start && callers[i].library == m) return &callers[i];
  if (count == kCallers) return nullptr;
  callers[count] = {range, m};
  caller_count.store(count + 1, std::memory_order_release);
  return &callers[count];
}

const Caller* known_caller(const void* caller) {
  const uint32_t count = caller_count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i)
    if (callers[i].range.contains(caller)) return &callers[i];
  return nullptr;
}

}  // namespace

const Caller* find_caller(const void* caller) {
  if (const Caller* known = known_caller(caller)) return known;
  const int saved = errno;
  // The loader is not asked under our lock: a library's constructor that calls HDF5 holds the loader's and would wait
  // for ours.
  void* open = open_function(caller);
  const Caller* found = nullptr;
  if (open) {
    Library* m = known_library(open);
    const Facts facts = m ? Facts{} : facts_of(open);
    const intercept::LoadedRange range = intercept::object_at(caller);
    SearchLock lock;
    if (!m) m = known_library(open);
    if (!m) m = add_library(facts);
    if (m) found = add_caller(range, m);
  }
  errno = saved;
  return found;
}

void* find_function(Library& m, LibraryFn function, const char* name, const void* caller) {
  const int saved = errno;
  void* found = intercept::beyond(name, caller);
  if (!found && m.ask.Iis_valid) {  // the caller has none of its own
    Dl_info info;
    if (dladdr(reinterpret_cast<void*>(m.ask.Iis_valid), &info)) found = in_loaded(info.dli_fname, name);
  }
  const uint32_t at = static_cast<uint32_t>(function) - static_cast<uint32_t>(LibraryFn::kHdf5);
  m.functions[at].store(found, std::memory_order_relaxed);
  errno = saved;
  return found;
}

Quiet::Quiet(const Library& m) : m_(m) {
  const Api& ask = m.ask;
  if (!ask.Eauto_is_v2 || ask.Eauto_is_v2(kDefault, &second_) < 0) return;
  if (second_ && ask.Eget_auto2 && ask.Eset_auto2) {
    set_ = ask.Eget_auto2(kDefault, &print_, &data_) >= 0 && ask.Eset_auto2(kDefault, nullptr, nullptr) >= 0;
  } else if (!second_ && ask.Eget_auto1 && ask.Eset_auto1) {
    set_ = ask.Eget_auto1(&print_, &data_) >= 0 && ask.Eset_auto1(nullptr, nullptr) >= 0;
  }
}

Quiet::~Quiet() {
  if (!set_) return;
  if (second_)
    m_.ask.Eset_auto2(kDefault, print_, data_);
  else
    m_.ask.Eset_auto1(print_, data_);
}

}  // namespace headrace::capture::hdf5

#include "convert/otf2/known_names.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string_view>
#include <unordered_map>

#include "events/library_class.h"
#include "intercept/functions.h"
#include "intercept/library_functions.h"

namespace headrace::convert::otf2 {

using model::TimeClass;

namespace {

bool contains(std::string_view name, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

std::string lower_of(std::string_view name) {
  std::string lower(name);
  for (char& each : lower) each = static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
  return lower;
}

bool is_upper_at(std::string_view name, size_t at) {
  return at < name.size() && std::isupper(static_cast<unsigned char>(name[at]));
}

/// Functions of libraries, by their names in small letters, as Fortran's compilers write them.
const std::unordered_map<std::string, std::string_view>& library_names() {
  static const auto kNames = [] {
    std::unordered_map<std::string, std::string_view> names;
    for (uint32_t i = 0; const auto function = intercept::library_function(i); ++i)
      if (std::string_view(function.layer) != "forward") names.emplace(lower_of(function.name), function.name);
    return names;
  }();
  return kNames;
}

/// "MPI_Send" of "PMPI_Send", "mpi_send__", "MPI_SEND" and "MPI_Send()". Others stay.
std::string plain_name(std::string_view name) {
  if (name.ends_with("()")) name.remove_suffix(2);
  std::string_view bare = name;
  while (bare.ends_with('_')) bare.remove_suffix(1);
  std::string lower = lower_of(bare);
  if (lower.starts_with("pmpi_")) {
    lower.erase(0, 1);
    bare.remove_prefix(1);
  }
  const auto known = library_names().find(lower);
  if (known != library_names().end()) return std::string(known->second);
  return std::string(lower.starts_with("mpi_") ? bare : name);
}

const char* library_of(std::string_view name) {
  if (name.starts_with("MPI_File_") || name.starts_with("MPI_FILE_")) return "mpiio";
  if (name.starts_with("MPI_") && is_upper_at(name, 4)) return "mpi";
  if (name.starts_with("H5") && is_upper_at(name, 2)) return "hdf5";
  return name.starts_with("ncmpi_") || name.starts_with("nfmpi_") ? "pnetcdf" : "";
}

/// The intercepted functions of the C library, under all of their names.
const std::unordered_map<std::string_view, intercept::Fn>& c_names() {
  using intercept::Fn;
  static const std::unordered_map<std::string_view, Fn> kNames = {
#define FUNCTION(id, ret, params, args, module, doc) {#id, Fn::id},
#define SPECIAL(id, ret, params, args, module, doc) {#id, Fn::id},
#define ALIAS(symbol, id) {#symbol, Fn::id},
#include "intercept/functions.def"
#undef FUNCTION
#undef SPECIAL
#undef ALIAS
  };
  return kNames;
}

KnownName stream_function(std::string_view name) {
  KnownName known{"stdio", TimeClass::kMetadata, true};
  if (name.starts_with("unget")) return known;
  if (contains(name, {"read", "getc", "getw", "gets", "getline", "getdelim", "scanf"}))
    known.time_class = TimeClass::kRead;
  else if (contains(name, {"write", "put", "printf"}))
    known.time_class = TimeClass::kWrite;
  return known;
}

KnownName c_function(std::string_view name) {
  const auto found = c_names().find(name);
  if (found == c_names().end()) return {};
  const auto module = intercept::modules::kOf[static_cast<uint32_t>(found->second)];
  if (module == intercept::modules::process) return {};
  if (module == intercept::modules::stdio) return stream_function(name);
  KnownName known{"posix", TimeClass::kMetadata, true};
  if (contains(name, {"readlink", "readdir", "readahead", "fts_"})) return known;
  if (contains(name, {"read", "recv"}))
    known.time_class = TimeClass::kRead;
  else if (contains(name, {"write", "printf", "copy_file_range", "sendfile", "splice"}) || name == "tee")
    known.time_class = TimeClass::kWrite;
  return known;
}

bool is_wait_of_threads(std::string_view name) {
  if (name == "sem_wait" || name == "sem_timedwait" || name == "sem_clockwait") return true;
  if (!name.starts_with("pthread_")) return false;
  return contains(name, {"_lock", "_rdlock", "_wrlock", "_wait", "_timed", "_clock", "_join"});
}

}  // namespace

KnownName known_name(const std::string& region, OTF2_Paradigm paradigm) {
  const std::string name = plain_name(region);
  const char* library = library_of(name);
  if (*library != 0) return {library, events::library_class(library, name), false};
  if (paradigm == OTF2_PARADIGM_COMPILER) return {};
  if (is_wait_of_threads(name)) return {"sync", TimeClass::kWait, false};
  return c_function(name);
}

}  // namespace headrace::convert::otf2

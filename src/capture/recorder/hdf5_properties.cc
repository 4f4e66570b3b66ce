// How a file or dataset of HDF5 was set up, and what its caches did, as properties of its record.
//
// A file's access list is the one that the program gave: HDF5 hands out its own only with a copy of MPI's communicator,
// which all ranks would have to make together.
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <initializer_list>

#include "capture/recorder/hdf5.h"

namespace headrace::capture::hdf5 {
namespace {

constexpr int kMostDimensions = 32;

__attribute__((format(printf, 3, 4))) void keep(const LibraryObject* object, const char* key, const char* format, ...) {
  char value[256];
  va_list values;
  va_start(values, format);
  vsnprintf(value, sizeof value, format, values);
  va_end(values);
  library_property(object, key, value);
}

void keep_sizes(const LibraryObject* object, const char* key, const uint64_t* sizes, int count) {
  char text[kMostDimensions * 21 + 1] = "scalar";
  size_t length = 0;
  for (int i = 0; i < count; ++i)
    length += static_cast<size_t>(snprintf(text + length, sizeof text - length, "%s%llu", i ? "x" : "",
                                           static_cast<unsigned long long>(sizes[i])));
  library_property(object, key, text);
}

/// The file access list that a program's argument means.
Id list_of(const Library& m, Id access) {
  return access != kDefault ? access : m.default_access ? *m.default_access : 0;
}

/// The id of a driver: a variable from 2.0 on, the result of a function before.
Id driver(const Library& m, const char* name) {
  Dl_info info;
  char symbol[64];
  Id id = -1;
  void* handle = dladdr(reinterpret_cast<void*>(m.ask.get_libversion), &info)
                     ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                     : nullptr;
  if (!handle) return id;
  char upper[16] = "";
  for (size_t i = 0; name[i] && i + 1 < sizeof upper; ++i)
    upper[i] = static_cast<char>(name[i] >= 'a' && name[i] <= 'z' ? name[i] - 'a' + 'A' : name[i]);
  snprintf(symbol, sizeof symbol, "H5FD_%s_id_g", upper);
  if (const void* variable = dlsym(handle, symbol)) {
    id = *static_cast<const Id*>(variable);
  } else {
    snprintf(symbol, sizeof symbol, "H5FD_%s_init", name);
    auto* function = reinterpret_cast<Id (*)()>(dlsym(handle, symbol));
    if (function) id = function();
  }
  dlclose(handle);
  return id;
}

const char* name_of_driver(const Library& m, Id list) {
  const Id used = m.ask.Pget_driver ? m.ask.Pget_driver(list) : -1;
  if (used < 0) return nullptr;
  for (const char* name : {"sec2", "mpio", "core", "stdio", "family", "multi", "log", "direct", "splitter", "ros3",
                           "hdfs", "subfiling", "ioc", "onion", "mirror"})
    if (driver(m, name) == used) return name;
  return "another";
}

const char* name_of_format(int bound) {
  static const char* const kNames[] = {"earliest", "1.8", "1.10", "1.12", "1.14", "2.0"};
  return bound >= 0 && bound < 6 ? kNames[bound] : "later";
}

void keep_access(const Library& m, const LibraryObject* object, Id list) {
  const Api& ask = m.ask;
  uint64_t threshold = 0, alignment = 0, block = 0;
  size_t sieve = 0, buffer = 0;
  unsigned metadata = 0, raw = 0;
  int low = 0, high = 0;
  unsigned char collective = 0;
  if (const char* name = name_of_driver(m, list)) library_property(object, "hdf5.driver", name);
  if (ask.Pget_alignment && ask.Pget_alignment(list, &threshold, &alignment) >= 0) {
    keep(object, "hdf5.alignment", "%llu", static_cast<unsigned long long>(alignment));
    keep(object, "hdf5.alignment_threshold", "%llu", static_cast<unsigned long long>(threshold));
  }
  if (ask.Pget_sieve_buf_size && ask.Pget_sieve_buf_size(list, &sieve) >= 0) keep(object, "hdf5.sieve", "%zu", sieve);
  if (ask.Pget_meta_block_size && ask.Pget_meta_block_size(list, &block) >= 0)
    keep(object, "hdf5.meta_block", "%llu", static_cast<unsigned long long>(block));
  if (ask.Pget_libver_bounds && ask.Pget_libver_bounds(list, &low, &high) >= 0)
    keep(object, "hdf5.libver", "%s %s", name_of_format(low), name_of_format(high));
  if (ask.Pget_page_buffer_size && ask.Pget_page_buffer_size(list, &buffer, &metadata, &raw) >= 0)
    keep(object, "hdf5.page_buffer", "%zu", buffer);
  if (ask.Pget_all_coll_metadata_ops && ask.Pget_all_coll_metadata_ops(list, &collective) >= 0)
    keep(object, "hdf5.collective_metadata_reads", "%d", collective);
  if (ask.Pget_coll_metadata_write && ask.Pget_coll_metadata_write(list, &collective) >= 0)
    keep(object, "hdf5.collective_metadata_writes", "%d", collective);
}

void keep_filters(const Library& m, const LibraryObject* object, Id list) {
  char text[256] = "none";
  size_t length = 0;
  const int count = m.ask.Pget_nfilters(list);
  for (int i = 0; i < count && length < sizeof text - 64; ++i) {
    unsigned flags = 0, configuration = 0, values[1] = {0};
    size_t room = 1;
    char name[32] = "";
    const int id =
        m.ask.Pget_filter2(list, static_cast<unsigned>(i), &flags, &room, values, sizeof name, name, &configuration);
    if (id < 0) break;
    static const char* const kOwn[] = {"", "deflate", "shuffle", "fletcher32", "szip", "nbit", "scaleoffset"};
    char number[16];
    snprintf(number, sizeof number, "%d", id);
    name[sizeof name - 1] = '\0';
    const char* called = id > 0 && id < 7 ? kOwn[id] : name[0] ? name : number;
    length += static_cast<size_t>(snprintf(text + length, sizeof text - length, "%s%.31s", i ? " " : "", called));
    if (id == 1 && room > 0)
      length += static_cast<size_t>(snprintf(text + length, sizeof text - length, "=%u", values[0]));
  }
  library_property(object, "hdf5.filters", text);
}

enum { kContiguous = 1, kChunked = 2 };
constexpr const char* kLayouts[] = {"compact", "contiguous", "chunked", "virtual"};

/// `list`: of the creation of a dataset.
void keep_layout(const Library& m, const LibraryObject* object, Id list) {
  const Api& ask = m.ask;
  if (!ask.Pget_layout || !ask.Pget_chunk || !ask.Pget_nfilters || !ask.Pget_filter2) return;
  const int layout = ask.Pget_layout(list);
  if (layout >= 0 && layout < 4) library_property(object, "hdf5.layout", kLayouts[layout]);
  if (layout != kChunked) return;
  uint64_t sizes[kMostDimensions];
  const int count = ask.Pget_chunk(list, kMostDimensions, sizes);
  if (count > 0 && count <= kMostDimensions) keep_sizes(object, "hdf5.chunk", sizes, count);
  keep_filters(m, object, list);
}

/// Only contiguous datasets have one place in the file. A list of how it was created takes HDF5 ten times as long to
/// make as all else that is asked.
bool has_place(const Library& m, Id dataset) {
  constexpr uint64_t kNone = ~uint64_t{0};  // HADDR_UNDEF
  return m.ask.Dget_offset && m.ask.Dget_offset(dataset) != kNone;
}

}  // namespace

bool is_parallel(const Library& m, Id access) {
  const Id list = m.ask.Pget_dxpl_mpio ? list_of(m, access) : 0;
  const char* name = list > 0 ? name_of_driver(m, list) : nullptr;
  return name && strcmp(name, "mpio") == 0;
}

void keep_file(const Library& m, const LibraryObject* object, Id file, Id access) {
  if (!library_is_new(object)) return;
  const Api& ask = m.ask;
  keep(object, "hdf5.version", "%u.%u.%u", m.version[0], m.version[1], m.version[2]);
  if (const Id list = list_of(m, access); list > 0) keep_access(m, object, list);
  const Id list = ask.Fget_create_plist && ask.Pclose ? ask.Fget_create_plist(file) : -1;
  if (list < 0) return;
  int strategy = 0;
  unsigned char persists = 0;
  uint64_t threshold = 0, page = 0;
  static const char* const kStrategies[] = {"free space and aggregators", "pages", "aggregators", "none"};
  if (ask.Pget_file_space_strategy && ask.Pget_file_space_strategy(list, &strategy, &persists, &threshold) >= 0 &&
      strategy >= 0 && strategy < 4)
    library_property(object, "hdf5.space", kStrategies[strategy]);
  if (strategy == 1 && ask.Pget_file_space_page_size && ask.Pget_file_space_page_size(list, &page) >= 0)
    keep(object, "hdf5.page_size", "%llu", static_cast<unsigned long long>(page));
  ask.Pclose(list);
}

void keep_caches(const Library& m, const LibraryObject* object, Id file) {
  const Api& ask = m.ask;
  double rate = 0;
  size_t most = 0, clean = 0, now = 0;
  int entries = 0;
  if (ask.Fget_mdc_hit_rate && ask.Fget_mdc_size && ask.Fget_mdc_hit_rate(file, &rate) >= 0 &&
      ask.Fget_mdc_size(file, &most, &clean, &now, &entries) >= 0) {
    keep(object, "hdf5.metadata_cache.hit_rate", "%.6f", rate);
    keep(object, "hdf5.metadata_cache.bytes", "%zu", now);
    keep(object, "hdf5.metadata_cache.entries", "%d", entries);
    keep(object, "hdf5.metadata_cache.most", "%zu", most);
  }
  unsigned figures[5][2] = {};
  static const char* const kNames[] = {"accesses", "hits", "misses", "evictions", "bypasses"};
  // It fails where the file has no page buffer.
  if (!ask.Fget_page_buffering_stats ||
      ask.Fget_page_buffering_stats(file, figures[0], figures[1], figures[2], figures[3], figures[4]) < 0)
    return;
  for (int i = 0; i < 5; ++i) {
    char key[64];
    snprintf(key, sizeof key, "hdf5.page_buffer.%s", kNames[i]);
    keep(object, key, "%u metadata, %u raw", figures[i][0], figures[i][1]);
  }
}

void keep_dimensions(const Library& m, const LibraryObject* object, Id dataset) {
  uint64_t sizes[kMostDimensions];
  const Api& ask = m.ask;
  if (!ask.Dget_space || !ask.Sget_simple_extent_ndims || !ask.Sget_simple_extent_dims || !ask.Sclose) return;
  const Id space = ask.Dget_space(dataset);
  if (space < 0) return;
  const int count = ask.Sget_simple_extent_ndims(space);
  if (count >= 0 && count <= kMostDimensions && ask.Sget_simple_extent_dims(space, sizes, nullptr) >= 0)
    keep_sizes(object, "hdf5.dimensions", sizes, count);
  ask.Sclose(space);
}

void keep_dataset(const Library& m, const LibraryObject* object, Id dataset, Id list) {
  const Api& ask = m.ask;
  keep_dimensions(m, object, dataset);
  if (const Id type = ask.Dget_type && ask.Tget_size && ask.Tclose ? ask.Dget_type(dataset) : -1; type >= 0) {
    keep(object, "hdf5.type_size", "%zu", ask.Tget_size(type));
    ask.Tclose(type);
  }
  if (list == kDefault || (list == kNotKnown && has_place(m, dataset))) {
    library_property(object, "hdf5.layout", kLayouts[kContiguous]);
    return;
  }
  if (list != kNotKnown) return keep_layout(m, object, list);
  const Id own = ask.Dget_create_plist && ask.Pclose ? ask.Dget_create_plist(dataset) : -1;
  if (own < 0) return;
  keep_layout(m, object, own);
  ask.Pclose(own);
}

}  // namespace headrace::capture::hdf5

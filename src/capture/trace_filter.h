// What a trace is to have of a program: the settings trace, trace_only, trace_skip, trace_phase, trace_ranks,
// trace_longer and trace_tick, as text and read. The launcher checks them, the recorder obeys them.
//
// Allocates nothing and calls nothing but the C library's plain text functions.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/pattern.h"

namespace headrace::capture {

enum class TraceModule : uint32_t {
  kPosix,
  kStdio,
  kMpi,
  kMessages,  // and collective operations: what calls of MPI say to each other; comes with kMpi
  kMpiio,
  kHdf5,
  kPnetcdf,
  kForward,  // what calls waited for at forwarding servers
  kPhases,
  kRegions,    // and counters
  kFunctions,  // that compilers instrument
  kSync,       // waits of threads; only where it is asked for by name, or with all
  kCount
};
inline constexpr const char* kTraceModules[] = {"posix",   "stdio",   "mpi",    "messages", "mpiio",     "hdf5",
                                                "pnetcdf", "forward", "phases", "regions",  "functions", "sync"};
constexpr uint32_t module_bit(TraceModule module) { return 1u << static_cast<uint32_t>(module); }
inline constexpr uint32_t kAllTraceModules = module_bit(TraceModule::kCount) - 1;
/// Where none are named: what needs another library has to be asked for (docs/decisions/0008-waits.md).
inline constexpr uint32_t kDefaultTraceModules = kAllTraceModules & ~module_bit(TraceModule::kSync);
inline constexpr char kSyncLibrary[] = "libheadrace-sync.so";  // beside the capture library

inline constexpr uint32_t kLongestTraceList = 256;

struct TraceFilter {
  uint32_t modules = kDefaultTraceModules;
  bool but = false;       // all were asked for but some, not some by name
  uint64_t least_ns = 0;  // calls and regions that are shorter are left out
  uint8_t tick_shift = 0;
  // Lists as they were given, "" where there is none.
  char only[kLongestTraceList] = "", skip[kLongestTraceList] = "";  // patterns of names, with commas between
  char phases[kLongestTraceList] = "";                              // PATTERN[:RANGE[,RANGE]…], with commas between
  char ranks[kLongestTraceList] = "";                               // ranges, with commas between

  bool leaves_modules_out() const { return (modules & kDefaultTraceModules) != kDefaultTraceModules; }
  bool chooses() const { return leaves_modules_out() || least_ns != 0 || *only || *skip || *phases || *ranks; }
};

/// Calls `use(word, length)` for each word between commas until it returns false; whether all returned true.
template <typename Use>
bool each_word(const char* list, Use use) {
  while (true) {
    const char* end = strchrnul(list, ',');
    if (!use(list, static_cast<size_t>(end - list))) return false;
    if (!*end) return true;
    list = end + 1;
  }
}

/// Bits of "posix,mpi", "all" or "mpi,-messages"; 0: one of them is no module, or none is left.
inline uint32_t trace_modules_of(const char* text) {
  uint32_t bits = *text == '-' ? kDefaultTraceModules : 0;
  const bool known = each_word(text, [&](const char* word, size_t length) {
    const bool without = *word == '-';
    const char* name = word + without;
    length -= without;
    uint32_t found = length == 3 && memcmp(name, "all", 3) == 0 ? kAllTraceModules : 0;
    for (uint32_t i = 0; i < static_cast<uint32_t>(TraceModule::kCount); ++i)
      if (strlen(kTraceModules[i]) == length && memcmp(name, kTraceModules[i], length) == 0) found |= 1u << i;
    if (!without && found == module_bit(TraceModule::kMpi)) found |= module_bit(TraceModule::kMessages);
    bits = without ? bits & ~found : bits | found;
    return found != 0;
  });
  return known ? bits : 0;
}

/// Whether such a list says what is left out, of all there are: who wrote it did not ask for each of the others.
inline bool are_all_modules_but(const char* text) { return *text == '-' || strncmp(text, "all,", 4) == 0; }

/// Nanoseconds of "10us", "500ns", "2ms", "1s"; false: it is no time, or more than an hour.
inline bool trace_time_of(const char* text, uint64_t* ns) {
  if (*text < '0' || *text > '9') return false;
  char* unit = nullptr;
  const uint64_t value = strtoull(text, &unit, 10);
  const uint64_t factor = strcmp(unit, "ns") == 0   ? 1
                          : strcmp(unit, "us") == 0 ? 1000
                          : strcmp(unit, "ms") == 0 ? 1'000'000
                          : strcmp(unit, "s") == 0  ? 1'000'000'000
                                                    : 0;
  if (factor == 0 || value > 3'600'000'000'000 / factor) return false;
  *ns = value * factor;
  return true;
}

/// Shift of a tick of 1, 2, 4, … 1024 ns.
inline bool trace_tick_of(const char* text, uint8_t* shift) {
  uint64_t ns = 0;
  if (!trace_time_of(text, &ns) || ns == 0 || ns > 1024 || (ns & (ns - 1)) != 0) return false;
  *shift = static_cast<uint8_t>(__builtin_ctzll(ns));
  return true;
}

/// "7" or "0-3".
struct TraceRange {
  uint64_t first = 0, last = 0;
};
inline bool is_trace_range(const char* word, size_t length, TraceRange* out) {
  char text[48], *end = nullptr;
  if (length == 0 || length >= sizeof text || *word < '0' || *word > '9') return false;
  memcpy(text, word, length);
  text[length] = 0;
  out->first = out->last = strtoull(text, &end, 10);
  if (*end == '-' && end[1] >= '0' && end[1] <= '9') out->last = strtoull(end + 1, &end, 10);
  return *end == 0 && out->first <= out->last;
}

inline bool are_trace_ranges(const char* list) {
  TraceRange range;
  return each_word(list, [&](const char* word, size_t length) { return is_trace_range(word, length, &range); });
}

inline bool in_trace_ranges(const char* list, uint64_t number) {
  return !each_word(list, [&](const char* word, size_t length) {
    TraceRange range;
    return !is_trace_range(word, length, &range) || number < range.first || number > range.last;
  });
}

/// Patterns with commas between, none of them empty.
inline bool are_trace_patterns(const char* list) {
  return each_word(list, [](const char*, size_t length) { return length != 0; });
}

/// "own", "all" and names of packages of Python, with commas between; letters may be those of any language.
inline bool are_trace_packages(const char* list) {
  if (strlen(list) >= kLongestTraceList) return false;
  return each_word(list, [](const char* word, size_t length) {
    bool begins = true;  // a part of the name, where no digit may stand
    for (size_t i = 0; i < length; ++i) {
      const auto byte = static_cast<unsigned char>(word[i]);
      const bool digit = byte >= '0' && byte <= '9', upper = byte >= 'A' && byte <= 'Z';
      const bool letter = (byte >= 'a' && byte <= 'z') || upper || byte == '_' || byte >= 0x80;
      if (byte == '.' ? begins : !letter && (begins || !digit)) return false;
      begins = byte == '.';
    }
    return !begins;
  });
}

inline bool is_trace_pattern(const char* word, size_t length, const char* name) {
  char pattern[kLongestTraceList];
  if (length == 0 || length >= sizeof pattern) return false;
  memcpy(pattern, word, length);
  pattern[length] = 0;
  return base::matches_pattern(pattern, name);
}

/// Whether a pattern of the list matches.
inline bool in_trace_patterns(const char* list, const char* name) {
  return !each_word(list, [&](const char* word, size_t length) { return !is_trace_pattern(word, length, name); });
}

/// Goes through "step:10-20,30,dump": use(pattern, length, range), with a null range where all instances are meant. A
/// range behind a comma belongs to the pattern before it. Whether the text makes sense and all returned true.
template <typename Use>
bool each_trace_phase(const char* list, Use use) {
  const char* pattern = nullptr;
  size_t pattern_length = 0;
  return each_word(list, [&](const char* word, size_t length) {
    TraceRange range;
    if (pattern && is_trace_range(word, length, &range)) return use(pattern, pattern_length, &range);
    const void* colon = memrchr(word, ':', length);
    const size_t own = colon ? static_cast<size_t>(static_cast<const char*>(colon) - word) : length;
    if (own == 0) return false;
    pattern = colon ? word : nullptr;  // what follows "dump" is a name
    pattern_length = own;
    if (!colon) return use(word, own, nullptr);
    return is_trace_range(word + own + 1, length - own - 1, &range) && use(word, own, &range);
  });
}

inline bool are_trace_phases(const char* list) {
  return each_trace_phase(list, [](const char*, size_t, const TraceRange*) { return true; });
}

/// `path`: of a phase, such as "step/dump"; `instance`: 1, 2, …
inline bool in_trace_phases(const char* list, const char* path, uint64_t instance) {
  return !each_trace_phase(list, [&](const char* pattern, size_t length, const TraceRange* range) {
    return !is_trace_pattern(pattern, length, path) || (range && (instance < range->first || instance > range->last));
  });
}

enum class TraceSetting { kTaken, kUnknown, kSenseless };

/// Takes one of the settings above but trace itself, by its name in configuration files.
inline TraceSetting set_trace_filter(TraceFilter& filter, const char* key, const char* value) {
  const auto keep = [&](char* to, bool makes_sense) {
    if (!makes_sense || !*value || strlen(value) >= kLongestTraceList) return TraceSetting::kSenseless;
    strcpy(to, value);
    return TraceSetting::kTaken;
  };
  const auto taken = [](bool makes_sense) { return makes_sense ? TraceSetting::kTaken : TraceSetting::kSenseless; };
  if (strcmp(key, "trace_only") == 0) return keep(filter.only, are_trace_patterns(value));
  if (strcmp(key, "trace_skip") == 0) return keep(filter.skip, are_trace_patterns(value));
  if (strcmp(key, "trace_phase") == 0) return keep(filter.phases, are_trace_phases(value));
  if (strcmp(key, "trace_ranks") == 0) return keep(filter.ranks, are_trace_ranges(value));
  if (strcmp(key, "trace_longer") == 0) return taken(trace_time_of(value, &filter.least_ns));
  if (strcmp(key, "trace_tick") == 0) return taken(trace_tick_of(value, &filter.tick_shift));
  return TraceSetting::kUnknown;
}

}  // namespace headrace::capture

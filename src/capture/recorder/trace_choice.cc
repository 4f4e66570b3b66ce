#include "capture/recorder/trace_choice.h"

#include <stdio.h>
#include <string.h>

#include <iterator>

#include "base/clock.h"
#include "capture/recorder/events.h"
#include "capture/recorder/launch.h"
#include "capture/recorder/spool.h"
#include "capture/waits.h"
#include "intercept/library_functions.h"

namespace headrace::capture {
namespace {

TraceFilter filter;
uint32_t chosen_phases;  // open ones

constexpr uint32_t kChoosable = kMaximumFunctions + kLibraryPage * kLibraryPages;
uint8_t left_out[kChoosable];  // Account + 1, by function; 0: recorded
uint8_t left_out_waits[static_cast<uint32_t>(WaitFn::kCount)];

uint32_t place_of(uint32_t function) {
  return function & kLibraryFunction ? kMaximumFunctions + (function & ~uint32_t{kLibraryFunction}) : function;
}

bool is_message(RawKind kind) { return kind >= RawKind::kSend; }

TraceModule module_of_layer(const char* layer) {
  for (uint32_t i = 0; i < static_cast<uint32_t>(TraceModule::kCount); ++i)
    if (strcmp(kTraceModules[i], layer) == 0) return static_cast<TraceModule>(i);
  return TraceModule::kMpi;
}

void choose_functions() {
  for (uint32_t i = 0; const char* name = intercept::function_name(i); ++i)
    left_out[i] =
        left_out_by_name(intercept::is_stdio(static_cast<Fn>(i)) ? TraceModule::kStdio : TraceModule::kPosix, name);
  for (uint32_t i = 0; const auto function = intercept::library_function(i); ++i)
    left_out[kMaximumFunctions + i] = left_out_by_name(module_of_layer(function.layer), function.name);
  for (uint32_t i = 0; i < static_cast<uint32_t>(WaitFn::kCount); ++i)
    left_out_waits[i] = left_out_by_name(TraceModule::kSync, kWaitNames[i]);
}

/// As a list that is read as the same, of those that are recorded or, where that was asked for, left out. `text`:
/// empty, with room for the names of all.
void describe_modules(char* text) {
  const auto add = [text](const char* sign, const char* name) {
    if (*text) strcat(text, ",");
    strcat(strcat(text, sign), name);
  };
  const auto has = [](TraceModule module) { return (filter.modules & module_bit(module)) != 0; };
  if (filter.but && has(TraceModule::kSync)) add("", "all");
  for (uint32_t i = 0; i < static_cast<uint32_t>(TraceModule::kCount); ++i) {
    const auto module = static_cast<TraceModule>(i);
    const bool comes_along = module == TraceModule::kMessages && has(TraceModule::kMpi);
    if (filter.but && !has(module) && module != TraceModule::kSync) add("-", kTraceModules[i]);
    if (!filter.but && has(module) && !comes_along) add("", kTraceModules[i]);
  }
  if (!filter.but && has(TraceModule::kMpi) && !has(TraceModule::kMessages)) add("-", "messages");
}

}  // namespace

void choose_events(const TraceFilter& wanted) {
  filter = wanted;
  state.choosy = filter.chooses();
  if (!state.choosy) return;
  choose_functions();
  if (*filter.phases) set_closed(kClosedByPhase, true);
  if (*filter.ranks) choose_by_rank(launch_of_environment().rank);
}

const TraceFilter& trace_filter() { return filter; }

uint32_t describe_filter(char* text, uint32_t capacity) {
  uint32_t length = 0;
  const auto add = [&](const char* key, const char* value) {
    if (!*value) return;
    const int more = snprintf(text + length, capacity - length, "%s%s=%s", length ? " " : "", key, value);
    length =
        more > 0 && static_cast<uint32_t>(more) < capacity - length ? length + static_cast<uint32_t>(more) : length;
  };
  char modules[128] = "", least[32] = "";
  if (filter.leaves_modules_out()) describe_modules(modules);
  if (filter.least_ns) snprintf(least, sizeof least, "%lluns", static_cast<unsigned long long>(filter.least_ns));
  add("trace", modules);
  add("trace_only", filter.only);
  add("trace_skip", filter.skip);
  add("trace_phase", filter.phases);
  add("trace_ranks", filter.ranks);
  add("trace_longer", least);
  text[length] = 0;
  return length;
}

void choose_by_rank(int rank) {
  if (*filter.ranks) set_closed(kClosedByRank, rank < 0 || !in_trace_ranges(filter.ranks, static_cast<uint64_t>(rank)));
}

bool choose_phase(const char* path, uint64_t instance) {
  if (!*filter.phases || !in_trace_phases(filter.phases, path, instance)) return false;
  if (chosen_phases++ == 0) set_closed(kClosedByPhase, false);
  return true;
}

void close_chosen_phase() {
  if (--chosen_phases == 0) set_closed(kClosedByPhase, true);
}

void forget_chosen_phases() {
  chosen_phases = 0;
  if (*filter.phases) set_closed(kClosedByPhase, true);
}

void set_closed(Closed reason, bool closed) {
  state.choosy = true;
  if (closed)
    __atomic_fetch_or(&state.closed, reason, __ATOMIC_RELAXED);
  else
    __atomic_fetch_and(&state.closed, ~uint32_t{reason}, __ATOMIC_RELAXED);
}

bool is_chosen(Layer layer) {
  constexpr TraceModule kModules[] = {TraceModule::kPosix, TraceModule::kStdio, TraceModule::kMpiio, TraceModule::kHdf5,
                                      TraceModule::kPnetcdf};
  static_assert(std::size(kModules) == kLayers);
  return (filter.modules & module_bit(kModules[static_cast<uint32_t>(layer)])) != 0;
}

Account why_closed(uint32_t closed) {
  return closed & kClosedByRank ? Account::kRank : closed & kClosedByPhase ? Account::kPhase : Account::kPaused;
}

uint8_t left_out_by_name(TraceModule module, const char* name) {
  return filter.modules & module_bit(module) ? left_out_by_pattern(name) : static_cast<uint8_t>(Account::kModule) + 1;
}

uint8_t left_out_by_pattern(const char* name) {
  const bool chosen = (!*filter.only || in_trace_patterns(filter.only, name)) &&
                      (!*filter.skip || !in_trace_patterns(filter.skip, name));
  return chosen ? 0 : static_cast<uint8_t>(Account::kName) + 1;
}

namespace {

/// Of the time since this process began to record; 0: it does not yet.
double ticks_per_ns() {
  static double known;
  double rate = 0;
  __atomic_load(&known, &rate, __ATOMIC_RELAXED);
  if (HEADRACE_LIKELY(rate != 0) || !spool.header) return rate;
  const uint64_t ticks = base::ticks() - spool.header->ticks[0];
  const uint64_t ns = base::clock_ns(CLOCK_MONOTONIC) - spool.header->monotonic_ns[0];
  rate = ns && base::counter_clock ? static_cast<double>(ticks) / static_cast<double>(ns) : 1;
  if (ns > 10'000'000) __atomic_store(&known, &rate, __ATOMIC_RELAXED);
  return rate;
}

}  // namespace

uint64_t ticks_of(uint64_t ns) { return static_cast<uint64_t>(static_cast<double>(ns) * ticks_per_ns()); }
uint64_t least_ticks() { return filter.least_ns == 0 ? 0 : ticks_of(filter.least_ns); }

namespace {

/// Account + 1; 0: it is recorded.
uint32_t why_left_out(RawKind kind, Fn function, uint64_t start, uint64_t end) {
  const auto as = [](Account account) { return static_cast<uint32_t>(account) + 1; };
  if (const uint32_t closed = __atomic_load_n(&state.closed, __ATOMIC_RELAXED)) return as(why_closed(closed));
  if (is_message(kind)) return filter.modules & module_bit(TraceModule::kMessages) ? 0 : as(Account::kModule);
  const auto number = static_cast<uint32_t>(function);
  if (const uint8_t named = kind == RawKind::kWait ? left_out_waits[number] : left_out[place_of(number)]) return named;
  return filter.least_ns && (end < start || end - start < least_ticks()) ? as(Account::kShort) : 0;
}

}  // namespace

bool is_left_out(RawKind kind, Fn function, uint64_t start, uint64_t end) {
  return state.choosy && why_left_out(kind, function, start, end) != 0;
}

bool leaves_out(RawKind kind, Fn function, uint64_t start, uint64_t end) {
  const uint32_t why = why_left_out(kind, function, start, end);
  if (why == 0) {
    record_waiting_regions();
    return false;
  }
  leave_out(static_cast<Account>(why - 1));
  if (kind == RawKind::kSend || kind == RawKind::kReceive) miss_messages(1);
  return true;
}

}  // namespace headrace::capture

// The function by which programs find how to mark regions (include/headrace/trace.h looks for its name).
#include "capture/recorder/regions.h"
#include "headrace/trace.h"

namespace {

using namespace headrace::capture;  // NOLINT

uint32_t number_of_region(const char* name) { return region_number(RegionKind::kRegion, name); }
uint32_t number_of_counter(const char* name) { return region_number(RegionKind::kCounter, name); }
void record(int on) { switch_recording(on != 0); }

constinit const headrace_trace_calls calls = {
    sizeof(headrace_trace_calls), number_of_region, enter_region, leave_region, number_of_counter, set_counter, record};

}  // namespace

extern "C" {

__attribute__((visibility("default"))) const headrace_trace_calls* headrace_trace_recorder();

/// Null where events are not recorded, now or later: programs keep the answer for good.
const headrace_trace_calls* headrace_trace_recorder() { return may_record_events() ? &calls : nullptr; }

}  // extern "C"

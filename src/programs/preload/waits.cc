// The function by which libheadrace-sync.so finds the recorder.
#include "capture/recorder/waits.h"

#include "capture/recorder/regions.h"
#include "capture/recorder/trace_choice.h"

using namespace headrace::capture;  // NOLINT

extern "C" __attribute__((visibility("default"))) const WaitCalls* headrace_wait_recorder() {
  const bool asked = may_record_events() && (trace_filter().modules & module_bit(TraceModule::kSync)) != 0;
  return asked ? wait_calls() : nullptr;
}

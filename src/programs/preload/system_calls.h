// syscall(): the calls that programs make by number, because the C library has no function for them or to avoid it.
#pragma once

namespace headrace::preload {

/// Handles a call whose number is_followed() marks, as the function of that name would be.
long system_call(long number, long a, long b, long c, long d, long e, long f);
/// Fills the table by which the wrapper tells such numbers; all others jump straight to the C library's syscall().
void prepare_system_calls();

}  // namespace headrace::preload

// What calls cost, by the constants of HEADRACE_EMULATE and what the job's other processes do meanwhile.
// Any thread, also in signal handlers; errno stays.
#pragma once
#include <cstddef>
#include <cstdint>

#include "programs/emulate/delay.h"
#include "workload/emulation/state.h"

namespace headrace::emulate {

using workload::emulation::Counted;

/// False: nothing is emulated in this process.
bool is_on();
/// Whether it matters where in a file something is read or written.
bool has_locks();
/// The magic number that statfs gives; 0: that of what is there.
uint64_t file_system();
/// Bytes of a stripe, on Lustre.
uint64_t stripe_size();

constexpr int64_t kUnknown = -1;
/// A call, or more of one, that moved `bytes` from `offset` on, kUnknown where nobody can say.
void wait_for_transfer(const Delay& delay, bool writes, uint64_t file, int64_t offset, uint64_t bytes,
                       uint64_t calls = 1);
void wait_for_sync(const Delay& delay);
/// kCreate to kRmdir, in a directory (Place).
void wait_for_metadata(const Delay& delay, Counted what, uint64_t directory);
/// Whether that costs anything.
bool costs(Counted what);

}  // namespace headrace::emulate

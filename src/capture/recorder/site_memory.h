// The part of the spool's memory that call sites may take.
#pragma once
#include <cstdint>

namespace headrace::capture {

/// Room for `bytes` more of stacks, modules and sites; 0 when there is none. Records fold for stacks, which are few,
/// and not for the sites of other records. Lock held.
uint32_t allocate_share(uint32_t bytes, bool may_fold = true);
/// Gives it back. Lock held.
void release_share(uint32_t offset, uint32_t bytes);
/// A new spool.
void reset_share();

}  // namespace headrace::capture

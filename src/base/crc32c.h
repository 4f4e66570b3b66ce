#pragma once
// CRC32C (Castagnoli, polynomial 0x1EDC6F41 reflected, as in iSCSI, RFC 3720 appendix B.4). Uses the SSE4.2 instruction
// where the processor has it, tables otherwise; both give the same values. Safe in any thread and after fork.

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

namespace headrace::base {

/// Checksum of `bytes`, or of earlier bytes whose checksum is `before` followed by `bytes`.
uint32_t crc32c(Bytes bytes, uint32_t before = 0);

/// The table version, whatever the processor.
uint32_t crc32c_portable(Bytes bytes, uint32_t before = 0);

}  // namespace headrace::base

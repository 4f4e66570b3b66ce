#pragma once
// Reads an OTF2 archive into a trace (docs/interchange.md says what becomes of what). One at a time in a process, which
// should do nothing else: the library crashes on archives that are damaged.

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "format/sink.h"

namespace headrace::convert::otf2 {

struct Imported {
  uint64_t locations = 0;
  uint64_t events = 0;   // in the trace
  uint64_t records = 0;  // of the archive
  uint64_t untold = 0;   // of them, those that a trace has no counterpart of
};

/// `anchor`: the file NAME.otf2. Memory is that of the largest location: 32 bytes a record. `go_on` is told how many
/// events are there, and ends it with false. kCorrupt, kIo, kNoSpace.
base::Result<Imported> read(const std::string& anchor, std::unique_ptr<format::Sink> sink,
                            const std::function<bool(uint64_t)>& go_on);

}  // namespace headrace::convert::otf2

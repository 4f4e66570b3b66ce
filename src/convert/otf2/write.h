#pragma once
// Writes a trace as an OTF2 archive (docs/interchange.md says what becomes of what). One at a time in a process, as the
// library keeps its errors in globals.

#include <string>

#include "convert/trace/export.h"

namespace headrace::convert::otf2 {

/// `directory` is made, with `traces.otf2` in it; what is there after a failure is no archive. kIo, kNoSpace, kInvalid:
/// go_on said no.
base::Result<Exported> write(events::TraceReader& trace, const ExportOptions& options, const std::string& directory);

}  // namespace headrace::convert::otf2

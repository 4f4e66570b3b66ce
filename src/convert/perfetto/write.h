#pragma once
// Writes a trace in Perfetto's format, for https://ui.perfetto.dev (docs/interchange.md says what becomes of what).

#include "convert/trace/export.h"
#include "format/sink.h"

namespace headrace::convert::perfetto {

/// The sink is closed at the end. kIo, kNoSpace, kInvalid: go_on said no.
base::Result<Exported> write(events::TraceReader& trace, const ExportOptions& options, format::Sink& sink);

}  // namespace headrace::convert::perfetto

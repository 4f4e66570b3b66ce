#include "programs/finalize/spool_source.h"

#include "capture/harvest/job_log.h"

namespace headrace::programs {

base::Result<capture::SpoolContents> SpoolSource::read(capture::RecordSink& sink) {
  HEADRACE_ASSIGN(capture::SpoolContents contents, capture::read_spool(bytes_, name_, start_, now_, sink));
  model::Process& process = contents.process;
  process.host = capture::host_name();
  process.id = model::process_id_of(process.host, image_.process_id, image_.created_ns);
  // How it ends is not known yet: whoever gathers the rest writes the row anew, and the last one counts.
  process.ended = model::Ended::kRunning;
  return contents;
}

}  // namespace headrace::programs

#include "workload/replay/read_job.h"

#include <string.h>
#include <unistd.h>

#include <memory>

#include "format/reader.h"
#include "workload/replay/from_counters.h"
#include "workload/replay/read_trace.h"

namespace headrace::workload::replay {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr char kLog[] = ".hr", kTrace[] = ".trace.hr";

std::string without(const std::string& path, const char* end) { return path.substr(0, path.size() - strlen(end)); }
bool is_there(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

}  // namespace

Result<Tables> open_log(const std::string& path) {
  HEADRACE_ASSIGN(format::Reader opened, format::Reader::open(path));
  if (opened.jobs().size() > 1) return Status(Code::kInvalid, path + ": holds several jobs; give the log of one");
  auto reader = std::make_shared<format::Reader>(std::move(opened));
  return Tables([reader](const std::string& name) { return reader->table(name); });
}

Result<Recording> read_job(const std::string& path, uint64_t memory) {
  const bool is_trace = path.ends_with(kTrace);
  const std::string log = is_trace ? without(path, kTrace) + kLog : path;
  const std::string trace = is_trace ? path : path.ends_with(kLog) ? without(path, kLog) + kTrace : path;
  if (!is_there(path)) return Status(Code::kNotFound, path + ": there is no such file");
  if (!is_there(trace)) {
    HEADRACE_ASSIGN(const Tables counters, open_log(log));
    return make_from_counters(counters, memory);
  }
  auto job = read_trace(trace, memory);
  if (!job.ok()) return job;
  if (log == trace || !is_there(log)) return job;
  HEADRACE_ASSIGN(const Tables tables, open_log(log));
  HEADRACE_TRY(add_facts(tables, *job));
  return job;
}

}  // namespace headrace::workload::replay

#include "programs/finalize/place.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/collectives.h"
#include "base/hash.h"
#include "base/random.h"
#include "capture/harvest/job_facts.h"
#include "capture/harvest/job_log.h"

namespace headrace::programs {

using base::Code;
using base::Status;
using capture::SharedLog;

Place::Place(const std::string& spool_path)
    : directory_(open(spool_path.substr(0, spool_path.rfind('/')).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (directory_ >= 0) facts_ = capture::read_job_facts(directory_);
}

Place::~Place() {
  if (directory_ >= 0) close(directory_);
}

std::string Place::fact(const char* key) const {
  const auto found = facts_.find(key);
  return found == facts_.end() ? "" : found->second;
}

base::Result<SharedLog> Place::open_log(const model::Process& process, uint64_t begun_utc_ns) {
  const std::string identity = fact(capture::kIdentityFact), program = process.executable;
  if (identity.empty()) return Status(Code::kNotFound, "nobody says which job this is");
  if (!is_new()) return SharedLog::open(fact("log"), identity, strtoull(fact("start_utc_ns").c_str(), nullptr, 10));
  std::vector<std::string> command;
  for (size_t at = 0; at < process.arguments.size(); at += command.back().size() + 1)
    command.emplace_back(process.arguments.c_str() + at);
  std::string directory = process.working_directory;
  if (directory.empty()) {  // removed, or outside of what the program can see
    const char* temporary = getenv("TMPDIR");
    directory = temporary != nullptr && temporary[0] == '/' ? temporary : "/tmp";
    trouble_ = "rank 0 could not tell its working directory, so the log is in " + directory + " of " +
               capture::host_name() + "; move it where you want it after `headrace collect`";
  }
  return SharedLog::open(directory + "/headrace-" + program.substr(program.rfind('/') + 1) + "-" + identity + ".hr",
                         identity, begun_utc_ns,
                         {{"format_version", "1"},
                          {"headrace_version", HEADRACE_VERSION},
                          {"host", capture::host_name()},
                          {"user_id", std::to_string(geteuid())},
                          {"command", capture::json_array(command)},
                          {"working_directory", process.working_directory},
                          {"start_utc_ns", std::to_string(begun_utc_ns)}});
}

base::Result<bool> Place::agree_on_log(base::Communicator& ranks) {
  const std::string mine = fact("log");
  std::vector<uint8_t> bytes;
  if (ranks.rank() == 0) {
    base::ByteWriter to(bytes);
    to.u64(base::random_number());
    to.append(base::as_bytes(mine));
  }
  HEADRACE_TRY(base::broadcast(ranks, &bytes));
  base::ByteReader from(bytes);
  reduction_ = from.u64();
  uint64_t others = is_new() || mine == base::as_text(from.take(from.left())) ? 0 : 1;
  HEADRACE_TRY(base::all_reduce(ranks, {&others, 1}, [](uint64_t a, uint64_t b) { return a + b; }));
  return others == 0;
}

Status Place::tell(base::Communicator& ranks, const std::optional<SharedLog>& log) {
  std::vector<uint8_t> bytes;
  base::ByteWriter to(bytes);
  to.u64(log ? log->start_utc_ns() : 0);
  if (log) to.append(base::as_bytes(log->path()));
  HEADRACE_TRY(base::broadcast(ranks, &bytes));
  base::ByteReader from(bytes);
  start_utc_ns_ = from.u64();
  path_ = base::as_text(from.take(from.left()));
  return from.ok() ? Status() : Status(Code::kCorrupt, "rank 0 names no log");
}

std::string Place::part() const {
  return capture::kPartFact + capture::identity_text(base::hash_text(capture::host_name()));
}

void Place::keep() {
  facts_["log"] = path_;
  facts_["start_utc_ns"] = std::to_string(start_utc_ns_);
  facts_["part"] = part();
  if (directory_ >= 0) (void)capture::keep_job_facts(directory_, facts_);
}

}  // namespace headrace::programs

#include "programs/headrace/collect_target.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/reader.h"
#include "programs/headrace/messages.h"
#include "programs/headrace/places.h"
#include "programs/headrace/stored.h"

namespace headrace::programs {
namespace {

/// Whether `log` is the one that the job of `facts` began.
bool is_of_job(const std::string& log, const Facts& facts) {
  auto reader = format::Reader::open(log);
  const auto wanted = facts.find("start_utc_ns");
  if (!reader.ok() || wanted == facts.end()) return false;
  const auto table = reader->table("job");
  const format::Column* key = table.ok() ? table->find("key") : nullptr;
  const format::Column* value = table.ok() ? table->find("value") : nullptr;
  for (uint64_t row = 0; key != nullptr && value != nullptr && row < table->rows; ++row) {
    if (key->text(row) == wanted->first && value->text(row) == wanted->second) return true;
  }
  return false;
}

}  // namespace

Target target_of(const CollectSettings& settings, const Facts& facts, const LogName& name) {
  const std::string& output = settings.output;
  const auto log = facts.find("log");
  // Ranks that reduced their figures have begun the log already.
  if (!output.empty() && log != facts.end() && facts.count("node") != 0 && is_of_job(log->second, facts))
    return {log->second, true, absolute_path(output)};
  // What a launcher that was killed, or an earlier collection, has stored there is gone on with.
  if (!output.empty()) return {absolute_path(output), is_of_job(absolute_path(output), facts), ""};
  const auto identity = facts.find("job_identity");
  // Other nodes may collect into it as well.
  if (log == facts.end() && identity != facts.end() && facts.count("node") != 0)
    return {default_log_path(settings.site, {name.program, name.job, name.anonymous, identity->second}), false, ""};
  if (log == facts.end()) return {default_log_path(settings.site, name), false, ""};
  struct stat info;
  if (stat(log->second.c_str(), &info) != 0 || info.st_size == 0) return {log->second, false, ""};
  if (is_of_job(log->second, facts)) return {log->second, true, ""};
  // Made by an earlier or a later run under the same name: who asked for its records now may still need it.
  const Target other{default_log_path(settings.site, name), false, ""};
  say(log->second + " is of another job, so this one goes to " + other.path);
  return other;
}

}  // namespace headrace::programs

// headrace-monitor: what `headrace monitor` becomes.
#include <stdio.h>

#include "programs/monitor/monitor.h"
#include "programs/process.h"

namespace headrace::programs {
namespace {

constexpr int kUsage = 2, kFailed = 3, kNoOutput = 4;

int main_of(const std::vector<std::string>& arguments) {
  auto settings = parse_monitor(arguments);
  if (!settings.ok() && settings.code() == base::Code::kNotFound) return fputs(kMonitorHelp, stdout) < 0 ? 1 : 0;
  if (!settings.ok()) {
    fprintf(stderr, "headrace monitor: %s; `headrace monitor --help` says more\n", settings.message().c_str());
    return kUsage;
  }
  reserve_standard_streams();
  Monitor monitor(std::move(*settings));
  const base::Status done = monitor.run();
  if (done.ok()) return 0;
  fprintf(stderr, "headrace monitor: %s\n", done.message().c_str());
  if (done.code() == base::Code::kInvalid) return kUsage;
  return done.code() == base::Code::kNoSpace ? kNoOutput : kFailed;
}

}  // namespace
}  // namespace headrace::programs

int main(int count, char** values) {
  return headrace::programs::main_of(std::vector<std::string>(values + (count > 0 ? 1 : 0), values + count));
}

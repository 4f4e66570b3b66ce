#include "programs/headrace/trace_report.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "capture/harvest/trace_path.h"
#include "programs/headrace/messages.h"

namespace headrace::programs {
namespace {

constexpr size_t kReasons = 3;  // in a line; the log has all

/// 1234567 → "1,234,567".
std::string with_commas(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t place = text.size(); place > 3;) text.insert(place -= 3, ",");
  return text;
}

std::string counted(uint64_t number, const char* one, const char* many) {
  return with_commas(number) + " " + (number == 1 ? one : many);
}

/// Where things are by now.
class Paths {
 public:
  Paths(const capture::JobLog& log, const std::string& moved_to)
      : log_(moved_to.empty() ? log.output().path() : moved_to),
        beside_(capture::trace_path(log_)),
        before_(capture::trace_path(log.output().path())) {}
  const std::string& log() const { return log_; }
  const std::string& beside() const { return beside_; }
  const std::string& of(const std::string& trace) const { return trace == before_ ? beside_ : trace; }

 private:
  std::string log_, beside_, before_;
};

void say_where_it_is(const capture::JobLog& log, const Paths& paths) {
  const capture::TraceLog& trace = log.trace();
  const capture::TracePlaces& places = trace.places();
  const std::string& path = paths.of(trace.path());
  if (!trace.sink_trouble().empty() && places.trouble().empty())
    say(trace.sink_trouble() + "; what should be there is in " + path);
  if (path.empty()) return;  // no program did anything, or it is lost, which is said with how much that is
  if (!places.trouble().empty())
    say(places.trouble() + (places.parts().empty() ? "; the trace is in " : "; the trace goes on in ") + path);
  else if (places.parts().empty() && path != paths.beside())
    say("the trace is in " + path);
  if (places.parts().empty()) return;
  std::string all;
  for (const std::string& part : places.parts()) all += " " + paths.of(part);
  say((places.parts().size() == 1 ? "its first part is" : "its first parts are") + all +
      "; `headrace trace unify -o FILE" + all + " " + path + "` joins them");
}

/// "12 calls not recorded because …", of several reasons the greatest first.
std::string calls_missing(const std::map<std::string, uint64_t>& reasons) {
  std::vector<std::pair<uint64_t, std::string>> by_calls;
  uint64_t sum = 0, told = 0;
  for (const auto& [why, calls] : reasons) by_calls.emplace_back(calls, why);
  for (const auto& [calls, why] : by_calls) sum += calls;
  if (sum == 0) return "";
  std::sort(by_calls.rbegin(), by_calls.rend());
  std::string text = " " + counted(sum, "call", "calls") + " not recorded";
  if (by_calls.size() == 1) return text + " because " + by_calls[0].second;
  for (size_t i = 0; i < std::min(by_calls.size(), kReasons); ++i) {
    text += (i == 0 ? ": " : "; ") + with_commas(by_calls[i].first) + " because " + by_calls[i].second;
    told += by_calls[i].first;
  }
  return told == sum ? text : text + "; " + with_commas(sum - told) + " for other reasons";
}

void say_what_is_missing(const capture::JobLog& log, const Paths& paths) {
  for (const std::string& trouble : log.trace_troubles()) say(trouble);
  std::string text = calls_missing(log.calls_not_traced());
  if (log.damaged_traces() > 0)
    text += (text.empty() ? " " : "; ") + counted(log.damaged_traces(), "process", "processes") +
            " whose records are damaged in part";
  if (text.empty()) return;
  const std::string& path = paths.of(log.trace().path());
  say((path.empty() ? "no trace:" : "trace incomplete:") + text +
      (path.empty() ? "; see headrace show " + paths.log() : "; see headrace trace info " + path));
}

}  // namespace

void say_of_trace(const capture::JobLog& log, const std::string& moved_to) {
  const Paths paths(log, moved_to);
  say_where_it_is(log, paths);
  say_what_is_missing(log, paths);
}

}  // namespace headrace::programs

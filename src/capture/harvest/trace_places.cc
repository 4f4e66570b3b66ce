#include "capture/harvest/trace_places.h"

#include <unistd.h>

#include <algorithm>

#include "capture/harvest/trace_path.h"

namespace headrace::capture {

using base::Code;
using base::Result;
using base::Status;

namespace {

bool has(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

}  // namespace

/// What lies where nobody asked for the trace is not moved aside for it.
Result<OpenedTrace> TracePlaces::try_place(const std::string& path, LogOutput& log, const Moment& start,
                                           bool is_wanted) {
  tried_.push_back(path);
  current_.clear();
  if (!is_wanted && access(path.c_str(), F_OK) == 0 &&
      !look_at_trace(path, log.identity(), start.realtime_ns).job.has_value())
    return Status(Code::kInvalid, path + ": is another job's");
  auto opened = open_trace(path, log, start);
  if (opened.ok()) current_ = path;
  return opened;
}

Result<OpenedTrace> TracePlaces::open(LogOutput& log, const Moment& start) {
  if (tried_.empty()) current_ = wanted_ = trace_path(log.place());
  if (!current_.empty()) {
    auto opened = try_place(std::string(current_), log, start, true);
    if (opened.ok()) return opened;
    if (trouble_.empty()) trouble_ = opened.message();
  }
  // Where the log has to go as well, the trace goes with it.
  if (log.path().empty()) (void)log.begin(start.realtime_ns);
  const std::string beside = trace_path(log.place());
  std::vector<std::string> places = {beside};
  for (const std::string& directory : log.fallbacks())
    places.push_back(directory + "/" + wanted_.substr(wanted_.rfind('/') + 1));
  for (const std::string& place : places) {
    if (has(tried_, place)) continue;
    auto opened = try_place(place, log, start, place == beside);
    if (opened.ok()) return opened;
  }
  return Status(Code::kIo, trouble_ + "; no other place takes the trace either");
}

void TracePlaces::leave(const std::string& path, const Status& why) {
  if (trouble_.empty()) trouble_ = why.message();
  add_part(path);
  current_.clear();
}

void TracePlaces::add_part(const std::string& path) {
  if (!has(parts_, path)) parts_.push_back(path);
}

}  // namespace headrace::capture

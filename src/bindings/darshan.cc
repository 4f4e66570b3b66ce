#include "bindings/darshan.h"

#include <vector>

#include "bindings/errors.h"
#include "format/table_builder.h"
#include "format/table_filter.h"
#include "format/writer.h"

namespace headrace::bindings {

namespace {

/// What of a log is lost, in words; readers cannot see in a copy of the rest what became of it. Else "".
std::string lost_of(Log& log) {
  uint64_t lost = 0;
  for (const format::Damage& damage : log.damage()) lost += damage.bytes;
  if (!log.damage().empty())
    return "no: the log it was converted from is damaged: " + std::to_string(lost) + " bytes of it could not be used";
  return log.closed() ? "" : "no: the log it was converted from was not closed: its end may be missing";
}

bool says_yes(Log& log) {
  const SharedTable job = log.table("job");
  const format::Column* keys = job ? job->find("key") : nullptr;
  const format::Column* values = job ? job->find("value") : nullptr;
  bool yes = false;
  for (uint64_t row = 0; keys && values && row < job->rows; ++row) {
    if (keys->text(row) == "complete") yes = values->text(row) == "yes";
  }
  return yes;
}

void write_job_log(Log& log, const std::string& output) {
  log.verify();  // or nobody knows yet what is lost
  auto sink = take(format::FileSink::open(output, format::FileSink::Mode::kReplace));
  auto writer = take(format::Writer::open(std::move(sink)));
  for (const std::string& name : log.tables()) {
    const SharedTable table = log.table(name);
    if (!table || table->columns.empty()) continue;
    format::TableCopy copy(*table);
    check(writer.add(copy.builder()));
  }
  if (const std::string lost = lost_of(log); !lost.empty() && (!log.damage().empty() || says_yes(log))) {
    const std::vector<std::string> keys = {"complete"}, values = {lost};
    format::TableBuilder table("job");
    check(writer.add(table.text("key", keys).text("value", values)));
  }
  check(writer.close());
}

convert::darshan::LeftOut write_darshan(Log& log, const std::string& output) {
  convert::darshan::LeftOut left;
  const std::vector<uint8_t> bytes = convert::darshan::write_log(
      [&](const std::string& name) { return name == "files" ? log.files_by_name() : log.table(name); }, &left);
  auto sink = take(format::FileSink::open(output, format::FileSink::Mode::kReplace));
  check(sink->append(bytes).status());
  check(sink->close());
  return left;
}

}  // namespace

convert::darshan::LeftOut convert_log(Log& log, const std::string& format, const std::string& output) {
  if (format == "darshan") return write_darshan(log, output);
  if (format != "hr") check({base::Code::kInvalid, "there is no format '" + format + "'"});
  write_job_log(log, output);
  return {};
}

convert::darshan::Traced convert_to_trace(Log& log, const std::string& output) {
  log.verify();
  auto sink = take(format::FileSink::open(output, format::FileSink::Mode::kReplace));
  return take(convert::darshan::write_trace([&](const std::string& name) { return log.table(name); }, std::move(sink)));
}

}  // namespace headrace::bindings

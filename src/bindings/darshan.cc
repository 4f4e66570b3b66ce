#include "bindings/darshan.h"

#include <vector>

#include "bindings/errors.h"
#include "convert/darshan/write.h"
#include "format/table_filter.h"
#include "format/writer.h"

namespace headrace::bindings {

namespace {

void write_job_log(Log& log, const std::string& output) {
  auto sink = take(format::FileSink::open(output, format::FileSink::Mode::kReplace));
  auto writer = take(format::Writer::open(std::move(sink)));
  for (const std::string& name : log.tables()) {
    const SharedTable table = log.table(name);
    if (!table || table->columns.empty()) continue;
    format::TableCopy copy(*table);
    check(writer.add(copy.builder()));
  }
  check(writer.close());
}

void write_darshan(Log& log, const std::string& output) {
  const std::vector<uint8_t> bytes =
      convert::darshan::write_log([&](const std::string& name) { return log.table(name); });
  auto sink = take(format::FileSink::open(output, format::FileSink::Mode::kReplace));
  check(sink->append(bytes).status());
  check(sink->close());
}

}  // namespace

void convert_log(Log& log, const std::string& format, const std::string& output) {
  if (format == "hr") return write_job_log(log, output);
  if (format == "darshan") return write_darshan(log, output);
  check({base::Code::kInvalid, "there is no format '" + format + "'"});
}

}  // namespace headrace::bindings

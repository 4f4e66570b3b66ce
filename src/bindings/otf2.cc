// The module headrace._otf2, which alone needs the OTF2 library: where that is not installed, nothing else is missing.

#include <nanobind/nanobind.h>

#include "bindings/errors.h"
#include "bindings/export_options.h"
#include "convert/otf2/read.h"
#include "convert/otf2/write.h"

namespace headrace::bindings {
namespace nb = nanobind;

namespace {

nb::dict write(const nb::bytes& trace, uint64_t job, const nb::bytes& directory, std::vector<uint32_t> locations,
               uint64_t begin_at_ns, uint64_t end_at_ns, nb::object told) {
  auto reader = take(events::TraceReader::open(std::string(trace.c_str(), trace.size()), job));
  const convert::ExportOptions options =
      export_options(reader, std::move(locations), begin_at_ns, end_at_ns, std::move(told));
  const std::string to(directory.c_str(), directory.size());
  base::Result<convert::Exported> result = [&] {
    const nb::gil_scoped_release release;
    return convert::otf2::write(reader, options, to);
  }();
  nb::dict dict = told_of(std::move(result));
  dict["damaged_chunks"] = reader.damaged_chunks();
  return dict;
}

nb::dict read(const nb::bytes& anchor, const nb::bytes& output, nb::object told) {
  const std::string from(anchor.c_str(), anchor.size());
  auto sink =
      take(format::FileSink::open(std::string(output.c_str(), output.size()), format::FileSink::Mode::kReplace));
  base::Result<convert::otf2::Imported> result = [&] {
    const std::function<bool(uint64_t)> go_on = tell(std::move(told));
    const nb::gil_scoped_release release;
    return convert::otf2::read(from, std::move(sink), go_on);
  }();
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  const convert::otf2::Imported imported = take(std::move(result));
  nb::dict dict;
  dict["locations"] = imported.locations;
  dict["events"] = imported.events;
  dict["records"] = imported.records;
  dict["untold"] = imported.untold;
  return dict;
}

}  // namespace

NB_MODULE(_otf2, module) {
  register_errors();
  module.def("write", write, nb::arg("trace"), nb::arg("job"), nb::arg("directory"), nb::arg("locations"),
             nb::arg("begin_at_ns"), nb::arg("end_at_ns"), nb::arg("told").none());
  module.def("read", read, nb::arg("anchor"), nb::arg("output"), nb::arg("told").none());
}

}  // namespace headrace::bindings

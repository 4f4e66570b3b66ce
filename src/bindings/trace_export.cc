#include "bindings/trace_export.h"

#include "bindings/export_options.h"
#include "convert/perfetto/write.h"

namespace headrace::bindings {
namespace nb = nanobind;

namespace {

nb::dict write_perfetto(const nb::bytes& trace, uint64_t job, const nb::bytes& output, std::vector<uint32_t> locations,
                        uint64_t begin_at_ns, uint64_t end_at_ns, nb::object told) {
  auto reader = take(events::TraceReader::open(std::string(trace.c_str(), trace.size()), job));
  const convert::ExportOptions options =
      export_options(reader, std::move(locations), begin_at_ns, end_at_ns, std::move(told));
  auto sink = take(format::FileSink::open(std::string(output.c_str(), output.size()), format::FileSink::Mode::kCreate));
  base::Result<convert::Exported> result = [&] {
    const nb::gil_scoped_release release;
    return convert::perfetto::write(reader, options, *sink);
  }();
  nb::dict dict = told_of(std::move(result));
  dict["damaged_chunks"] = reader.damaged_chunks();
  return dict;
}

}  // namespace

void define_trace_export(nb::module_& module) {
  module.def("write_perfetto", write_perfetto, nb::arg("trace"), nb::arg("job"), nb::arg("output"),
             nb::arg("locations"), nb::arg("begin_at_ns"), nb::arg("end_at_ns"), nb::arg("told").none());
}

}  // namespace headrace::bindings

#include "bindings/anonymize.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "anonymize/rewrite.h"
#include "bindings/errors.h"
#include "bindings/log.h"
#include "bindings/to_python.h"
#include "format/sink.h"

namespace nb = nanobind;

namespace headrace::bindings {
namespace {

nb::dict rewrite_of(const nb::bytes& from, const nb::bytes& to) {
  const std::string source(from.c_str(), from.size()), target(to.c_str(), to.size());
  anonymize::Rewritten done;
  {
    const nb::gil_scoped_release release;
    auto reader = take(format::Reader::open(source));
    anonymize::Anonymizer anonymizer(take(anonymize::random_key()));
    auto sink = take(format::FileSink::open(target, format::FileSink::Mode::kReplace));
    auto rewritten = anonymize::rewrite(reader, std::move(sink), anonymizer);
    if (!rewritten.ok() && rewritten.code() == base::Code::kForeign) {
      check({rewritten.code(), source + ": " + rewritten.status().message()});
    }
    done = take(std::move(rewritten));
  }
  nb::list left_out, damage;
  for (const std::string& each : done.left_out) left_out.append(str_of(each));
  for (const format::Damage& place : done.damage) {
    damage.append(nb::make_tuple(place.offset, place.bytes, str_of(place.reason)));
  }
  nb::dict dict;
  dict["jobs"] = done.jobs;
  dict["left_out"] = left_out;
  dict["damage"] = damage;
  return dict;
}

}  // namespace

void define_anonymize(nb::module_& module) {
  nb::class_<SharedAnonymizer>(module, "Anonymizer")
      .def(nb::new_([] { return std::make_shared<SharedAnonymizer>(take(anonymize::random_key())); }))
      .def("path", [](SharedAnonymizer& self, const nb::bytes& path) {
        return str_of(self.anonymizer.names().path({path.c_str(), path.size()}));
      });
  module.def("anonymize", rewrite_of, nb::arg("source"), nb::arg("target"));
}

}  // namespace headrace::bindings

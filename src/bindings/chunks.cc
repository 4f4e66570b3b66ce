#include "bindings/chunks.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bindings/decode.h"
#include "bindings/errors.h"
#include "bindings/to_python.h"
#include "format/reader.h"

namespace headrace::bindings {
namespace nb = nanobind;

namespace {

using Release = nb::call_guard<nb::gil_scoped_release>;

/// Any number of threads: calls take turns. Throws Failure.
class Chunks {
 public:
  explicit Chunks(const std::string& path) : path_(path), reader_(take(format::Reader::open(path))) {}

  bool closed() const { return reader_.closed(); }

  std::vector<std::string> tables() {
    const std::lock_guard lock(mutex_);
    return reader_.tables();
  }

  Frame raw(const std::string& name) {
    const std::lock_guard lock(mutex_);
    auto table = reader_.table(name);
    if (!table.ok()) check({table.code(), path_ + ": " + table.status().message()});
    return decode_raw(std::make_shared<format::Table>(std::move(*table)));
  }

  std::vector<format::Damage> damage() {
    const std::lock_guard lock(mutex_);
    return reader_.damage();
  }

 private:
  std::string path_;
  std::mutex mutex_;
  format::Reader reader_;
};

nb::list damage_of(Chunks& chunks) {
  nb::list list;
  for (const format::Damage& damage : chunks.damage())
    list.append(nb::make_tuple(damage.offset, damage.bytes, str_of(damage.reason)));
  return list;
}

}  // namespace

void define_chunks(nb::module_& module) {
  nb::class_<Chunks>(module, "Chunks")
      .def(
          "__init__",
          [](Chunks* self, const nb::bytes& path) {
            const std::string name(path.c_str(), path.size());
            const nb::gil_scoped_release release;
            new (self) Chunks(name);
          },
          nb::arg("path"))
      .def_prop_ro("closed", &Chunks::closed)
      .def("tables", &Chunks::tables)
      .def("raw", &Chunks::raw, nb::arg("name"), Release())
      .def("damage", damage_of);
}

}  // namespace headrace::bindings

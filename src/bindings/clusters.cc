#include "bindings/clusters.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <memory>
#include <string>

#include "bindings/errors.h"
#include "cluster/cluster.h"
#include "cluster/groups.h"

namespace headrace::bindings {
namespace nb = nanobind;

namespace {

using base::Code;
using base::Status;

/// The memory of an object that lets itself be looked into.
class View {
 public:
  explicit View(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_C_CONTIGUOUS) != 0) throw nb::python_error();
  }
  ~View() { PyBuffer_Release(&view_); }
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  const void* data() const { return view_.buf; }
  size_t size() const { return static_cast<size_t>(view_.len); }

 private:
  Py_buffer view_{};
};

template <typename T>
T named(const std::map<std::string, T>& known, const std::string& name, const char* what) {
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  std::string names;
  for (const auto& [each, value] : known) names += (names.empty() ? "" : ", ") + each;
  throw Failure{{Code::kInvalid, "there is no " + std::string(what) + " '" + name + "'; there are " + names}};
}

cluster::Options options_of(uint32_t k, uint64_t seed, const std::string& normalisation, const std::string& distance) {
  using cluster::Normalisation;
  cluster::Options options;
  options.k = k;
  options.seed = seed;
  options.normalisation = named<Normalisation>(
      {{"spread", Normalisation::kSpread}, {"range", Normalisation::kRange}, {"none", Normalisation::kNone}},
      normalisation, "normalisation");
  options.distance = named<cluster::Distance>(
      {{"manhattan", nullptr}, {"euclidean", &cluster::euclidean}, {"chebyshev", &cluster::chebyshev}}, distance,
      "distance");
  return options;
}

nb::dict dict_of(const cluster::Cluster& cluster) {
  nb::dict dict;
  dict["size"] = cluster.regular;
  dict["with_outliers"] = cluster.with_outliers;
  dict["representative"] = cluster.representative;
  dict["representative_values"] = nb::cast(cluster.representative_values);
  dict["mean"] = nb::cast(cluster.mean);
  dict["variance"] = nb::cast(cluster.variance);
  dict["least"] = nb::cast(cluster.least);
  dict["most"] = nb::cast(cluster.most);
  return dict;
}

nb::dict dict_of(const cluster::Clustering& found) {
  nb::list clusters, worst;
  for (const cluster::Cluster& each : found.clusters) clusters.append(dict_of(each));
  for (const cluster::Outlier& each : found.worst)
    worst.append(nb::make_tuple(each.id, each.cluster, each.dim, each.score));
  nb::dict dict;
  dict["rows"] = found.rows;
  dict["unusable"] = found.unusable;
  dict["outliers"] = found.outliers;
  dict["clusters"] = clusters;
  dict["worst"] = worst;
  // As signed numbers, a row without a cluster has -1.
  dict["assigned"] = nb::bytes(found.assigned.data(), found.assigned.size() * sizeof(uint32_t));
  dict["score"] = nb::bytes(found.score.data(), found.score.size() * sizeof(float));
  return dict;
}

nb::dict cluster_rows(const nb::object& table, uint32_t dims, bool doubles, uint32_t k, uint64_t seed,
                      const std::string& normalisation, const std::string& distance) {
  const cluster::Options options = options_of(k, seed, normalisation, distance);
  const View view(table);
  const size_t row = dims * (doubles ? sizeof(double) : sizeof(float));
  if (row == 0 || view.size() % row != 0)
    throw Failure{{Code::kInvalid, "the table is no whole number of rows of " + std::to_string(dims) + " values"}};
  const cluster::Points points{view.data(), view.size() / row, dims, doubles};
  cluster::Clustering found;
  {
    const nb::gil_scoped_release release;
    base::SerialCommunicator alone;
    found = take(cluster::cluster(alone, points, options));
  }
  return dict_of(found);
}

/// Columns of doubles as rows.
nb::bytearray rows_of_columns(const std::vector<nb::object>& columns) {
  std::vector<const double*> values;
  std::vector<std::unique_ptr<View>> views;
  for (const nb::object& column : columns) {
    views.push_back(std::make_unique<View>(column));
    if (views.back()->size() != views.front()->size() || views.back()->size() % sizeof(double) != 0)
      throw Failure{{Code::kInvalid, "columns have to be of one length, and of doubles"}};
    values.push_back(static_cast<const double*>(views.back()->data()));
  }
  const size_t rows = views.empty() ? 0 : views.front()->size() / sizeof(double);
  PyObject* made =
      PyByteArray_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(rows * values.size() * sizeof(double)));
  if (made == nullptr) throw nb::python_error();
  auto* out = reinterpret_cast<double*>(PyByteArray_AsString(made));
  for (size_t i = 0; i < rows; ++i)
    for (const double* column : values) *out++ = column[i];
  return nb::steal<nb::bytearray>(made);
}

}  // namespace

void define_clusters(nb::module_& module) {
  module.def("cluster", cluster_rows, nb::arg("table"), nb::arg("dims"), nb::arg("doubles"), nb::arg("k") = 0,
             nb::arg("seed") = 1, nb::arg("normalisation") = "spread", nb::arg("distance") = "manhattan");
  module.def("rows_of_columns", rows_of_columns, nb::arg("columns"));
  module.attr("outlier_score") = cluster::kOutlier;
  module.attr("least_group") = cluster::kLeastGroup;
}

}  // namespace headrace::bindings

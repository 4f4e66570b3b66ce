#include "bindings/made_log.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/errors.h"
#include "workload/facility/job_log.h"

namespace headrace::bindings {
namespace nb = nanobind;

namespace {

using Numbers = std::vector<uint64_t>;

void check_length(const Numbers& numbers, size_t length) {
  if (numbers.size() != length) throw nb::value_error("a program has 5 numbers, a group of files 27");
}

workload::MadeProgram program_of(const nb::tuple& item) {
  const auto n = nb::cast<Numbers>(item[1]);
  check_length(n, 5);
  return {nb::cast<std::string>(item[0]), n[0], n[1], n[2], n[3], n[4]};
}

workload::MadeFiles made_files_of(const nb::tuple& item) {
  const auto n = nb::cast<Numbers>(item[2]);
  check_length(n, workload::kMadeNumbers);
  return {n[0],
          n[1],
          n[2],
          n[3],
          n[4],
          n[5],
          n[6],
          n[7],
          n[8],
          n[9],
          n[10],
          n[11],
          n[12],
          n[13],
          n[14],
          n[15],
          n[16],
          n[17],
          n[18],
          n[19],
          n[20],
          n[21],
          n[22],
          n[23],
          n[24],
          n[25],
          n[26],
          nb::cast<std::string>(item[0]),
          nb::cast<std::vector<std::string>>(item[1])};
}

}  // namespace

void write_made_log(const nb::bytes& path, uint64_t id, const nb::list& facts, const nb::list& programs,
                    const nb::list& files, const std::string& mount, const std::string& mount_type) {
  workload::MadeJob job;
  job.facts = nb::cast<std::vector<std::pair<std::string, std::string>>>(facts);
  for (nb::handle item : programs) job.programs.push_back(program_of(nb::cast<nb::tuple>(item)));
  for (nb::handle item : files) job.files.push_back(made_files_of(nb::cast<nb::tuple>(item)));
  job.mount = mount, job.mount_type = mount_type;
  const std::string target(path.c_str(), path.size());
  base::Status status;
  {
    const nb::gil_scoped_release released;
    status = workload::write_made(target, id, job);
  }
  check(status);
}

}  // namespace headrace::bindings

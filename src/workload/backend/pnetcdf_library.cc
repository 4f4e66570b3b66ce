#include "workload/backend/pnetcdf_library.h"

#include "workload/backend/library.h"

namespace headrace::workload {
namespace {

using base::Code;
using base::Result;
using base::Status;

template <typename F>
Status look_up(F** function, const std::string& name) {
  return look_up_function(function, name.c_str()) ? Status()
                                                  : Status(Code::kUnsupported, "this PnetCDF has no function " + name);
}

Status find_transfers(Pnetcdf& p) {
  struct Type {
    int number;  // NC_UBYTE, NC_INT, NC_FLOAT, NC_DOUBLE
    const char* name;
  };
  constexpr Type kTypes[] = {{7, "uchar"}, {4, "int"}, {5, "float"}, {6, "double"}};
  for (size_t i = 0; i < std::size(kTypes); ++i) {
    const std::string name = kTypes[i].name;
    Pnetcdf::Calls& calls = p.calls[i];
    calls.type = kTypes[i].number;
    HEADRACE_TRY(look_up(&calls.put, "ncmpi_put_vara_" + name));
    HEADRACE_TRY(look_up(&calls.put_all, "ncmpi_put_vara_" + name + "_all"));
    HEADRACE_TRY(look_up(&calls.get, "ncmpi_get_vara_" + name));
    HEADRACE_TRY(look_up(&calls.get_all, "ncmpi_get_vara_" + name + "_all"));
  }
  return {};
}

Status find_functions(Pnetcdf& p) {
  HEADRACE_TRY(look_up(&p.version, "ncmpi_inq_libvers"));
  HEADRACE_TRY(look_up(&p.text, "ncmpi_strerror"));
  HEADRACE_TRY(look_up(&p.create, "ncmpi_create"));
  HEADRACE_TRY(look_up(&p.open, "ncmpi_open"));
  HEADRACE_TRY(look_up(&p.close, "ncmpi_close"));
  HEADRACE_TRY(look_up(&p.sync, "ncmpi_sync"));
  HEADRACE_TRY(look_up(&p.dimension, "ncmpi_def_dim"));
  HEADRACE_TRY(look_up(&p.variable, "ncmpi_def_var"));
  HEADRACE_TRY(look_up(&p.find_variable, "ncmpi_inq_varid"));
  HEADRACE_TRY(look_up(&p.end_definitions, "ncmpi_enddef"));
  HEADRACE_TRY(look_up(&p.begin_alone, "ncmpi_begin_indep_data"));
  HEADRACE_TRY(look_up(&p.end_alone, "ncmpi_end_indep_data"));
  return find_transfers(p);
}

}  // namespace

Result<std::string> find_pnetcdf(const std::string& library, const Mpi& mpi) {
  const std::vector<std::string> names = {"libpnetcdf.so.6", "libpnetcdf.so.5",  "libpnetcdf.so.4",
                                          "libpnetcdf.so.3", "libpnetcdf.so.0d", "libpnetcdf.so"};
  return load_library(library, {"PnetCDF", "--pnetcdf", names, &mpi});
}

Result<Pnetcdf> load_pnetcdf(const std::string& library, const Mpi& mpi) {
  HEADRACE_TRY(find_pnetcdf(library, mpi).status());
  Pnetcdf pnetcdf{};
  HEADRACE_TRY(find_functions(pnetcdf));
  const std::string version = pnetcdf.version();  // "1.12.2 of 12 Oct 2021"
  pnetcdf.name = "PnetCDF " + version.substr(0, version.find(' '));
  return pnetcdf;
}

}  // namespace headrace::workload

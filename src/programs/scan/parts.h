// What of a scan Python does: reading a project map, and writing Parquet.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "collect/scan/places.h"

namespace headrace::programs {

/// kInvalid with an empty message: that command has said why.
base::Result<std::vector<collect::ProjectRule>> read_projects(const std::string& map);

/// Rows of files as Parquet. kIo with an empty message: that command has said why.
base::Status write_parquet_rows(const std::string& rows, const std::string& parquet);

}  // namespace headrace::programs

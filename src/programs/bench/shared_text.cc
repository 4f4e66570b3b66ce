#include "programs/bench/shared_text.h"

#include <fstream>
#include <sstream>

namespace headrace::programs {
namespace {

using base::Code;
using base::Status;

constexpr size_t kLongest = 64 << 20;  // more than lines for millions of ranks take

}  // namespace

Status share_text(const BenchSettings& settings, workload::Ranks& ranks) {
  std::string& all = *settings.text;
  Status status;
  if (ranks.rank() == 0 && !settings.text_file.empty()) {
    std::ifstream file(settings.text_file);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) {
      status = {Code::kInvalid, settings.text_file + ": cannot be read, or is empty"};
    } else if (all = text.str(); all.size() > kLongest) {
      status = {Code::kInvalid, settings.text_file + ": is longer than 64 MiB"};
      all.clear();
    }
  }
  uint64_t size = all.size();
  ranks.share({reinterpret_cast<uint8_t*>(&size), sizeof size});
  all.resize(size);
  ranks.share({reinterpret_cast<uint8_t*>(all.data()), all.size()});
  return status;
}

}  // namespace headrace::programs

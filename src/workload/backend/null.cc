// Does nothing: what a run costs without any I/O.
#include "workload/backend/backend.h"

namespace headrace::workload {
namespace {

class Null : public Backend {
 public:
  base::Status open(uint32_t, const PlannedFile&, const std::string&, Access) override { return {}; }
  base::Status write(const Operation&, std::span<const uint8_t>) override { return {}; }
  base::Result<uint64_t> read(const Operation&, std::span<uint8_t> bytes) override { return uint64_t{bytes.size()}; }
  base::Status sync(uint32_t) override { return {}; }
  base::Status close(uint32_t) override { return {}; }
  bool keeps() const override { return false; }
};

}  // namespace

std::unique_ptr<Backend> make_null() { return std::make_unique<Null>(); }

}  // namespace headrace::workload

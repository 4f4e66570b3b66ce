#include "workload/plan/h5perf.h"

#include <limits>

#include "workload/plan/box.h"

namespace headrace::workload {
namespace {

using base::Code;
using base::Status;
using Sizes = std::vector<uint64_t>;

uint64_t product(const Sizes& sizes) {
  uint64_t all = 1;
  for (const uint64_t size : sizes) all *= size;
  return all;
}

std::string text_of(const Sizes& sizes) {
  std::string text;
  for (const uint64_t size : sizes) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

std::string json_of(const Sizes& sizes) {
  std::string text = "[";
  for (const uint64_t size : sizes) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

class H5perf : public Pattern {
 public:
  explicit H5perf(const H5perfSettings& settings) : s_(settings) {}

  const char* name() const override { return "h5perf"; }
  std::string summary() const override {
    return "an array of " + text_of(s_.size) + " bytes for each rank" + (s_.shared ? " in one file, " : ", ") +
           text_of(s_.access) + " at a time" + (s_.chunk.empty() ? "" : ", in chunks of " + text_of(s_.chunk));
  }
  std::string settings_json() const override {
    return "{\"size\": " + json_of(s_.size) + ", \"access\": " + json_of(s_.access) +
           ", \"chunk\": " + json_of(s_.chunk) + ", \"shared\": " + (s_.shared ? "true" : "false") + "}";
  }
  std::vector<Phase> phases() const override { return {{"write", Verb::kWrite}, {"read", Verb::kRead}}; }
  uint32_t files() const override { return s_.shared ? 1 : static_cast<uint32_t>(s_.ranks); }
  PlannedFile file(uint32_t number) const override {
    PlannedFile file;
    file.name = s_.shared ? "array" : "array." + std::to_string(number);
    file.shared = s_.shared;
    file.owner = static_cast<int>(number);
    file.shape = shape();
    file.bytes = product(file.shape);
    file.chunk = s_.chunk;
    return file;
  }
  uint64_t largest_transfer() const override { return product(s_.access); }
  uint64_t footprint() const override { return product(s_.size) * static_cast<uint64_t>(s_.ranks); }
  uint64_t operations(const Phase&, int) const override { return product(s_.size) / product(s_.access) + 2; }
  Status plan(const Phase& phase, int rank, const Take& take) const override;

 private:
  /// Of the array in a file.
  Sizes shape() const {
    Sizes shape = s_.size;
    if (s_.shared) shape[0] *= static_cast<uint64_t>(s_.ranks);
    return shape;
  }

  const H5perfSettings s_;
};

Status H5perf::plan(const Phase& phase, int rank, const Take& take) const {
  const uint32_t file = s_.shared ? 0 : static_cast<uint32_t>(rank);
  const Sizes shape = this->shape();
  const uint64_t first = s_.shared ? s_.size[0] * static_cast<uint64_t>(rank) : 0;
  HEADRACE_TRY(take({phase.direction == Verb::kWrite ? Verb::kCreate : Verb::kOpen, file}));
  Operation operation{phase.direction, file, 0, product(s_.access)};
  std::copy(s_.access.begin(), s_.access.end(), operation.box.count);
  operation.box.start[0] = first;
  for (bool more = true; more;) {
    operation.offset = offset_in(shape, operation.box.start);
    HEADRACE_TRY(take(operation));
    more = false;
    for (size_t i = s_.size.size(); i-- > 0 && !more;) {  // the next box, the last dimension first
      operation.box.start[i] += s_.access[i];
      const uint64_t begin = i == 0 ? first : 0;
      more = operation.box.start[i] < begin + s_.size[i];
      if (!more) operation.box.start[i] = begin;
    }
  }
  return take({Verb::kClose, file});
}

Status check(const char* what, const Sizes& part, const Sizes& whole) {
  if (part.size() != whole.size())
    return base::invalid(std::string(what) + " " + text_of(part) + " and --size " + text_of(whole) +
                         " have different numbers of dimensions");
  for (size_t i = 0; i < whole.size(); ++i)
    if (part[i] == 0 || part[i] > whole[i] || whole[i] % part[i] != 0)
      return base::invalid(std::string(what) + " " + text_of(part) + " does not divide --size " + text_of(whole));
  return {};
}

}  // namespace

base::Result<std::unique_ptr<Pattern>> make_h5perf(const H5perfSettings& s) {
  if (s.size.empty() || s.size.size() > kMostDimensions) return base::invalid("--size has one to three dimensions");
  unsigned __int128 bytes = static_cast<unsigned>(s.ranks);
  for (const uint64_t size : s.size) {
    bytes *= size;
    if (size == 0 || bytes > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return base::invalid("--size " + text_of(s.size) + " is nothing, or more than files can hold");
  }
  HEADRACE_TRY(check("--access", s.access, s.size));
  if (!s.chunk.empty()) HEADRACE_TRY(check("--chunk", s.chunk, s.size));
  return std::unique_ptr<Pattern>(std::make_unique<H5perf>(s));
}

}  // namespace headrace::workload

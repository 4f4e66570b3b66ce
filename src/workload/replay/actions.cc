#include "workload/replay/actions.h"

#include <map>
#include <utility>

namespace headrace::workload::replay {

Done done_for(std::string_view layer, std::string_view function) {
  static const std::map<std::pair<std::string_view, std::string_view>, Done> kCalls = {
#define CALL(layer, recorded, done, action) {{#layer, #recorded}, {#done, Action::action}},
#define COPY(recorded, done, action) {{"posix", #recorded " (source)"}, {#done, Action::action}},
#define LEFT(layer, recorded, why) {{#layer, #recorded}, {"", Action::kNone, why}},
#include "workload/replay/calls.def"
#undef CALL
  };
  const auto found = kCalls.find({layer, function});
  return found == kCalls.end() ? Done{} : found->second;
}

Layer layer_of(std::string_view layer) {
  return layer == "posix"   ? Layer::kPosix
         : layer == "stdio" ? Layer::kStdio
         : layer == "mpiio" ? Layer::kMpiio
                            : Layer::kOther;
}

}  // namespace headrace::workload::replay

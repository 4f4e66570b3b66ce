#include "intercept/functions.h"

#include "base/packed_names.h"

namespace headrace::intercept {
namespace {

struct Names {
  static constexpr const char* kTexts[] = {
#define FUNCTION(id, ret, params, args, module, doc) #id,
#define SPECIAL(id, ret, params, args, module, doc) #id,
#define ALIAS(symbol, id)
#include "intercept/functions.def"
#undef FUNCTION
#undef SPECIAL
#undef ALIAS
#define KERNEL_AIO(id, params, args, how, doc) #id,
#define RING(id, params, args, ring, how, doc) #id,
#define SPECIAL_RING(id, doc) #id,
#define OPERATION(id, doc) #id,
#include "intercept/asynchronous.def"
#undef KERNEL_AIO
#undef RING
#undef SPECIAL_RING
#undef OPERATION
  };
};

}  // namespace

const char* function_name(uint32_t number) {
  return number < static_cast<uint32_t>(Fn::kCount) ? base::kPacked<Names>[number] : nullptr;
}

}  // namespace headrace::intercept

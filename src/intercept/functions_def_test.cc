// Holds the prototypes of functions.def against those of this machine's headers. It is compiled as a fortified program
// so that the headers also declare the functions that such programs call; what the compiler accepts is right.
#include "intercept/functions_headers.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <type_traits>
#include <utility>

#pragma GCC diagnostic ignored "-Wignored-attributes"  // nonnull and the like do not belong to a type
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

template <typename F>
struct Plain;  // a function's type without exception specification: glibc marks some as never throwing
template <typename R, typename... A>
struct Plain<R (*)(A...)> {
  using type = R (*)(A...);
};
template <typename R, typename... A>
struct Plain<R (*)(A...) noexcept> {
  using type = R (*)(A...);
};
template <typename R, typename... A>
struct Plain<R (*)(A..., ...)> {
  using type = R (*)(A..., ...);
};
template <typename R, typename... A>
struct Plain<R (*)(A..., ...) noexcept> {
  using type = R (*)(A..., ...);
};

#define FUNCTION(id, ret, params, args, module, doc)                         \
  static_assert(std::is_same_v<Plain<decltype(&::id)>::type, ret(*) params>, \
                "functions.def: the prototype of " #id " is not the one of this machine's headers");
#define SPECIAL FUNCTION
#define UNDECLARED(id, ret, params, args, module, doc)
#define UNDECLARED_SPECIAL(id, ret, params, args, module, doc)
#define ALIAS(symbol, id)
#include "intercept/functions.def"
#undef FUNCTION
#undef SPECIAL
#undef UNDECLARED
#undef UNDECLARED_SPECIAL
#undef ALIAS

// An alias shares the wrapper of another name, which is right only where both sorts of file offset are the same.
static_assert(sizeof(off_t) == 8 && sizeof(off_t) == sizeof(off64_t) && sizeof(ino_t) == sizeof(ino64_t));
static_assert(sizeof(struct stat) == sizeof(struct stat64) && sizeof(struct dirent) == sizeof(struct dirent64));
static_assert(offsetof(struct stat, st_size) == offsetof(struct stat64, st_size));
static_assert(offsetof(struct dirent, d_name) == offsetof(struct dirent64, d_name));
static_assert(sizeof(struct statfs) == sizeof(struct statfs64) && sizeof(struct statvfs) == sizeof(struct statvfs64));
static_assert(sizeof(struct aiocb) == sizeof(struct aiocb64));
static_assert(offsetof(struct aiocb, aio_offset) == offsetof(struct aiocb64, aio_offset));
static_assert(sizeof(glob_t) == sizeof(glob64_t) && sizeof(FTSENT) == sizeof(FTSENT64) && sizeof(FTS) == sizeof(FTS64));
static_assert(sizeof(struct flock) == sizeof(struct flock64));

// In tables: as statements they take a compiler with sanitizers minutes.
constexpr std::string_view kFunctions[] = {
#define FUNCTION(id, ret, params, args, module, doc) #id,
#define SPECIAL FUNCTION
#define ALIAS(symbol, id)
#include "intercept/functions.def"
#undef FUNCTION
#undef SPECIAL
#undef ALIAS
};
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
#define FUNCTION(id, ret, params, args, module, doc)
#define SPECIAL FUNCTION
#define ALIAS(symbol, id) {#symbol, #id},
#include "intercept/functions.def"
#undef FUNCTION
#undef SPECIAL
#undef ALIAS
};

TEST(FunctionsDef, NamesEverySymbolOnceAndKnowsEveryAlias) {
  std::set<std::string_view> functions, symbols;
  for (std::string_view function : kFunctions) {
    EXPECT_TRUE(functions.insert(function).second) << function;
    EXPECT_TRUE(symbols.insert(function).second) << function;
  }
  for (const auto& [symbol, function] : kAliases) {
    EXPECT_TRUE(functions.contains(function)) << function;
    EXPECT_TRUE(symbols.insert(symbol).second) << symbol;
  }
  EXPECT_GT(functions.size(), 200u);
}

}  // namespace

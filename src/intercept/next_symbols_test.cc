#include "intercept/next_symbols.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <string.h>

namespace headrace::intercept {
namespace {

TEST(NextSymbols, AreThoseOfTheLoader) {
  static NextSymbols next;
  EXPECT_EQ(next.find("read"), nullptr) << "before prepare()";
  next.prepare();
  size_t found = 0, looked_for = 0;
  const auto look = [&](const char* name) {
    ++looked_for;
    void* mine = next.find(name);
    found += mine != nullptr;
    if (mine != nullptr) {
      EXPECT_EQ(mine, dlsym(RTLD_NEXT, name)) << name;
    }
  };
#define FUNCTION(id, ret, params, args, module, doc) look(#id);
#define SPECIAL(id, ret, params, args, module, doc) look(#id);
#define ALIAS(symbol, id)
#include "intercept/functions.def"
#undef FUNCTION
#undef SPECIAL
#undef ALIAS
  // Under a sanitizer, whose library has functions of its own, too.
  EXPECT_GT(found, looked_for * 9 / 10);
}

TEST(NextSymbols, LeavesWhatTheLoaderHasToChoose) {
  static NextSymbols next;
  next.prepare();
  EXPECT_EQ(next.find("no_such_function"), nullptr);
  // One of several in the C library, by the processor; a sanitizer's library has its own.
  void* copies = next.find("memcpy");
  Dl_info info;
  if (copies != nullptr) {
    EXPECT_EQ(copies, dlsym(RTLD_NEXT, "memcpy"));
    ASSERT_NE(dladdr(copies, &info), 0);
    EXPECT_EQ(strstr(info.dli_fname, "libc.so"), nullptr) << info.dli_fname;
  }
}

TEST(NextSymbols, KnowsThisProgram) {
  const link_map* own = own_map();
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(own->l_ld, _DYNAMIC);
}

}  // namespace
}  // namespace headrace::intercept

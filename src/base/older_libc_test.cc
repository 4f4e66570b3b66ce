#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <set>

extern "C" {
long __isoc23_strtol(const char*, char**, int);
unsigned long __isoc23_strtoul(const char*, char**, int);
unsigned long long __isoc23_strtoull(const char*, char**, int);
int __isoc23_sscanf(const char*, const char*, ...);
}

namespace {

#ifdef DLFO_EH_SEGMENT_TYPE
void expect_as_the_library_says(void* address) {
  // The program's own is hidden, so the name leads to the C library's.
  const auto theirs = reinterpret_cast<int (*)(void*, dl_find_object*)>(dlsym(RTLD_DEFAULT, "_dl_find_object"));
  if (theirs == nullptr) GTEST_SKIP() << "this C library has none";
  ASSERT_NE(theirs, &_dl_find_object);
  dl_find_object expected = {}, found = {};
  const int status = theirs(address, &expected);
  EXPECT_EQ(_dl_find_object(address, &found), status);
  if (status != 0) return;
  EXPECT_EQ(found.dlfo_eh_frame, expected.dlfo_eh_frame);
  EXPECT_EQ(found.dlfo_map_start, expected.dlfo_map_start);
}

TEST(OlderLibc, FindsWhereAProgramIsUnwound) {
  expect_as_the_library_says(reinterpret_cast<void*>(&expect_as_the_library_says));
}

TEST(OlderLibc, FindsWhereALibraryIsUnwound) { expect_as_the_library_says(dlsym(RTLD_DEFAULT, "qsort")); }

TEST(OlderLibc, FindsNothingForAnAddressOfNoObject) {
  int local = 0;
  expect_as_the_library_says(&local);
  expect_as_the_library_says(nullptr);
}
#endif

TEST(OlderLibc, RandomNumbersDiffer) {
  std::set<unsigned> seen;
  for (int i = 0; i < 64; ++i) seen.insert(arc4random());
  EXPECT_GT(seen.size(), 60U);
}

TEST(OlderLibc, ReadsNumbersAsBeforeC23) {
  char* end = nullptr;
  EXPECT_EQ(__isoc23_strtoull("18446744073709551615 ", &end, 10), ~0ull);
  EXPECT_EQ(*end, ' ');
  EXPECT_EQ(__isoc23_strtol("-0x10", &end, 0), -16);
  EXPECT_EQ(__isoc23_strtoul("0b101", &end, 0), 0u);
  EXPECT_EQ(*end, 'b');
  int first = 0, second = 0;
  EXPECT_EQ(__isoc23_sscanf("3 of 4", "%d of %d", &first, &second), 2);
  EXPECT_EQ(first + second, 7);
}

}  // namespace

#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace headrace::base {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return Status(Code::kInvalid, "odd");
  return number / 2;
}

Result<int> quarter(int number) {
  HEADRACE_ASSIGN(auto once, half(number));
  HEADRACE_ASSIGN(const int twice, half(once));
  return twice;
}

Status check(int number) {
  HEADRACE_TRY(quarter(number).status());
  return {};
}

TEST(Result, CarriesAValueOrAReason) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(6).code(), Code::kInvalid);
  EXPECT_EQ(quarter(6).message(), "odd");
  EXPECT_TRUE(check(4).ok());
  EXPECT_FALSE(check(2).ok());
}

TEST(Result, MovesWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> made = std::make_unique<int>(7);
  std::unique_ptr<int> taken = std::move(made).value();
  EXPECT_EQ(*taken, 7);
}

TEST(ResultDeathTest, NeverInventsAValue) {
  EXPECT_DEATH({ (void)*half(1); }, "");
  EXPECT_DEATH({ Result<int> nothing{Status()}; }, "");
}

TEST(Status, NamesEveryCode) {
  EXPECT_STREQ(code_name(Code::kOk), "ok");
  EXPECT_STREQ(code_name(Code::kLimit), "limit");
  EXPECT_TRUE(Status().ok());
}

}  // namespace
}  // namespace headrace::base

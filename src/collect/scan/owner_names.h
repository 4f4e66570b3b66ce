#pragma once
// Names of users and groups as the system has them. One thread at a time.

#include <cstdint>
#include <map>
#include <string>

namespace headrace::collect {

/// Looks each number up once; a number without a name is its own.
class OwnerNames {
 public:
  const std::string& user(uint32_t number);
  const std::string& group(uint32_t number);

 private:
  std::map<uint32_t, std::string> users_, groups_;
};

}  // namespace headrace::collect

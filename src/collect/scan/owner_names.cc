#include "collect/scan/owner_names.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>

#include <vector>

namespace headrace::collect {

namespace {

constexpr size_t kMostBytes = 64U << 20;  // a group has its members with it, of which there may be many

/// `ask` is getpwuid_r or getgrgid_r.
template <typename Entry, typename Ask>
std::string look_up(uint32_t number, Ask ask, char* Entry::* name) {
  Entry entry, *found = nullptr;
  std::vector<char> buffer(16384);
  while (ask(number, &entry, buffer.data(), buffer.size(), &found) == ERANGE && buffer.size() < kMostBytes)
    buffer.resize(2 * buffer.size());
  return found != nullptr ? found->*name : std::to_string(number);
}

std::string name_of_user(uint32_t number) { return look_up(number, getpwuid_r, &passwd::pw_name); }
std::string name_of_group(uint32_t number) { return look_up(number, getgrgid_r, &group::gr_name); }

const std::string& find(std::map<uint32_t, std::string>& known, uint32_t number, std::string (*look)(uint32_t)) {
  const auto [place, is_new] = known.try_emplace(number);
  if (is_new) place->second = look(number);
  return place->second;
}

}  // namespace

const std::string& OwnerNames::user(uint32_t number) { return find(users_, number, name_of_user); }
const std::string& OwnerNames::group(uint32_t number) { return find(groups_, number, name_of_group); }

}  // namespace headrace::collect

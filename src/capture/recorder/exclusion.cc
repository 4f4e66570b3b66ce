#include "capture/recorder/exclusion.h"

#include <string.h>

#include <cstddef>

#include "base/start_code.h"
#include "capture/recorder/spool.h"

namespace headrace::capture {
namespace {

// A trie over bytes: an excluded open walks it once, and no other operation does.
struct Node {
  uint8_t byte;
  int8_t verdict;  // 0 none, −1 included, n: excluded by rule n − 1
  uint16_t child, sibling;
};
constexpr uint32_t kNodes = 4096, kRuleText = 4000;
constexpr uint32_t kFirstNodes = 64, kFirstText = 96;  // that the default rules need

/// What the compiler makes, and most processes only read: what is written takes memory of each.
struct DefaultRules {
  Node nodes[kFirstNodes];
  uint32_t used_nodes, count, text_used;
  char text[kFirstText];
};
struct MoreRules {
  Node nodes[kNodes - kFirstNodes];
  char text[kRuleText];  // the default rules' has its place in front
};

/// Rules by default, and behind them those that are added.
struct Rules {
  DefaultRules& first;
  MoreRules* more;

  constexpr Node& node(uint32_t number) const {
    return number < kFirstNodes ? first.nodes[number] : more->nodes[number - kFirstNodes];
  }
  constexpr char& letter(uint32_t at) const { return at < kFirstText ? first.text[at] : more->text[at]; }
  constexpr uint16_t child_with(uint16_t parent, uint8_t byte) const {
    uint16_t child = node(parent).child;
    while (child && node(child).byte != byte) child = node(child).sibling;
    return child;
  }
  constexpr int8_t number_in(const char* prefix, size_t length) const {
    if (first.count + 1 >= kExclusionRules || first.text_used + length + 1 > kRuleText) return kExclusionRules;
    for (size_t i = 0; i <= length; ++i) letter(first.text_used++) = prefix[i];
    return static_cast<int8_t>(++first.count);
  }
  constexpr bool add(const char* prefix, bool exclude) const {
    size_t length = 0;
    while (prefix[length]) ++length;
    if (length == 0 || first.used_nodes + length > kNodes) return false;
    uint16_t at = 0;
    for (const char* p = prefix; *p; ++p) {
      uint16_t child = child_with(at, static_cast<uint8_t>(*p));
      if (!child) {
        child = static_cast<uint16_t>(first.used_nodes++);
        node(child) = {static_cast<uint8_t>(*p), 0, 0, node(at).child};
        node(at).child = child;
      }
      at = child;
    }
    node(at).verdict = exclude ? number_in(prefix, length) : int8_t{-1};
    return true;
  }
};

constexpr DefaultRules default_rules() {
  DefaultRules made{};
  made.used_nodes = 1;
  const Rules rules{made, nullptr};  // the compiler refuses more than there is room for
  constexpr const char* kOut[] = {"/dev/", "/proc/", "/sys/", "/etc/",  "/usr/",
                                  "/bin/", "/sbin/", "/lib",  "/boot/", "/run/"};
  for (const char* prefix : kOut) rules.add(prefix, true);
  rules.add("/dev/shm/", false);
  return made;
}
constinit DefaultRules defaults = default_rules();
HEADRACE_LARGE constinit MoreRules added{};
constexpr Rules rules{defaults, &added};

}  // namespace

bool add_rule(const char* prefix, bool exclude) { return rules.add(prefix, exclude); }

int excluding_rule(const char* path, uint32_t length) {
  uint16_t node = 0;
  int verdict = -1;
  for (uint32_t i = 0; i < length; ++i) {
    node = rules.child_with(node, static_cast<uint8_t>(path[i]));
    if (!node) break;
    if (const int8_t found = rules.node(node).verdict) verdict = found;
  }
  return verdict > 0 ? verdict - 1 : -1;
}

HEADRACE_AT_START void store_rules() {
  const bool has_more = defaults.text_used > kFirstText;
  if (has_more) memcpy(added.text, defaults.text, kFirstText);
  spool.header->exclusion_rules = allocate_name(has_more ? added.text : defaults.text, defaults.text_used);
}

}  // namespace headrace::capture

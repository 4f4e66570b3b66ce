#include "bindings/path_tree.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "base/hash.h"
#include "bindings/id_map.h"

namespace headrace::bindings {
namespace {

constexpr uint32_t kMostComponents = 40;  // what draws the tree recurses
constexpr uint32_t kNone = TreeNode::kNoParent;

using Sums = std::array<double, kMeasures>;

void add_figures(Sums& to, const Sums& more) {
  for (size_t m = 0; m < kMeasures; ++m) to[m] += more[m];
}

struct Node {
  uint32_t parent;  // smaller than the node's own index
  std::string_view name;
  bool directory = false;  // a record says so
  Sums sums = {};
};

// Puts paths into a tree. Names borrow the paths' memory.
class PathTreeBuilder {
 public:
  explicit PathTreeBuilder(uint64_t paths) : children_(paths + paths / 4), directories_(paths / 4) {
    nodes_.push_back({kNone, ""});
  }

  // Most paths lie in a directory that another one was in: then two look-ups do.
  uint32_t place(std::string_view path) {
    const size_t slash = path.rfind('/');
    if (slash == std::string_view::npos || slash == 0) return walk(path).node;
    const std::string_view directory = path.substr(0, slash);
    const uint64_t id = base::hash_text(directory);
    uint32_t known = directories_.find(id);
    if (known == IdMap::kNone) {
      const Place found = walk(directory);
      if (found.components >= kMostComponents) return walk(path).node;
      known = directories_.insert(id, found.node);
    }
    return child(known, path.substr(slash + 1));
  }

  std::vector<Node> finish() { return std::move(nodes_); }
  Node& operator[](uint32_t index) { return nodes_[index]; }

 private:
  struct Place {
    uint32_t node, components;
  };

  Place walk(std::string_view path) {
    Place place{0, 0};
    if (path.starts_with('/')) place = {child(0, path.substr(0, 1)), 1};
    while (!path.empty()) {
      path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
      if (path.empty()) break;
      const bool last = place.components + 1 >= kMostComponents;
      const std::string_view name = last ? path : path.substr(0, path.find('/'));
      place = {child(place.node, name), place.components + 1};
      path.remove_prefix(name.size());
    }
    return place;
  }

  uint32_t child(uint32_t parent, std::string_view name) {
    const auto next = static_cast<uint32_t>(nodes_.size());
    const uint32_t found = children_.insert(base::mix(parent, base::hash_text(name)), next);
    if (found == next) nodes_.push_back({parent, name});
    return found;
  }

  std::vector<Node> nodes_;
  IdMap children_;
  IdMap directories_;
};

// Columns of merged records that make up a measure.
struct Terms {
  Terms(const Frame& frame, std::initializer_list<const char*> names) {
    for (const char* name : names) {
      const Values* values = frame.find(name);
      if (values && values->words && !values->zero) columns.push_back(values->words.get());
    }
  }
  double operator()(uint64_t row) const {
    double total = 0;
    for (const uint64_t* column : columns) total += static_cast<double>(column[row]);
    return total;
  }
  std::vector<const uint64_t*> columns;
};

std::vector<Node> build(const Frame& frame) {
  const Values *paths = frame.find("path"), *kinds = frame.find("kind");
  PathTreeBuilder builder(frame.rows);
  if (!paths || !kinds || !paths->offsets || !kinds->offsets) return builder.finish();
  std::vector<uint32_t> at(frame.rows);
  for (uint64_t row = 0; row < frame.rows; ++row) {
    at[row] = builder.place(paths->text(row));
    if (kinds->text(row) == "directory") builder[at[row]].directory = true;
  }
  const Terms folded(frame, {"folded_files"}), read(frame, {"bytes_read"}), written(frame, {"bytes_written"}),
      time(frame, {"read_ns", "write_ns", "meta_ns"}), calls(frame, {"reads", "writes", "metadata_calls"});
  for (uint64_t row = 0; row < frame.rows; ++row) {
    const bool file = kinds->text(row) == "file" && !builder[at[row]].directory;
    add_figures(builder[at[row]].sums, {file ? 1 : folded(row), read(row), written(row), time(row), calls(row)});
  }
  std::vector<Node> nodes = builder.finish();
  for (uint64_t i = nodes.size() - 1; i > 0; --i) add_figures(nodes[nodes[i].parent].sums, nodes[i].sums);
  return nodes;
}

// The nodes with the greatest shares. A child has no greater share than its parent and comes after it, so the parents
// of chosen nodes are chosen too.
std::vector<uint32_t> choose(const std::vector<Node>& nodes, uint64_t most) {
  std::vector<double> share(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (size_t m = 0; m < kMeasures; ++m) {
      if (nodes[0].sums[m] > 0) share[i] = std::max(share[i], nodes[i].sums[m] / nodes[0].sums[m]);
    }
  }
  std::vector<uint32_t> order(nodes.size());
  std::iota(order.begin(), order.end(), 0);
  const auto better = [&](uint32_t a, uint32_t b) { return share[a] == share[b] ? a < b : share[a] > share[b]; };
  if (most < order.size()) {
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(), better);
    order.resize(most);
  }
  std::sort(order.begin(), order.end());
  return order;
}

struct Cut {
  std::vector<uint32_t> place;   // of each node in the result, or kNone
  std::vector<uint64_t> others;  // by node: children that are left out
  uint64_t size = 0;             // of the result
};

Cut cut(const std::vector<Node>& nodes, const std::vector<uint32_t>& chosen) {
  Cut cut{std::vector<uint32_t>(nodes.size(), kNone), std::vector<uint64_t>(nodes.size()), chosen.size()};
  for (uint32_t i = 0; i < chosen.size(); ++i) cut.place[chosen[i]] = i;
  for (size_t i = 1; i < nodes.size(); ++i) {
    if (cut.place[i] != kNone || cut.place[nodes[i].parent] == kNone) continue;
    if (++cut.others[nodes[i].parent] == 1) ++cut.size;
  }
  return cut;
}

// Children that stand for those left out, after all others.
void add_others(const std::vector<Node>& nodes, const Cut& cut, std::vector<TreeNode>& tree) {
  std::vector<uint32_t> others(nodes.size(), kNone);
  for (size_t i = 1; i < nodes.size(); ++i) {
    const uint32_t parent = nodes[i].parent;
    if (cut.place[i] != kNone || cut.place[parent] == kNone) continue;
    if (others[parent] == kNone) {
      others[parent] = static_cast<uint32_t>(tree.size());
      tree.push_back({cut.place[parent], "", cut.others[parent], {}});
    }
    add_figures(tree[others[parent]].sums, nodes[i].sums);
  }
}

std::string joined(const std::string& parent, const std::string& name) {
  return parent.empty() || parent.ends_with('/') ? parent + name : parent + "/" + name;
}

// A directory in which there is one thing alone is one node with it.
std::vector<TreeNode> without_chains(std::vector<TreeNode> tree) {
  std::vector<uint32_t> children(tree.size());
  for (const TreeNode& node : tree) {
    if (node.parent != kNone) ++children[node.parent];
  }
  std::vector<uint32_t> place(tree.size());
  std::vector<TreeNode> kept;
  for (size_t i = 0; i < tree.size(); ++i) {
    TreeNode& node = tree[i];
    const uint32_t parent = node.parent;
    if (parent != kNone && children[parent] == 1 && node.others == 0 && tree[parent].sums == node.sums) {
      place[i] = place[parent];
      kept[place[i]].name = joined(kept[place[i]].name, node.name);
      continue;
    }
    place[i] = static_cast<uint32_t>(kept.size());
    kept.push_back({parent == kNone ? kNone : place[parent], node.name, node.others, node.sums});
  }
  return kept;
}

}  // namespace

std::vector<TreeNode> path_tree(const Frame& by_path, uint64_t most) {
  const std::vector<Node> nodes = build(by_path);
  std::vector<uint32_t> chosen;
  Cut found;
  for (uint64_t keep = most; keep > 0; keep -= std::min(keep, (found.size - most + 1) / 2)) {
    chosen = choose(nodes, keep);
    found = cut(nodes, chosen);
    if (found.size <= most) break;
  }
  std::vector<TreeNode> tree;
  for (uint32_t i : chosen) {
    const uint32_t parent = nodes[i].parent == kNone ? kNone : found.place[nodes[i].parent];
    tree.push_back({parent, std::string(nodes[i].name), 0, nodes[i].sums});
  }
  add_others(nodes, found, tree);
  return without_chains(std::move(tree));
}

}  // namespace headrace::bindings

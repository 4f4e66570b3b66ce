#include <algorithm>
#include <array>

#include "convert/darshan/reading.h"
#include "convert/darshan/sanity.h"
#include "convert/darshan/words.h"

namespace headrace::convert::darshan {

using base::Status;

namespace {

constexpr size_t kComponentCounts = 7, kPool = 16;
constexpr const char* kComponentNames[kComponentCounts] = {"stripe_size",  "stripe_count", "stripe_pattern", "flags",
                                                           "extent_start", "extent_end",   "mirror"};

struct Component {
  std::array<int64_t, kComponentCounts> counts{};
  std::string pool;
};

/// How files are striped.
class LustreReader {
 public:
  /// `keeps`: false to look at the records alone.
  LustreReader(Reading& reading, bool keeps)
      : reading_(reading), region_(reading.region(Module::kLustre)), sanity_(reading), keeps_(keeps) {
    for (const char* name : kComponentNames) part_counts_.push_back(&parts_.i64(name));
  }

  /// Why the records are none that are known; empty: they are, or the region is damaged.
  std::string askew() {
    const Status ended = read();
    if (!ended.ok() || !is_undamaged(region_)) return "";
    if (begun_ != 0 && whole_ == 0) sanity_.end_inside();
    return sanity_.why();
  }

  Status read() {
    const bool old = reading_.version(Module::kLustre) == 1;
    std::vector<uint8_t> head(old ? 56 : 32);
    size_t got;
    while ((got = region_.read(head)) == head.size()) {
      begin_ = region_.given() - got;
      if (!(old ? read_old(head) : read_new(head))) break;
      if (keeps_ && reading_.too_large(targets_)) return reading_.limit();
    }
    if (got < head.size() && (begun_ = got) != 0 && !sanity_.is_begun(base::Bytes(head).first(got)))
      sanity_.end_inside();
    if (!keeps_) return {};
    (void)is_undamaged(region_);
    reading_.check_end(Module::kLustre, region_, begun_);
    if (nameless_ != 0) {
      reading_.tables.gap(0, {"files on Lustre", nameless_, "files",
                              "Darshan says how they are striped, and nothing of what was done to them"});
    }
    for (TableMaker* table : {&files_, &parts_, &targets_}) reading_.extra.push_back(table->finish());
    return {};
  }

 private:
  static constexpr int64_t kMost = 1 << 20;  // components or targets of a file

  /// What follows the head of a record. False: it ends inside.
  bool read_rest(std::vector<uint8_t>& bytes) {
    const bool whole = region_.read(bytes) == bytes.size();
    if (!whole) begun_ = region_.given() - begin_;
    return whole;
  }

  bool is_number(const char* what, int64_t value) {
    return sanity_.count(what, value < 0 || value > kMost ? INT64_MAX : value);
  }

  bool is_possible(const Component& component) {
    for (size_t i = 0; i < kComponentCounts; ++i) {
      if (!sanity_.distance(kComponentNames[i], i == 5 ? 0 : component.counts[i])) return false;  // 5: may be no end
    }
    return sanity_.count("stripe_size", component.counts[0]);
  }

  /// Version 1: servers, then one component without its name.
  bool read_old(const std::vector<uint8_t>& head) {
    Words words(head.data(), reading_.header.swap);
    id_ = words.u64();
    rank_ = words.i64();
    for (int i = 0; i < 3; ++i) (void)words.i64();  // numbers of all servers, and the offset of the first
    Component component;
    component.counts = {words.i64(), words.i64(), -1, -1, 0, -1, -1};
    if (!sanity_.id(id_) || !sanity_.rank(rank_) || !is_possible(component)) return false;
    if (!is_number("the number of stripes", component.counts[1])) return false;
    return read_targets({component}, component.counts[1]);
  }

  bool read_new(const std::vector<uint8_t>& head) {
    Words words(head.data(), reading_.header.swap);
    id_ = words.u64();
    rank_ = words.i64();
    const int64_t count = words.i64(), stripes = words.i64();
    if (!sanity_.id(id_) || !sanity_.rank(rank_)) return false;
    if (!is_number("the number of components", count) || !is_number("the number of stripes", stripes)) return false;
    std::vector<uint8_t> bytes(static_cast<size_t>(count) * (kComponentCounts * 8 + kPool));
    if (!read_rest(bytes)) return false;
    Words in(bytes.data(), reading_.header.swap);
    std::vector<Component> components;
    for (int64_t i = 0; i < count; ++i) {
      Component component;
      for (int64_t& value : component.counts) value = in.i64();
      component.pool = in.text(kPool);
      if (!is_possible(component)) return false;
      components.push_back(component);
    }
    return read_targets(components, stripes);
  }

  bool read_targets(std::vector<Component> components, int64_t stripes) {
    std::vector<uint8_t> bytes(static_cast<size_t>(stripes) * 8);
    if (!read_rest(bytes)) return false;
    Words words(bytes.data(), reading_.header.swap);
    std::vector<int64_t> targets(static_cast<size_t>(stripes));
    for (int64_t& target : targets) {
      target = words.i64();
      if (!sanity_.count("a target", target)) return false;
    }
    ++whole_;
    if (!keeps_) return true;
    // Places that the program did not use are marked so, and targets of used ones come first.
    const auto unused =
        std::find_if(components.begin(), components.end(), [](const Component& each) { return each.counts[0] == -1; });
    components.erase(unused, components.end());
    int64_t used = 0;
    for (const Component& each : components) used += std::clamp<int64_t>(each.counts[1], 0, kMost);
    targets.resize(std::min(targets.size(), static_cast<size_t>(used)));
    store(components, targets);
    put_properties(components, targets);
    return true;
  }

  void store(const std::vector<Component>& components, const std::vector<int64_t>& targets) {
    file_id_.add(id_);
    file_rank_.add(rank_);
    file_components_.add(static_cast<uint64_t>(components.size()));
    file_targets_.add(static_cast<uint64_t>(targets.size()));
    const uint64_t row = files_.rows() - 1;
    for (const Component& each : components) {
      part_file_.add(row);
      for (size_t i = 0; i < kComponentCounts; ++i) part_counts_[i]->add(each.counts[i]);
      part_pool_.add(each.pool);
    }
    for (const int64_t target : targets) {
      target_file_.add(row);
      target_.add(target);
    }
  }

  void put_properties(const std::vector<Component>& components, const std::vector<int64_t>& targets) {
    const auto found = reading_.row_of_file.find(id_);
    if (found == reading_.row_of_file.end()) {
      ++nameless_;
      return;
    }
    const auto put = [&](const std::string& key, const std::string& value) {
      reading_.tables.property(found->second.process, found->second.record, key, value);
    };
    for (size_t i = 0; i < components.size(); ++i) {
      const std::string part = components.size() == 1 ? "lustre." : "lustre.component" + std::to_string(i + 1) + ".";
      put(part + "stripe_size", std::to_string(components[i].counts[0]));
      put(part + "stripe_count", std::to_string(components[i].counts[1]));
      if (!components[i].pool.empty()) put(part + "pool", components[i].pool);
    }
    std::string text;
    for (const int64_t target : targets) text += (text.empty() ? "" : ",") + std::to_string(target);
    if (!text.empty()) put("lustre.osts", text);
  }

  Reading& reading_;
  RegionReader region_;
  Sanity sanity_;
  bool keeps_;
  uint64_t whole_ = 0;              // records
  uint64_t begin_ = 0, begun_ = 0;  // decompressed bytes before a record, and of one that ends inside
  uint64_t id_ = 0, nameless_ = 0;
  int64_t rank_ = 0;
  TableMaker files_{"darshan_lustre"}, parts_{"darshan_lustpart"}, targets_{"darshan_lustosts"};
  NumberColumn &file_id_ = files_.u64("id"), &file_rank_ = files_.i64("rank"),
               &file_components_ = files_.u64("components"), &file_targets_ = files_.u64("osts");
  NumberColumn& part_file_ = parts_.u64("file");
  TextColumn& part_pool_ = parts_.text("pool");
  std::vector<NumberColumn*> part_counts_;
  NumberColumn &target_file_ = targets_.u64("file"), &target_ = targets_.i64("ost");
};

}  // namespace

Status read_lustre(Reading& reading) {
  if (!reading.has(Module::kLustre) || !reading.knows_version(Module::kLustre, 2)) return {};
  if (const std::string why = LustreReader(reading, false).askew(); !why.empty()) {
    lose_askew(reading, Module::kLustre, why);
    return {};
  }
  return LustreReader(reading, true).read();
}

}  // namespace headrace::convert::darshan

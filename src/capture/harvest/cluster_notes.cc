#include "capture/harvest/cluster_notes.h"

#include <bit>
#include <string>

#include "base/varint.h"

namespace headrace::capture {
namespace {

constexpr uint64_t kOutlier = 1, kMissing = 2, kKept = 4;

void put_text(base::ByteWriter& to, std::string_view text) {
  write_varint(to, text.size());
  to.append(base::as_bytes(text));
}

bool get_text(base::ByteReader& from, std::string* text) {
  uint64_t length = 0;
  if (!read_varint(from, length) || length > from.left()) return false;
  *text = base::as_text(from.take(length));
  return from.ok();
}

void put_number(base::ByteWriter& to, double value) { to.u64(std::bit_cast<uint64_t>(value)); }
double get_number(base::ByteReader& from) { return std::bit_cast<double>(from.u64()); }

void put(base::ByteWriter& to, const model::ClusterStats& stats) {
  put_text(to, stats.phase);
  for (const uint64_t value : {stats.cluster, stats.ranks, stats.outliers, stats.representative}) {
    write_varint(to, value);
  }
  write_varint(to, stats.features.size());
  for (const model::ClusterFeature& each : stats.features) {
    put_text(to, each.layer);
    put_text(to, each.function);
    for (const double value : {each.mean, each.variance, each.least, each.most}) put_number(to, value);
  }
}

bool get(base::ByteReader& from, model::ClusterMember* member) {
  uint64_t flags = 0;
  if (!get_text(from, &member->phase) || !read_varint(from, member->cluster) ||
      !read_varint(from, member->representative) || !read_varint(from, flags))
    return false;
  member->outlier = (flags & kOutlier) != 0;
  member->missing = (flags & kMissing) != 0;
  member->kept = (flags & kKept) != 0;
  return true;
}

bool get(base::ByteReader& from, model::ClusterStats* stats) {
  uint64_t features = 0;
  if (!get_text(from, &stats->phase)) return false;
  for (uint64_t* value : {&stats->cluster, &stats->ranks, &stats->outliers, &stats->representative})
    if (!read_varint(from, *value)) return false;
  if (!read_varint(from, features)) return false;
  for (; features > 0; --features) {
    model::ClusterFeature each;
    if (!get_text(from, &each.layer) || !get_text(from, &each.function)) return false;
    for (double* value : {&each.mean, &each.variance, &each.least, &each.most}) *value = get_number(from);
    if (!from.ok()) return false;
    stats->features.push_back(std::move(each));
  }
  return true;
}

template <typename Item>
bool get_all(base::ByteReader& from, std::vector<Item>* items) {
  uint64_t count = 0;
  if (!read_varint(from, count)) return false;
  for (; count > 0; --count) {
    Item item;
    if (!get(from, &item)) return false;
    items->push_back(std::move(item));
  }
  return true;
}

}  // namespace

std::vector<uint8_t> encode_clusters(const model::Clusters& clusters) {
  std::vector<uint8_t> bytes;
  base::ByteWriter to(bytes);
  write_varint(to, clusters.of_rank.size());
  for (const model::ClusterMember& each : clusters.of_rank) {
    put_text(to, each.phase);
    write_varint(to, each.cluster);
    write_varint(to, each.representative);
    write_varint(to, (each.outlier ? kOutlier : 0) | (each.missing ? kMissing : 0) | (each.kept ? kKept : 0));
  }
  write_varint(to, clusters.stats.size());
  for (const model::ClusterStats& each : clusters.stats) put(to, each);
  write_varint(to, clusters.phases_left_out);
  return bytes;
}

bool decode_clusters(std::string_view bytes, model::Clusters* clusters) {
  base::ByteReader from(base::as_bytes(bytes));
  return get_all(from, &clusters->of_rank) && get_all(from, &clusters->stats) &&
         read_varint(from, clusters->phases_left_out) && from.left() == 0;
}

}  // namespace headrace::capture

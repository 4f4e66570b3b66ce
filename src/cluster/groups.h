#pragma once
// Small clusters, which no sample of constant size shows: groups of rows that are near each other and lie outside of
// all clusters.
//
// Rows that lie outside are few, so a sample of them holds most of a group's rows, or all. A group is a place where
// many more of them are than noise of the density around it would put there.

#include "cluster/model.h"

namespace headrace::cluster {

inline constexpr uint32_t kLeastGroup = 12;  // rows; smaller ones stay outliers

/// Adds a cluster for each group to the model. `suspects`: rows outside of all clusters, or a sample of them. `share`:
/// how large a part of them it is. `rows`: of the whole table. Returns how many were added.
uint32_t add_groups(const Placed& suspects, double share, uint64_t rows, Model& model);

}  // namespace headrace::cluster

/* I/O groups: a leader writes for all its members. pf_group(rank) is the number of a rank's group, pf_leader the
 * leader of each group; the members of a group take their turns by rank.
 */

func pf_contiguous(ranks, size)
/* DOCUMENT groups of one rank after the other. */
{
  return indgen(0:ranks-1)/size + 1;
}

func pf_topology_aware(psets, size)
/* DOCUMENT groups such that each I/O node gets as many leaders as the others, within its set of processes. */
{
  group = array(0, numberof(psets));
  names = psets(sort(psets));
  if (numberof(names) > 1) names = names(where(_(1, names(dif) != 0)));
  most = 0;
  for (i=1 ; i<=numberof(names) ; ++i) most = max(most, sum(psets == names(i)));
  leaders = (most + size - 1) / size;
  groups = 0;
  for (i=1 ; i<=numberof(names) ; ++i) {
    members = where(psets == names(i));
    n = numberof(members);
    number = min(leaders, n);
    for (k=0 ; k<number ; ++k) group(members(n*k/number+1 : n*(k+1)/number)) = ++groups;
  }
  return group;
}

func pf_read_psets(path, ranks)
/* DOCUMENT the pset of each rank, from lines "RANK PSET"; text behind # is passed over. */
{
  psets = array(-1, ranks);
  file = open(path);
  while (line = rdline(file)) {
    rank = pset = 0;
    if (sread(strtok(line, "#")(1), rank, pset) == 2 && rank < ranks) psets(rank+1) = pset;
  }
  if (anyof(psets < 0)) error, swrite(format="%s: has no pset of rank %d", path, where(psets < 0)(1)-1);
  return psets;
}

func pf_set_groups(how, size, path)
{
  extern pf_group, pf_leader;
  if (how == "contiguous") pf_group = pf_contiguous(mp_size, size);
  else if (how == "topology") pf_group = pf_topology_aware(pf_read_psets(path, mp_size), size);
  else error, "groups="+how+": must be contiguous or topology";
  pf_leader = array(0, max(pf_group));
  for (i=1 ; i<=numberof(pf_leader) ; ++i) pf_leader(i) = where(pf_group == i)(1) - 1;
}

func pf_members(rank)
/* DOCUMENT the ranks of a rank's group, the leader first. */
{
  return where(pf_group == pf_group(rank+1)) - 1;
}

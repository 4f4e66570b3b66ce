/* What is run: options "name=value", the same for both programs. See ../README.md. */

func pf_set(ranks)
/* DOCUMENT sets what an option says; RANKS domains. */
{
  extern pf_scheme, pf_directory, pf_grid, pf_cells, pf_variables, pf_steps, pf_block, pf_vis, pf_every;
  extern pf_seconds, pf_bytes, pf_files;
  pf_check_names, ["scheme", "dir", "grid", "cells", "planes", "variables", "steps", "vis_every", "checkpoint_every",
                   "group", "groups", "psets", "block", "vis"];
  pf_scheme = pf_value("scheme", "multi");
  if (noneof(["one", "multi", "single", "fpp"] == pf_scheme)) error, "scheme="+pf_scheme+": one, multi, single or fpp";
  pf_vis = pf_value("vis", "logical");
  if (noneof(["logical", "variables"] == pf_vis)) error, "vis="+pf_vis+": logical or variables";
  pf_directory = pf_value("dir", "dumps");
  grid = pf_value("grid", "");
  pf_grid = (strlen(grid) ? pf_numbers(grid, "x") : pf_decompose(ranks));
  if (pf_grid(1)*pf_grid(2)*pf_grid(3) != ranks) error, "grid="+grid+": not a domain a rank";
  pf_cells = pf_value("cells", 32);
  pf_set_planes, pf_split(pf_value("planes", "z0,z-1,y0"), ",");
  pf_variables = pf_value("variables", 4);
  pf_steps = pf_value("steps", 4);
  pf_every = [1, pf_value("vis_every", 2), pf_value("checkpoint_every", 4)];
  pf_block = pf_value("block", 65536);
  pf_set_groups, pf_value("groups", "contiguous"), pf_value("group", 2), pf_value("psets", "");
  pf_seconds = array(0.0, 4, 3);
  pf_bytes = pf_files = array(0, 3);
}

func pf_check_names(names)
{
  for (i=1 ; i<=numberof(pf_words) ; ++i)
    if (noneof(names == strtok(pf_words(i), "=")(1))) error, "unknown option "+pf_words(i);
}

func pf_describe(void)
/* DOCUMENT writes what a reader of the dumps has to know; the file `settings` beside them. */
{
  file = open(pf_directory+"/settings", "w");
  write, file, format="grid=%dx%dx%d\n", pf_grid(1), pf_grid(2), pf_grid(3);
  write, file, format="cells=%d\nplanes=%s\nvariables=%d\nsteps=%d\n", pf_cells, sum(_(pf_plane(1), ","+pf_plane(2:))),
    pf_variables, pf_steps;
  write, file, format="vis_every=%d\ncheckpoint_every=%d\n", pf_every(2), pf_every(3);
  close, file;
}

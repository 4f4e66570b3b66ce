/* Puts the planes of a directory of dumps together, verifies them and all other data:
 *
 *   yorick -batch planes.i DIRECTORY
 *
 * Planes go to DIRECTORY/planes/STEP_NAME as doubles. Files are told apart by what is in them: whole planes, arrays by
 * domain, logical files of domains.
 */

func pf_read_settings(void)
{
  extern pf_words, pf_grid, pf_cells, pf_variables, pf_steps, pf_every;
  pf_words = rdfile(pf_directory+"/settings");
  pf_grid = pf_numbers(pf_value("grid", ""), "x");
  pf_cells = pf_value("cells", 0);
  pf_set_planes, pf_split(pf_value("planes", ""), ",");
  pf_variables = pf_value("variables", 0);
  pf_steps = pf_value("steps", 0);
  pf_every = [1, pf_value("vis_every", 0), pf_value("checkpoint_every", 0)];
}

func pf_load(kind, step)
/* DOCUMENT sets pf_names, pf_domains (-1: put together already) and pf_arrays: all that the files of a dump have. */
{
  extern pf_names, pf_domains, pf_arrays;
  pf_names = pf_domains = pf_arrays = [];
  begin = swrite(format="%s_%04d", kind, step);
  files = lsdir(pf_directory);
  files = files(sort(files));
  files = files(where(strglob(begin+"*.dump", files)));
  for (i=1 ; i<=numberof(files) ; ++i) {
    own = pf_domain_of(strpart(files(i), 1:-5));
    file = openb(pf_directory+"/"+files(i));
    names = *get_vars(file)(1);
    for (k=1 ; k<=numberof(names) ; ++k) {
      domain = pf_domain_of(names(k));
      if (strglob("d[0-9]*", names(k))) pf_load_logical, openb(get_member(file, names(k))), domain;
      else if (domain < 0) pf_found, names(k), own, get_member(file, names(k));
      else pf_found, strpart(names(k), strgrep("^(.*)_d[0-9]+$", names(k), sub=1)), domain, get_member(file, names(k));
    }
  }
}

func pf_domain_of(name)
/* DOCUMENT the number of the domain at the end of a name like "a0_d0003" or "d0003"; -1 where none is. */
{
  at = strgrep("(^|_)d([0-9]+)$", name, sub=2);
  if (at(2) < 0) return -1;
  domain = 0;
  sread, strpart(name, at), domain;
  return domain;
}

func pf_load_logical(file, domain)
/* DOCUMENT a file that was written in memory, and then as an array of bytes. */
{
  names = *get_vars(file)(1);
  for (i=1 ; i<=numberof(names) ; ++i) pf_found, names(i), domain, get_member(file, names(i));
}

func pf_found(name, domain, data)
{
  grow, pf_names, name;
  grow, pf_domains, domain;
  grow, pf_arrays, &data;
}

func pf_verify_spec(step)
{
  pf_load, "spec", step;
  used = 0;
  for (p=1 ; p<=numberof(pf_plane) ; ++p) {
    for (v=0 ; v<pf_variables ; ++v) {
      name = swrite(format="a%d_%s", v, pf_plane(p));
      list = where(pf_names == name);
      used += numberof(list);
      whole = pf_whole(p);
      for (i=1 ; i<=numberof(list) ; ++i) {
        if (pf_domains(list(i)) < 0) whole = *pf_arrays(list(i));
        else pf_place, p, pf_domains(list(i)), whole, *pf_arrays(list(i));
      }
      right = pf_whole(p);
      for (rank=0 ; rank<pf_ranks ; ++rank)
        if (anyof(pf_crossing(rank) == p)) pf_place, p, rank, right, pf_piece(p, rank, pf_field(rank, v, step));
      pf_check, pf_same(whole, right), swrite(format="spec %d: %s", step, name);
      pf_write_plane, swrite(format="%s/planes/%04d_%s", pf_directory, step, name), whole;
    }
  }
  pf_check, used == numberof(pf_names), swrite(format="spec %d: also has other arrays", step);
  write, format="spec %d: %d planes as they should be\n", step, pf_variables*numberof(pf_plane);
}

func pf_verify_fields(kind, step)
{
  pf_load, kind, step;
  pf_check, numberof(pf_names) == pf_variables*pf_ranks, swrite(format="%s %d: arrays", kind, step);
  for (v=0 ; v<pf_variables ; ++v) {
    for (rank=0 ; rank<pf_ranks ; ++rank) {
      list = where(pf_names == swrite(format="a%d", v) & pf_domains == rank);
      right = pf_field(rank, v, step);
      if (kind == "vis") right = float(right);
      what = swrite(format="%s %d: a%d of domain %d", kind, step, v, rank);
      pf_check, numberof(list) == 1 && pf_same(*pf_arrays(list(1)), right), what;
    }
  }
  write, format="%s %d: %d variables of %d domains as they should be\n", kind, step, pf_variables, pf_ranks;
}

func pf_same(one, other)
{
  if (structof(one) != structof(other) || numberof(dimsof(one)) != numberof(dimsof(other))) return 0;
  return allof(dimsof(one) == dimsof(other)) && allof(one == other);
}

func pf_check(right, what)
{
  if (!right) error, what+": wrong";
}

func pf_write_plane(path, plane)
{
  remove, path;
  file = open(path, "wb");
  _write, file, 0, plane;
  close, file;
  remove, path+"L";
}

func pf_verify(void)
{
  extern pf_directory, pf_ranks;
  pf_directory = get_argv()(0);
  pf_read_settings;
  pf_ranks = pf_grid(1)*pf_grid(2)*pf_grid(3);
  mkdirp, pf_directory+"/planes";
  for (step=1 ; step<=pf_steps ; ++step) pf_verify_spec, step;
  for (step=pf_every(2) ; step<=pf_steps ; step+=pf_every(2)) pf_verify_fields, "vis", step;
  for (step=pf_every(3) ; step<=pf_steps ; step+=pf_every(3)) pf_verify_fields, "checkpoint", step;
}

func pf_start(void)
{
  here = strpart(current_include(), strgrep("^.*/", current_include()));
  if (!here) here = "";
  include, here+"grid.i", 1;
  pf_verify;
  quit;
}
pf_start;

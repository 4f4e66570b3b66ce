/* Dumps as pF3D writes them: mpirun -np 4 mpy -batch pf3d.i [OPTION=VALUE]...
 *
 * See ../README.md. Rank 0 reads this file and has all ranks include the others, and then run.
 */

func pf_run(void)
{
  extern pf_words;
  if (!mp_rank) pf_words = get_argv();  /* which only rank 0 has; the first word is the program */
  mp_handout, pf_words;
  pf_words = (numberof(pf_words) > 1 ? pf_words(2:) : []);
  pf_set, mp_size;
  if (!mp_rank) {
    mkdirp, pf_directory;
    pf_describe;
    leaders = sum(swrite(format=" %d", pf_leader));
    write, format="%s: %d ranks, groups led by%s\n", pf_scheme, mp_size, leaders;
    go = 1;
  }
  mp_handout, go;
  for (step=1 ; step<=pf_steps ; ++step) {
    for (k=1 ; k<=3 ; ++k) if (step % pf_every(k) == 0) pf_dump, pf_kinds(k), step;
  }
  pf_report;
}

func pf_report(void)
/* DOCUMENT by kind: what all ranks wrote, and the seconds of the slowest rank in each part. */
{
  files = mp_handin(pf_files);
  bytes = mp_handin(pf_bytes);
  seconds = mp_handin(pf_seconds, max);
  if (mp_rank) return;
  for (k=1 ; k<=3 ; ++k) {
    parts = swrite(format=", %s %.4f s", pf_parts, seconds(,k));
    write, format="%s: %d files, %d bytes; %s\n", pf_kinds(k), files(k), bytes(k), strpart(sum(parts), 3:);
  }
}

func pf_start(void)
{
  here = strpart(current_include(), strgrep("^.*/", current_include()));
  if (!here) here = "";
  mp_include, get_env("PF3D_BUILT")+"/headrace.i";
  files = ["grid.i", "groups.i", "settings.i", "dumps.i", "pf3d.i"];
  for (i=1 ; i<=numberof(files) ; ++i) mp_include, here+files(i);
  mp_exec, "pf_run";
  quit;
}
if (mp_exec()) pf_start;

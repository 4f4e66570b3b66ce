/* The dumps and the schemes by which they are written.
 *
 * What a domain has for a dump: of a spec dump, pieces of the planes that cross the domain ("a0_z31"), maybe none; of a
 * visualisation dump, the fields with less precision ("a0"); of a checkpoint, the fields.
 */

pf_kinds = ["spec", "vis", "checkpoint"];
pf_parts = ["assemble", "send", "receive", "write"];

func pf_dump(kind, step)
{
  extern pf_kind, pf_step;
  pf_kind = kind;
  pf_step = step;
  inside = headrace_phase(kind);
  if (kind == "checkpoint" || pf_scheme == "fpp" || (pf_scheme == "one" && kind == "vis")) pf_file_per_process;
  else if (pf_scheme == "one") pf_one_file;
  else if (pf_scheme == "multi") pf_multi_message;
  else pf_single_message;
}

/* ---- the schemes */

func pf_file_per_process(void)
{
  if (!pf_has(mp_rank)) return;
  pf_begin, "assemble";
  content = pf_content();
  pf_end, "assemble";
  pf_begin, "write";
  file = pf_create(swrite(format="_d%04d", mp_rank));
  pf_save, file, mp_rank, content, "";
  close, file;
  pf_account;
  pf_end, "write";
}

func pf_one_file(void)
/* DOCUMENT whole planes, put together by rank 0. */
{
  pf_begin, "assemble";
  content = pf_content();
  pf_await_turn, 0;
  pf_end, "assemble";
  if (mp_rank) {
    pf_send, 0, content;
    return;
  }
  planes = numberof(pf_plane);
  whole = array(pointer, planes, pf_variables);
  for (v=1 ; v<=pf_variables ; ++v) for (p=1 ; p<=planes ; ++p) whole(p, v) = &pf_whole(p);
  for (rank=0 ; rank<mp_size ; ++rank) {
    if (!pf_has(rank)) continue;
    if (rank) content = pf_receive_by_variable(rank);
    crossing = pf_crossing(rank);
    for (v=1 ; v<=pf_variables ; ++v)
      for (i=1 ; i<=numberof(crossing) ; ++i) {
        eq_nocopy, plane, *whole(crossing(i), v);
        pf_place, crossing(i), rank, plane, (*content(v))(,,i);
      }
  }
  pf_begin, "write";
  file = pf_create("");
  for (v=1 ; v<=pf_variables ; ++v)
    for (p=1 ; p<=planes ; ++p) vsave, file, swrite(format="a%d_%s", v-1, pf_plane(p)), *whole(p, v);
  close, file;
  pf_account;
  pf_end, "write";
}

func pf_multi_message(void)
/* DOCUMENT a message a variable; the leader writes each array, by domain and name. */
{
  members = pf_members(mp_rank);
  pf_begin, "assemble";
  content = pf_content();
  pf_await_turn, members(1);
  pf_end, "assemble";
  if (mp_rank != members(1)) {
    pf_send, members(1), content;
    return;
  }
  members = pf_having(members);
  if (is_void(members)) return;
  pf_begin, "write";
  file = pf_create(swrite(format="_g%04d", mp_rank));
  pf_end, "write";
  for (i=1 ; i<=numberof(members) ; ++i) {
    if (members(i) != mp_rank) content = pf_receive_by_variable(members(i));
    pf_begin, "write";
    pf_save, file, members(i), content, swrite(format="_d%04d", members(i));
    pf_end, "write";
  }
  pf_begin, "write";
  close, file;
  pf_account;
  pf_end, "write";
}

func pf_single_message(void)
/* DOCUMENT all that a domain has as one file in memory, in one message. */
{
  members = pf_members(mp_rank);
  leader = members(1);
  pf_begin, "assemble";
  if (pf_has(mp_rank)) {
    memory = createb(char);
    pf_save, memory, mp_rank, pf_content(), "";
    message = vsave(memory);
  }
  pf_await_turn, leader;
  pf_end, "assemble";
  if (mp_rank != leader) {
    pf_send, leader, [&message];
    return;
  }
  members = pf_having(members);
  if (is_void(members)) return;
  pf_begin, "write";
  file = pf_create(swrite(format="_g%04d", leader));
  pf_end, "write";
  for (i=1 ; i<=numberof(members) ; ++i) {
    if (members(i) != leader) {
      pf_begin, "receive";
      pf_give_turn, members(i);
      message = mp_recv(members(i));
      pf_end, "receive";
    }
    pf_begin, "write";
    if (pf_kind == "vis" && pf_vis == "variables") pf_save_each, file, openb(message), swrite(format="_d%04d", members(i));
    else vsave, file, swrite(format="d%04d", members(i)), message;
    pf_end, "write";
  }
  pf_begin, "write";
  close, file;
  pf_account;
  pf_end, "write";
}

/* ---- what a domain has */

func pf_has(rank)
{
  return pf_kind != "spec" || !is_void(pf_crossing(rank));
}

func pf_having(ranks)
{
  having = [];
  for (i=1 ; i<=numberof(ranks) ; ++i) if (pf_has(ranks(i))) grow, having, ranks(i);
  return having;
}

func pf_content(void)
/* DOCUMENT pointers to what this rank has of each variable: a field, or pieces (,,i) of the planes that cross it. */
{
  content = array(pointer, pf_variables);
  crossing = pf_crossing(mp_rank);
  for (v=1 ; v<=pf_variables ; ++v) {
    field = pf_field(mp_rank, v-1, pf_step);
    if (pf_kind == "vis") field = float(field);
    if (pf_kind == "spec") {
      pieces = array(0.0, pf_cells, pf_cells, max(numberof(crossing), 1));
      for (i=1 ; i<=numberof(crossing) ; ++i) pieces(,,i) = pf_piece(crossing(i), mp_rank, field);
      eq_nocopy, field, pieces;
    }
    content(v) = &field;
    field = [];
  }
  return content;
}

/* ---- messages */

func pf_send(leader, messages)
{
  if (!pf_has(mp_rank)) return;
  pf_begin, "send";
  for (i=1 ; i<=numberof(messages) ; ++i) mp_send, leader, *messages(i);
  pf_end, "send";
}

func pf_receive_by_variable(rank)
{
  n = pf_cells;
  dims = (pf_kind == "spec") ? [3, n, n, numberof(pf_crossing(rank))] : [3, n, n, n];
  content = array(pointer, pf_variables);
  pf_begin, "receive";
  pf_give_turn, rank;
  for (v=1 ; v<=pf_variables ; ++v) content(v) = &mp_recv(rank, dims);
  pf_end, "receive";
  return content;
}

func pf_give_turn(rank)
{
  mp_send, rank, 1;
}

func pf_await_turn(leader)
/* DOCUMENT the leader takes one member after the other; waiting for that is part of assembling (figure 2). */
{
  if (mp_rank != leader && pf_has(mp_rank)) turn = mp_recv(leader);
}

/* ---- files and the account */

func pf_create(whose)
{
  extern pf_path;
  pf_path = swrite(format="%s/%s_%04d%s.dump", pf_directory, pf_kind, pf_step, whose);
  file = createb(pf_path);
  set_blocksize, file, pf_block;
  return file;
}

func pf_save(file, rank, content, domain)
{
  crossing = pf_crossing(rank);
  for (v=1 ; v<=pf_variables ; ++v) {
    name = swrite(format="a%d", v-1);
    if (pf_kind == "spec") {
      for (i=1 ; i<=numberof(crossing) ; ++i)
        vsave, file, name+"_"+pf_plane(crossing(i))+domain, (*content(v))(,,i);
    } else {
      vsave, file, name+domain, *content(v);
    }
  }
}

func pf_save_each(file, logical, domain)
{
  names = *get_vars(logical)(1);
  for (i=1 ; i<=numberof(names) ; ++i) vsave, file, names(i)+domain, get_member(logical, names(i));
}

func pf_account(void)
/* DOCUMENT counts the file that was written last. */
{
  k = where(pf_kinds == pf_kind)(1);
  pf_files(k) += 1;
  pf_bytes(k) += sizeof(open(pf_path, "rb"));
}

func pf_begin(part)
{
  extern pf_started;
  now = array(0.0, 3);
  timer, now;
  pf_started = now(3);
  headrace_phase, part;
}

func pf_end(part)
{
  headrace_phase_end, part;
  now = array(0.0, 3);
  timer, now;
  pf_seconds(where(pf_parts == part)(1), where(pf_kinds == pf_kind)(1)) += now(3) - pf_started;
}

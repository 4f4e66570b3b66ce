/* The grid: equal domains, one a rank, what is in their cells, and the planes that cross some of them.
 *
 * Arrays are (x, y, z), x the fastest index. Cells are counted from 0, as in the twin in Python.
 */

func pf_value(name, default)
/* DOCUMENT pf_value(name, default)
     the value of the option "name=value" in pf_words, as a string or a number like DEFAULT.
 */
{
  text = string(0);
  for (i=1 ; i<=numberof(pf_words) ; ++i) {
    if (strpart(pf_words(i), 1:strlen(name)+1) == name+"=") text = strpart(pf_words(i), strlen(name)+2:);
  }
  if (!text) return default;
  if (structof(default) == string) return text;
  number = 0;
  if (sread(text, number) != 1) error, name+"="+text+" is no number";
  return number;
}

func pf_split(text, separator)
{
  parts = [];
  while (text) {
    text = strtok(text, separator);
    grow, parts, text(1);
    text = text(2);
  }
  return parts;
}

func pf_numbers(text, separator)
{
  parts = pf_split(text, separator);
  numbers = array(0, numberof(parts));
  if (sum(sread(parts, numbers)) != numberof(parts)) error, text+": not numbers";
  return numbers;
}

func pf_decompose(ranks)
/* DOCUMENT domains along x, y and z: as equal as possible, the most along z, which is where the light goes. */
{
  best = [];
  for (x=1 ; x<=ranks ; ++x) {
    for (y=x ; x*y*y<=ranks ; ++y) {
      if (ranks % (x*y)) continue;
      shape = [x, y, ranks/(x*y)];
      if (is_void(best) || sum(shape) < sum(best)) best = shape;
    }
  }
  return best;
}

func pf_first(rank)
/* DOCUMENT the first cell of the domain, along x, y and z. */
{
  return [rank % pf_grid(1), rank / pf_grid(1) % pf_grid(2), rank / (pf_grid(1)*pf_grid(2))] * pf_cells;
}

func pf_field(rank, variable, step)
/* DOCUMENT what a variable is in a domain: every cell of every step its own number, exact as a double. */
{
  at = pf_first(rank);
  along = indgen(0:pf_cells-1);
  whole = pf_grid * pf_cells;
  cell = (at(1)+along) + whole(1)*((at(2)+along)(-,) + whole(2)*(at(3)+along)(-,-,));
  return cell + (variable*2.0^40 + step*2.0^30);
}

func pf_set_planes(texts)
/* DOCUMENT sets pf_axis, pf_index and pf_plane (names) from texts like "z0", "x17" and "y-1", the last. */
{
  extern pf_axis, pf_index, pf_plane;
  n = numberof(texts);
  pf_axis = pf_index = array(0, n);
  pf_plane = array(string, n);
  for (i=1 ; i<=n ; ++i) {
    pf_axis(i) = where(["x", "y", "z"] == strpart(texts(i), 1:1))(1);
    last = pf_grid(pf_axis(i)) * pf_cells;
    index = 0;
    sread, strpart(texts(i), 2:), index;
    pf_index(i) = (index + last) % last;
    pf_plane(i) = swrite(format="%s%d", strpart(texts(i), 1:1), pf_index(i));
  }
}

func pf_crossing(rank)
/* DOCUMENT the numbers of the planes that cross the domain, or []. */
{
  local_index = pf_index - pf_first(rank)(pf_axis);
  list = where((local_index >= 0) & (local_index < pf_cells));
  return numberof(list) ? list : [];
}

func pf_piece(plane, rank, field)
/* DOCUMENT the part of a plane that crosses the domain. */
{
  i = pf_index(plane) - pf_first(rank)(pf_axis(plane)) + 1;
  if (pf_axis(plane) == 1) return field(i,,);
  if (pf_axis(plane) == 2) return field(,i,);
  return field(,,i);
}

func pf_whole(plane)
/* DOCUMENT room for a plane, filled with what is in no cell. */
{
  sides = pf_grid * pf_cells;
  sides = sides(where(indgen(3) != pf_axis(plane)));
  return array(-1.0, sides(1), sides(2));
}

func pf_place(plane, rank, &whole, piece)
/* DOCUMENT puts a domain's piece into a plane. */
{
  at = pf_first(rank);
  at = at(where(indgen(3) != pf_axis(plane)));
  whole(at(1)+1:at(1)+pf_cells, at(2)+1:at(2)+pf_cells) = piece;
}

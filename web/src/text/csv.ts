/** Rows as comma-separated values (RFC 4180), lines ending in "\n". */

export function csv(rows: Iterable<readonly string[]>): string {
  const lines: string[] = [];
  for (const row of rows) lines.push(row.map(cell).join(","));
  return lines.join("\n") + "\n";
}

function cell(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Moments given in nanoseconds since 1970. */

export function utc(nanoseconds: number | null): string | null {
  const date = moment(nanoseconds);
  return date && `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** In the reader's own time zone, named. */
export function local(nanoseconds: number | null): string | null {
  const date = moment(nanoseconds);
  if (!date) return null;
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const zone = new Intl.DateTimeFormat("en", { timeZoneName: "short" })
    .formatToParts(date)
    .find((part) => part.type === "timeZoneName");
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())} ${zone?.value ?? ""}`.trim();
}

function moment(nanoseconds: number | null): Date | null {
  if (nanoseconds === null) return null;
  const date = new Date(nanoseconds / 1e6);
  return Number.isNaN(date.getTime()) ? null : date;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** Of seconds since 1970; what is not known is a dash. */
export function clockUtc(seconds: number): string {
  return utc(Number.isNaN(seconds) ? null : seconds * 1e9) ?? "–";
}

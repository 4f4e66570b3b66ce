/**
 * A Vite plugin that makes the page one file: script and style stand inside it, and a policy in its head forbids every
 * access to a network. The script runs by its checksum alone, so nothing that data might smuggle in could run.
 */
import { createHash } from "node:crypto";
import type { Plugin } from "vite";

/** What Python fills, with the data and with the job's name (python/headrace/reports/html.py). */
const PLACES = ['<script id="headrace-data" type="application/octet-stream"></script>', "<title>Headrace</title>"];

export function singleFile(): Plugin {
  return {
    name: "headrace-single-file",
    enforce: "post",
    apply: "build",
    generateBundle(_, bundle) {
      const page = Object.values(bundle).find((file) => file.fileName.endsWith(".html"));
      if (page?.type !== "asset") throw new Error("the build made no page");
      let script = "";
      let style = "";
      for (const [name, file] of Object.entries(bundle)) {
        if (file === page) continue;
        if (file.type === "chunk") script += file.code;
        else if (name.endsWith(".css")) style += file.source.toString();
        else throw new Error(`${name}: only scripts and styles have a place in the page`);
        delete bundle[name];
      }
      page.source = inline(page.source.toString(), script, style);
    },
  };
}

/** The page with its script and style inside, instead of references to them. */
export function inline(page: string, script: string, style: string): string {
  // Both sequences would end or change the parsing of a script element; in a script they only occur in strings.
  const code = script.trim().replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "\\x3C!--");
  if (/<\/style/i.test(style)) throw new Error("the style would end its own element");
  const checksum = createHash("sha256").update(code, "utf8").digest("base64");
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${checksum}'`,
    "style-src 'unsafe-inline'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const bare = page
    .replace(/\s*<script\b[^>]*\bsrc="[^"]*"[^>]*><\/script>/g, "")
    .replace(/\s*<link\b[^>]*\brel="(?:stylesheet|modulepreload)"[^>]*>/g, "");
  const head = `<meta http-equiv="Content-Security-Policy" content="${policy}">\n<style>${style.trim()}</style>\n`;
  // Functions: a "$" in the code must not be taken for a reference to the match.
  const whole = bare
    .replace("</head>", () => `${head}</head>`)
    .replace("</body>", () => `<script type="module">${code}</script>\n</body>`);
  for (const part of [...PLACES, policy, code]) {
    if (whole.split(part).length !== 2) throw new Error(`the page must hold exactly once: ${part.slice(0, 60)}`);
  }
  return whole;
}

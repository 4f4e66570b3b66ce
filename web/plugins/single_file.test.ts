import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { inline } from "./single_file";

const PAGE = `<html><head><title>Headrace</title><link rel="stylesheet" href="./a.css"><script type="module" src="./a.js"></script></head>
<body><script id="headrace-data" type="application/octet-stream"></script>
</body></html>`;

test("script and style stand in the page, and only that script may run", () => {
  const page = inline(PAGE, "const a = '$&</script><!--';", "p { color: red }");
  expect(page).not.toMatch(/src=|href=/);
  const code = /<script type="module">(.*)<\/script>\n<\/body>/s.exec(page)?.[1] ?? "";
  expect(code).toBe("const a = '$&<\\/script>\\x3C!--';");
  expect(page).toContain(`script-src 'sha256-${createHash("sha256").update(code).digest("base64")}'`);
  expect(page).toContain("default-src 'none'");
});

test("a page without a place for the data is refused", () => {
  expect(() => inline(PAGE.replace("headrace-data", "other"), "a", "b")).toThrow("exactly once");
  expect(() => inline(PAGE, "a", "</style>")).toThrow("style");
});

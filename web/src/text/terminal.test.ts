import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { printable } from "./printable";
import { duration, exactSize, number, percent, size } from "./units";

// Written by tests/web/test_wording.py from the terminal's own functions.
const wording = JSON.parse(readFileSync(new URL("./terminal.json", import.meta.url), "utf8")) as Record<string, [never, string][]>;

const functions: Record<string, (given: never) => string> = { duration, exactSize, number, percent, printable, size };

test.each(Object.keys(wording))("%s says what the terminal says", (name) => {
  const say = functions[name];
  expect(wording[name].map(([given]) => say(given))).toEqual(wording[name].map(([, text]) => text));
});

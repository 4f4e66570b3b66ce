/** Buttons that copy a table as CSV, or save it; where the clipboard is refused, the table becomes a file to keep. */
import { h } from "../ui/dom";

export function copyButton(name: string, text: () => string): HTMLElement {
  const button = h("button", { type: "button", class: "tool copy" }, "Copy as CSV");
  const say = (words: string) => {
    button.textContent = words;
    setTimeout(() => (button.textContent = "Copy as CSV"), 2000);
  };
  button.addEventListener("click", () => {
    const content = text();
    const write = navigator.clipboard?.writeText(content) ?? Promise.reject(new Error("no clipboard"));
    write.then(
      () => say("Copied"),
      () => {
        download(`${name}.csv`, content);
        say("Saved as a file");
      },
    );
  });
  return button;
}

/** Saves a table as a file. */
export function saveButton(name: string, text: () => string): HTMLElement {
  return h("button", { type: "button", class: "tool", onclick: () => download(`${name}.csv`, text()) }, "Save as CSV");
}

function download(name: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: "text/csv;charset=utf-8" }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

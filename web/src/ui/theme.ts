/** Light or dark: as the system says, until the reader chooses. Charts take their colours from the style sheet. */
import { h } from "./dom";

const KEY = "headrace-theme";
const listeners = new Set<() => void>();

type Theme = "light" | "dark";

export function onTheme(listener: () => void): void {
  listeners.add(listener);
}

/** The value of a custom property of the style sheet, such as "--read". */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function themeButton(): HTMLElement {
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = remembered();
  const button = h("button", { type: "button", id: "theme", class: "plain" });
  const apply = () => {
    const theme = chosen ?? (system.matches ? "dark" : "light");
    document.documentElement.dataset.theme = theme;
    const other = theme === "dark" ? "Light" : "Dark";
    button.textContent = theme === "dark" ? "☀" : "☾";
    button.setAttribute("aria-label", `${other} colours`);
    button.title = `${other} colours`;
    for (const listener of listeners) listener();
  };
  button.addEventListener("click", () => {
    chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    remember(chosen);
    apply();
  });
  system.addEventListener("change", apply);
  apply();
  return button;
}

// A browser may refuse storage to a file, by an exception at the mere mention of it.
function remembered(): Theme | null {
  try {
    const theme = localStorage.getItem(KEY);
    return theme === "light" || theme === "dark" ? theme : null;
  } catch {
    return null;
  }
}

function remember(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // It holds until the page is closed then.
  }
}

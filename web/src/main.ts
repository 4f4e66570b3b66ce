/** Opens the report: the shell is painted first, then the data is unpacked and the page of its kind is built. */
import "./style/page.css";
import { diffPage } from "./diff/page";
import { jobPage } from "./job/page";
import { type Payload, PayloadError, readPayload } from "./payload/decode";
import { paperPage } from "./paper/page";
import { phasesPage } from "./phases/page";
import { scalingPage } from "./scaling/page";
import { studyPage } from "./study/page";
import { h } from "./ui/dom";
import { themeButton } from "./ui/theme";
import { startTooltips } from "./ui/tooltip";

/** The page for each kind of data; facts.kind chooses. */
const PAGES: Record<string, (payload: Payload, main: HTMLElement, navigation: HTMLElement) => void> = {
  job: jobPage,
  diff: diffPage,
  scaling: scalingPage,
  phases: phasesPage,
  paper: paperPage,
  study: studyPage,
};

async function open(): Promise<void> {
  const main = document.querySelector("main")!;
  document.querySelector("#bar")!.append(themeButton());
  startTooltips();
  await painted();
  try {
    const data = document.querySelector("#headrace-data");
    if (!data?.textContent) throw new PayloadError("This page has no data: it is the template of the reports that 'headrace report' makes.");
    const payload = await readPayload(data.textContent);
    data.remove(); // some megabytes of text that nobody needs any more
    const page = PAGES[payload.kind];
    if (!page) throw new PayloadError(`This page cannot show data of kind "${payload.kind}".`);
    main.replaceChildren();
    page(payload, main, document.querySelector<HTMLElement>("#sections")!);
    main.dataset.ready = "";
  } catch (error) {
    if (!(error instanceof PayloadError)) console.error(error);
    const text = error instanceof PayloadError ? error.message : `The report cannot be shown: ${String(error)}`;
    main.replaceChildren(h("h1", {}, "No report"), h("p", { class: "bad" }, text));
  } finally {
    main.removeAttribute("aria-busy");
  }
}

/** After the shell is on the screen; in a tab that is not shown, nothing is ever painted. */
function painted(): Promise<void> {
  if (document.hidden) return Promise.resolve();
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

void open();

/** The page of one job: its header, its big figures, then a section a subject. */
import type { Payload } from "../payload/decode";
import { addSections } from "../ui/section";
import { setDefinitions } from "../ui/value";
import type { JobFacts } from "./facts";
import { figures } from "./figures";
import { header } from "./header";

export function jobPage(payload: Payload, main: HTMLElement, navigation: HTMLElement): void {
  const facts = payload.facts as JobFacts;
  setDefinitions(facts.definitions);
  main.append(header(facts), figures(facts));
  addSections(main, navigation, []);
}

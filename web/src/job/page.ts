/** The page of one job: its header, its big figures, then a section a subject. */
import type { Payload } from "../payload/decode";
import { addSections } from "../ui/section";
import { setDefinitions } from "../ui/value";
import { code } from "./code";
import { directories } from "./directories";
import type { JobFacts } from "./facts";
import { figures } from "./figures";
import { type ShowBelow, files } from "./files";
import { glossary } from "./glossary";
import { header } from "./header";
import { libraries } from "./libraries";
import { meanwhile } from "./meanwhile";
import { missing } from "./missing";
import { mpiFiles } from "./mpi_files";
import { overTime } from "./over_time";
import { processes } from "./processes";
import { ranks } from "./ranks";
import { sizes } from "./sizes";
import { time } from "./time";
import { unfinished, unfinishedThreads } from "./unfinished";

export function jobPage(payload: Payload, main: HTMLElement, navigation: HTMLElement): void {
  const facts = payload.facts as JobFacts;
  const { tables } = payload;
  setDefinitions(facts.definitions);
  main.append(header(facts), figures(facts));
  let showBelow: ShowBelow = () => 0;
  addSections(main, navigation, [
    ...(unfinishedThreads(facts).length ? [{ id: "unfinished", title: "Hung", build: (body: HTMLElement) => unfinished(facts, body), first: true }] : []),
    { id: "time", title: "Time", build: (body) => time(facts, body), first: true },
    { id: "over-time", title: "Over time", build: (body) => overTime(facts, body) },
    ...(facts.meanwhile ? [{ id: "meanwhile", title: "Meanwhile", build: (body: HTMLElement) => meanwhile(facts, body) }] : []),
    ...(facts.parallel && tables.ranks
      ? [{ id: "ranks", title: "Ranks", build: (body: HTMLElement) => ranks(facts, tables.ranks, tables.heat, body) }]
      : []),
    ...(facts.libraries ? [{ id: "libraries", title: "Libraries", build: (body: HTMLElement) => libraries(facts, body) }] : []),
    {
      id: "files",
      title: "Files",
      build: (body) => {
        showBelow = files(facts, tables.files, body);
        mpiFiles(facts, body);
      },
    },
    ...(facts.sites.length ? [{ id: "code", title: "Code", build: (body: HTMLElement) => code(facts, body) }] : []),
    { id: "sizes", title: "Sizes", build: (body) => sizes(facts, body) },
    { id: "directories", title: "Directories", build: (body) => directories(facts, (path) => showBelow(path), body) },
    { id: "processes", title: "Processes", build: (body) => processes(facts, tables.processes, body) },
    { id: "missing", title: "Not captured", build: (body) => missing(facts, body) },
    { id: "definitions", title: "Definitions", build: (body) => glossary(facts, body) },
  ]);
}

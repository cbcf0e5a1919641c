// Which fixes the list shows, in which order, under which headings.
import { KINDS, NAMES, gain, larger } from "./gain";
import type { Choice, Document, Fix } from "./types";

export type Grouping = "codemod" | "file" | "gain";
export const GROUPINGS: Grouping[] = ["codemod", "file", "gain"];
export type Filter = "certain" | "proven" | "held" | "open";
export const FILTERS: [Filter, string][] = [
  ["certain", "Certain"],
  ["proven", "Proven"],
  ["held", "Held"],
  ["open", "Open"],
];

export interface Heading {
  kind: "heading";
  name: string;
  fixes: number[];
  open: boolean;
  place: number;
  of: number;
}
export interface Entry {
  kind: "fix";
  fix: number;
  place: number;
  of: number;
}
export type Item = Heading | Entry;

export interface Wish {
  grouping: Grouping;
  filters: Filter[];
  text: string;
  closed: string[];
}

export function isProven(fix: Fix): boolean {
  return fix.proof?.verdict === "proven";
}

export function isTaken(fix: Fix): boolean {
  return fix.safety !== "display-only";
}

export function passes(fix: Fix, choice: Choice | null, filter: Filter): boolean {
  switch (filter) {
    case "certain":
      return fix.confidence !== "possible";
    case "proven":
      return isProven(fix);
    case "held":
      return fix.held !== null;
    case "open":
      return choice === null;
  }
}

export function items(doc: Document, choices: (Choice | null)[], wish: Wish): Item[] {
  const groups = new Map<string, number[]>();
  const wanted = wish.text.toLowerCase().split(/\s+/).filter(Boolean);
  doc.fixes.forEach((fix, number) => {
    const path = doc.files[fix.file]!.path;
    const text = `${path} ${fix.codemod} ${fix.title} ${fix.message} ${fix.function}`.toLowerCase();
    if (!wanted.every((word) => text.includes(word))) return;
    if (!wish.filters.every((filter) => passes(fix, choices[number] ?? null, filter))) return;
    const name = wish.grouping === "codemod" ? fix.codemod : wish.grouping === "file" ? path : NAMES[gain(fix).kind];
    const group = groups.get(name);
    if (group) group.push(number);
    else groups.set(name, [number]);
  });
  const found: Item[] = [];
  ordered(doc, groups, wish.grouping).forEach(([name, fixes], place) => {
    const open = !wish.closed.includes(name);
    found.push({ kind: "heading", name, fixes, open, place: place + 1, of: groups.size });
    if (open) fixes.forEach((fix, index) => found.push({ kind: "fix", fix, place: index + 1, of: fixes.length }));
  });
  return found;
}

function ordered(doc: Document, groups: Map<string, number[]>, grouping: Grouping): [string, number[]][] {
  if (grouping !== "gain") return [...groups];
  const by = (one: number, other: number) => larger(gain(doc.fixes[one]!), gain(doc.fixes[other]!));
  return KINDS.flatMap((kind) => {
    const fixes = groups.get(NAMES[kind]);
    return fixes ? [[NAMES[kind], fixes.sort(by)] as [string, number[]]] : [];
  });
}

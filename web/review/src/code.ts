// Python in colours, and two texts side by side with the changed words marked.
import { diffWordsWithSpace } from "diff";
import { parser } from "@lezer/python";
import { classHighlighter, highlightTree } from "@lezer/highlight";
import type { Change } from "./types";

export interface Token {
  text: string;
  kind: string;
  marked: boolean;
}

export interface Line {
  number: number;
  tokens: Token[];
}

export type Row =
  | { kind: "same"; old: Line; new: Line }
  | { kind: "changed"; old: Line | null; new: Line | null }
  | { kind: "gap"; from: number; lines: number };

const CONTEXT = 3;

export function lines(text: string): string[] {
  const found = text.split(/\r\n|\n|\r/);
  if (found.at(-1) === "") found.pop();
  return found;
}

export function applied(text: string[], changes: Change[]): string[] {
  const made: string[] = [];
  let position = 0;
  for (const [start, removed, added] of changes) {
    made.push(...text.slice(position, start), ...added);
    position = start + removed;
  }
  return [...made, ...text.slice(position)];
}

export function rows(text: string, changes: Change[], isWhole: boolean): Row[] {
  const old = lines(text);
  const fresh = applied(old, changes);
  const paintedOld = painted(old);
  const paintedNew = painted(fresh);
  const found: Row[] = [];
  let shift = 0;
  let position = 0;
  const same = (from: number, to: number) => {
    for (let at = from; at < to; at++) found.push({ kind: "same", old: paintedOld(at), new: paintedNew(at + shift) });
  };
  changes.forEach(([start, removed, added], index) => {
    const begin = isWhole ? position : Math.max(position, start - CONTEXT);
    if (begin > position) found.push({ kind: "gap", from: position + 1, lines: begin - position });
    same(begin, start);
    for (const [left, right] of paired(old.slice(start, start + removed), added)) {
      const a = left === null ? null : paintedOld(start + left);
      const b = right === null ? null : paintedNew(start + shift + right);
      found.push({ kind: "changed", old: a, new: b });
      if (a && b) mark(a, b);
    }
    shift += added.length - removed;
    position = start + removed;
    const next = changes[index + 1]?.[0] ?? old.length;
    const end = isWhole ? next : Math.min(next, position + CONTEXT);
    same(position, end);
    position = end;
  });
  if (position < old.length) {
    if (isWhole) same(position, old.length);
    else found.push({ kind: "gap", from: position + 1, lines: old.length - position });
  }
  return found;
}

function painted(text: string[]): (index: number) => Line {
  const joined = text.join("\n");
  const spans: [number, number, string][] = [];
  highlightTree(parser.parse(joined), classHighlighter, (from, to, classes) => spans.push([from, to, classes]));
  const starts: number[] = [];
  let offset = 0;
  for (const line of text) {
    starts.push(offset);
    offset += line.length + 1;
  }
  return (index) => {
    const from = starts[index] ?? 0;
    const to = from + (text[index]?.length ?? 0);
    const tokens: Token[] = [];
    let at = from;
    for (let i = firstEndingAfter(spans, from); i < spans.length; i++) {
      const [start, end, kind] = spans[i]!;
      if (start >= to) break;
      const [low, high] = [Math.max(start, from), Math.min(end, to)];
      if (low > at) tokens.push({ text: joined.slice(at, low), kind: "", marked: false });
      if (high > low) tokens.push({ text: joined.slice(low, high), kind, marked: false });
      at = Math.max(at, high);
    }
    if (at < to) tokens.push({ text: joined.slice(at, to), kind: "", marked: false });
    return { number: index + 1, tokens };
  };
}

function firstEndingAfter(spans: [number, number, string][], offset: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle]![1] > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

// Which line became which: the pairs that are alike, in order; the others stand alone.
function paired(old: string[], fresh: string[]): [number | null, number | null][] {
  if (old.length * fresh.length > 4000) return beside(0, old.length, 0, fresh.length);
  const best = Array.from({ length: old.length + 1 }, () => new Float64Array(fresh.length + 1));
  const alike = old.map((a) => fresh.map((b) => likeness(a, b)));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = fresh.length - 1; j >= 0; j--) {
      const score = alike[i]![j]!;
      const taken = score > 0.4 ? score + best[i + 1]![j + 1]! : 0;
      best[i]![j] = Math.max(taken, best[i + 1]![j]!, best[i]![j + 1]!);
    }
  }
  const found: [number | null, number | null][] = [];
  let [i, j, fromI, fromJ] = [0, 0, 0, 0];
  while (i < old.length && j < fresh.length) {
    const score = alike[i]![j]!;
    if (score > 0.4 && best[i]![j] === score + best[i + 1]![j + 1]!) {
      found.push(...alone(fromI, i, fromJ, j), [i, j]);
      [i, j] = [i + 1, j + 1];
      [fromI, fromJ] = [i, j];
    } else if (best[i]![j] === best[i + 1]![j]) i++;
    else j++;
  }
  return [...found, ...alone(fromI, old.length, fromJ, fresh.length)];
}

function alone(fromI: number, toI: number, fromJ: number, toJ: number): [number | null, number | null][] {
  const found: [number | null, number | null][] = [];
  for (let i = fromI; i < toI; i++) found.push([i, null]);
  for (let j = fromJ; j < toJ; j++) found.push([null, j]);
  return found;
}

function beside(fromI: number, toI: number, fromJ: number, toJ: number): [number | null, number | null][] {
  const count = Math.max(toI - fromI, toJ - fromJ);
  return Array.from({ length: count }, (_, n) => [fromI + n < toI ? fromI + n : null, fromJ + n < toJ ? fromJ + n : null]);
}

function likeness(a: string, b: string): number {
  if (a.trim() === b.trim()) return a.trim() === "" ? 0.5 : 1;
  const words = (text: string) => text.match(/\w+|[^\w\s]/g) ?? [];
  const left = new Map<string, number>();
  const [old, fresh] = [words(a), words(b)];
  for (const word of old) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of fresh) {
    const number = left.get(word) ?? 0;
    if (number > 0) {
      common++;
      left.set(word, number - 1);
    }
  }
  return (2 * common) / (old.length + fresh.length || 1);
}

function mark(old: Line, fresh: Line): void {
  const text = (line: Line) => line.tokens.map((token) => token.text).join("");
  const parts = diffWordsWithSpace(text(old), text(fresh));
  old.tokens = cut(old.tokens, ranges(parts, "removed"));
  fresh.tokens = cut(fresh.tokens, ranges(parts, "added"));
}

type Part = { value: string; added?: boolean; removed?: boolean };

function ranges(parts: Part[], wanted: "added" | "removed"): [number, number][] {
  const other = wanted === "added" ? "removed" : "added";
  const found: [number, number][] = [];
  let at = 0;
  for (const part of parts) {
    if (part[other]) continue;
    if (part[wanted]) found.push([at, at + part.value.length]);
    at += part.value.length;
  }
  return found;
}

function cut(tokens: Token[], marked: [number, number][]): Token[] {
  const edges = marked.flat();
  const made: Token[] = [];
  let at = 0;
  for (const token of tokens) {
    const end = at + token.text.length;
    const stops = [at, ...edges.filter((edge) => edge > at && edge < end), end];
    for (let i = 0; i + 1 < stops.length; i++) {
      const [from, to] = [stops[i]!, stops[i + 1]!];
      const isIn = marked.some(([low, high]) => low <= from && to <= high);
      made.push({ text: token.text.slice(from - at, to - at), kind: token.kind, marked: isIn });
    }
    at = end;
  }
  return made;
}

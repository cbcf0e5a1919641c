// What a rerun has shown that a fix gains: in a few words, and as a number to sort by.
import type { Comparison, Fix, Receipt } from "./types";

export interface Gain {
  words: string;
  kind: "every step" | "compiles" | "memory" | "nothing" | "unknown";
  size: number;
}

const NOTHING: Gain = { words: "", kind: "nothing", size: 0 };
const UNKNOWN: Gain = { words: "", kind: "unknown", size: 0 };
const MEGABYTE = 1e6;
const LEAST_BYTES = 10 * MEGABYTE;
export const KINDS: Gain["kind"][] = ["every step", "compiles", "memory", "nothing", "unknown"];
export const NAMES: Record<Gain["kind"], string> = {
  "every step": "Fewer compiles at every step",
  compiles: "Fewer compiles",
  memory: "Less memory",
  nothing: "Nothing gained",
  unknown: "Not measured",
};

/** The largest gain of its cases; an earlier rerun counts where there is none now. */
export function gain(fix: Fix): Gain {
  const receipt = fix.proof ?? fix.past;
  return receipt ? best(receipt) : UNKNOWN;
}

function best(receipt: Receipt): Gain {
  if (receipt.verdict !== "proven") return receipt.verdict === "no effect" ? NOTHING : UNKNOWN;
  const found = receipt.comparisons.filter((entry) => entry.verdict === "proven").map(of);
  return found.sort(larger)[0] ?? UNKNOWN;
}

export function larger(one: Gain, other: Gain): number {
  return KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind) || other.size - one.size;
}

function of({ before, after }: Comparison): Gain {
  const each = before.steady_compiles - after.steady_compiles;
  if (each > 0) return { words: `${before.steady_compiles} → ${after.steady_compiles} a step`, kind: "every step", size: each };
  const all = before.compiles - after.compiles;
  if (all > 0) return { words: `${before.compiles} → ${after.compiles} compiles`, kind: "compiles", size: all };
  const bytes = before.peak_bytes - after.peak_bytes;
  if (bytes > LEAST_BYTES) return { words: `−${Math.round(bytes / MEGABYTE)} MB`, kind: "memory", size: bytes };
  return NOTHING;
}

// What this proof tried of this fix, and what it left open.
import type { Comparison, Receipt } from "./types";
import { Words, counted } from "./words";

export function Tried({ receipt }: { receipt: Receipt }) {
  const cases = receipt.comparisons;
  if (!cases.length) return null;
  const beside = cases.reduce((sum, entry) => sum + entry.beside, 0);
  const left = [...new Set(cases.flatMap((entry) => entry.untried ?? []))];
  return (
    <div class="tried">
      <h4>What this proof tried</h4>
      <ul>
        <li>
          {counted(cases.length, "case")}: {named(cases)}
        </li>
        <li>{beside ? `${counted(beside, "call")} of the original next to the rewritten function, also with other data: equal` : "no call of the original next to the rewritten function"}</li>
        {levels(cases).map((level) => (
          <li>
            results: <Words text={level} />
          </li>
        ))}
        {left.map((words) => (
          <li class="left">
            not tried: <Words text={words} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function named(cases: Comparison[]) {
  const shown = cases.slice(0, 3).map((entry) => entry.case);
  const more = cases.length - shown.length;
  return shown.join("; ") + (more > 0 ? `; and ${more} more` : "");
}

function levels(cases: Comparison[]): string[] {
  return [...new Set(cases.flatMap((entry) => (entry.level ? [entry.level] : [])))];
}

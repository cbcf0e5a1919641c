// One change of a file, side by side, or in one column where there is no room or a person likes it better.
import { useEffect, useMemo, useState } from "preact/hooks";
import { type Line, type Row, rows } from "./code";
import { useRemembered } from "./remembered";
import type { Change } from "./types";
import { counted } from "./words";

const narrow = matchMedia("(max-width: 900px)");

export function Diff({ path, text, changes, label }: { path: string; text: string; changes: Change[]; label: string }) {
  const [isWhole, setWhole] = useState(false);
  const [isNarrow, setNarrow] = useState(narrow.matches);
  const [layout, setLayout] = useRemembered<"split" | "unified">("diff", "split");
  const isUnified = isNarrow || layout === "unified";
  useEffect(() => {
    const changed = () => setNarrow(narrow.matches);
    narrow.addEventListener("change", changed);
    return () => narrow.removeEventListener("change", changed);
  }, []);
  useEffect(() => setWhole(false), [path, changes]);
  const found = useMemo(() => rows(text, changes, isWhole), [text, changes, isWhole]);
  return (
    <div class="diff" role="region" aria-label={label} tabIndex={0}>
      <div class="name">
        <span class="path">{path}</span>
        <span class="grow" />
        {isNarrow ? null : (
          <span class="switch" role="group" aria-label="layout of the diff">
            {(["split", "unified"] as const).map((name) => (
              <button type="button" aria-pressed={layout === name} onClick={() => setLayout(name)}>
                {name === "split" ? "Split" : "Unified"}
              </button>
            ))}
          </span>
        )}
        <button type="button" class="quiet" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Only what changes" : "Whole file"}
        </button>
      </div>
      <div class="scroll">
        <table class={isUnified ? "unified" : "split"}>
          <caption class="sr">{label}</caption>
          <colgroup>{(isUnified ? ["number", "number", ""] : ["number", "", "number", ""]).map((kind) => <col class={kind} />)}</colgroup>
          <thead class="sr">
            <tr>{(isUnified ? ["line before", "line after", "code"] : ["line", "before", "line", "after"]).map((name) => <th scope="col">{name}</th>)}</tr>
          </thead>
          <tbody>{isUnified ? unified(found, () => setWhole(true)) : split(found, () => setWhole(true))}</tbody>
        </table>
      </div>
    </div>
  );
}

function Gap({ row, columns, open }: { row: Row & { kind: "gap" }; columns: number; open: () => void }) {
  return (
    <tr class="gap">
      <td colSpan={columns}>
        <button type="button" class="quiet" onClick={open}>
          {counted(row.lines, "line")} unchanged
        </button>
      </td>
    </tr>
  );
}

function split(found: Row[], open: () => void) {
  return found.map((row) =>
    row.kind === "gap" ? (
      <Gap row={row} columns={4} open={open} />
    ) : (
      <tr>
        <Side line={row.old} kind={row.kind === "same" ? "" : "old"} />
        <Side line={row.new} kind={row.kind === "same" ? "" : "new"} />
      </tr>
    ),
  );
}

function Side({ line, kind }: { line: Line | null; kind: string }) {
  if (!line)
    return (
      <>
        <td class="number none" />
        <td class="code none" />
      </>
    );
  return (
    <>
      <td class={`number ${kind}`}>{line.number}</td>
      <td class={`code ${kind}`} style={hanging(line)}>
        <Code line={line} kind={kind} />
      </td>
    </>
  );
}

function unified(found: Row[], open: () => void) {
  const made = [];
  for (let at = 0; at < found.length; ) {
    const row = found[at]!;
    if (row.kind === "gap") {
      made.push(<Gap row={row} columns={3} open={open} />);
      at++;
    } else if (row.kind === "same") {
      made.push(<One old={row.old} fresh={row.new} line={row.new} kind="" />);
      at++;
    } else {
      const block: (Row & { kind: "changed" })[] = [];
      for (let next = found[at]; next?.kind === "changed"; next = found[++at]) block.push(next);
      for (const { old } of block) if (old) made.push(<One old={old} fresh={null} line={old} kind="old" />);
      for (const { new: fresh } of block) if (fresh) made.push(<One old={null} fresh={fresh} line={fresh} kind="new" />);
    }
  }
  return made;
}

function One({ old, fresh, line, kind }: { old: Line | null; fresh: Line | null; line: Line; kind: string }) {
  return (
    <tr>
      <td class={`number ${kind}`}>{old?.number}</td>
      <td class={`number ${kind}`}>{fresh?.number}</td>
      <td class={`code ${kind}`} style={hanging(line)}>
        <Code line={line} kind={kind} />
      </td>
    </tr>
  );
}

// A line that is wrapped goes on two columns behind where its code begins.
function hanging(line: Line) {
  const text = line.tokens.map((token) => token.text).join("");
  const columns = text.search(/\S|$/) + 2;
  return { paddingLeft: `calc(1.6em + ${columns}ch)`, textIndent: `calc(-1.6em - ${columns}ch)` };
}

function Code({ line, kind }: { line: Line; kind: string }) {
  const Marked = kind === "old" ? "del" : "ins";
  const tokens = line.tokens.map((token) => {
    const text = shown(token.text);
    return token.marked ? <Marked class={token.kind}>{text}</Marked> : token.kind ? <span class={token.kind}>{text}</span> : text;
  });
  return (
    <>
      <span class="sign">
        <span aria-hidden="true">{kind === "old" ? "−" : kind === "new" ? "+" : " "}</span>
        {kind ? <span class="sr">{kind === "old" ? "removed: " : "added: "}</span> : null}
      </span>
      {tokens}
    </>
  );
}

// What makes a line look like another than it is: control characters, and those that turn the direction of writing.
const HIDDEN = /([\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff])/;

function shown(text: string) {
  if (!HIDDEN.test(text)) return text;
  return text.split(HIDDEN).map((part) =>
    HIDDEN.test(part) ? <span class="hidden-character">{`U+${part.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`}</span> : part,
  );
}

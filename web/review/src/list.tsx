// The files and fixes: a tree of which only what is in sight is in the page.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Choice, Document, Fix } from "./types";
import { gain } from "./gain";
import { isProven, type Item } from "./shown";
import { Words } from "./words";

const HEADING = 38;
const ENTRY = 58;
const AROUND = 6;

interface Props {
  doc: Document;
  choices: (Choice | null)[];
  items: Item[];
  active: number;
  grouping: string;
  onActive: (index: number) => void;
  onOpen: (index: number) => void;
  onToggle: (name: string) => void;
}

export function List({ doc, choices, items, active, grouping, onActive, onOpen, onToggle }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const tops = useMemo(() => {
    const found = [0];
    for (const item of items) found.push(found.at(-1)! + (item.kind === "heading" ? HEADING : ENTRY));
    return found;
  }, [items]);

  useLayoutEffect(() => {
    const element = box.current!;
    let waiting = 0;
    const measure = () => {
      waiting = 0;
      setView({ top: element.scrollTop, height: element.clientHeight });
    };
    const later = () => (waiting ||= requestAnimationFrame(measure));
    const observer = new ResizeObserver(later);
    observer.observe(element);
    element.addEventListener("scroll", later, { passive: true });
    measure();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", later);
    };
  }, []);

  useEffect(() => {
    const element = box.current!;
    const [top, bottom] = [tops[active], tops[active + 1]];
    if (top === undefined || bottom === undefined || element.clientHeight === 0) return;
    const margin = items[active - 1]?.kind === "heading" ? HEADING : 0;
    if (top - margin < element.scrollTop) element.scrollTop = top - margin;
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
  }, [active, tops]);

  const first = Math.max(0, at(tops, view.top) - AROUND);
  const last = Math.min(items.length, at(tops, view.top + view.height) + AROUND + 1);
  const seen = Array.from({ length: Math.max(0, last - first) }, (_, n) => first + n);
  if (active >= 0 && active < items.length && (active < first || active >= last)) seen.push(active);

  const keys = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const item = items[active];
    const go = (index: number) => onActive(Math.max(0, Math.min(items.length - 1, index)));
    const page = Math.max(1, Math.floor(view.height / ENTRY) - 1);
    const moves: Record<string, () => void> = {
      ArrowDown: () => go(active + 1),
      ArrowUp: () => go(active - 1),
      PageDown: () => go(active + page),
      PageUp: () => go(active - page),
      Home: () => go(0),
      End: () => go(items.length - 1),
      Enter: () => (item?.kind === "heading" ? onToggle(item.name) : onOpen(active)),
      " ": () => (item?.kind === "heading" ? onToggle(item.name) : onOpen(active)),
      ArrowLeft: () => {
        if (item?.kind === "heading" && item.open) onToggle(item.name);
        else if (item?.kind === "fix") go(items.findLastIndex((other, index) => index < active && other.kind === "heading"));
      },
      ArrowRight: () => {
        if (item?.kind === "heading") item.open ? go(active + 1) : onToggle(item.name);
      },
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  };

  const name = (index: number) => {
    const item = items[index];
    return item ? `item-${item.kind === "heading" ? `h-${item.place}` : item.fix}` : undefined;
  };

  return (
    <div
      ref={box}
      id="list"
      class="list"
      role="tree"
      tabIndex={0}
      aria-label={`fixes by ${grouping}`}
      aria-activedescendant={items.length ? name(active) : undefined}
      onKeyDown={keys}
    >
      {items.length === 0 ? (
        <div role="treeitem" class="nothing">
          {doc.fixes.length ? "No fix matches these filters." : "Nothing to fix."}
        </div>
      ) : null}
      <div class="spacer" role="presentation" style={{ height: `${tops.at(-1)}px` }}>
        {seen.map((index) => {
          const item = items[index]!;
          const place = { id: name(index), style: { transform: `translateY(${tops[index]}px)` }, "aria-selected": index === active };
          return item.kind === "heading" ? (
            <div
              key={`h-${item.name}`}
              {...place}
              class="heading"
              role="treeitem"
              aria-level={1}
              aria-posinset={item.place}
              aria-setsize={item.of}
              aria-expanded={item.open}
              onClick={() => (onActive(index), onToggle(item.name))}
            >
              <span class="turn" aria-hidden="true">
                {item.open ? "▾" : "▸"}
              </span>
              <span class="name">{item.name}</span>
              <Progress fixes={item.fixes} choices={choices} />
            </div>
          ) : (
            <div
              key={item.fix}
              {...place}
              class="entry"
              role="treeitem"
              aria-level={2}
              aria-posinset={item.place}
              aria-setsize={item.of}
              onClick={() => (onActive(index), onOpen(index))}
            >
              <Mark choice={choices[item.fix] ?? null} />
              <span class="what">
                <span class="title">
                  <Words text={doc.fixes[item.fix]!.title} />
                </span>
                <span class="where">
                  <span class="path">{place_of(doc, doc.fixes[item.fix]!, grouping)}</span>
                  <State fix={doc.fixes[item.fix]!} />
                  <span class="sr">{choices[item.fix] ?? "open"}</span>
                </span>
              </span>
            </div>
          );
        })}
      </div>
    </div>
  );
}

function at(tops: number[], offset: number): number {
  let [low, high] = [0, tops.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tops[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

function place_of(doc: Document, fix: Fix, grouping: string): string {
  const line = fix.cell === null ? `${fix.line}` : `cell ${fix.cell}:${fix.line}`;
  return grouping === "file" ? `${line} · ${fix.codemod}` : `${doc.files[fix.file]!.path}:${line}`;
}

export function status(fix: Fix): [kind: string, words: string] {
  if (isProven(fix)) return ["proven", "proven"];
  if (fix.safety === "display-only") return ["held", "by hand"];
  if (fix.proof) return [fix.proof.verdict === "different" || fix.proof.verdict === "failed" ? "refuted" : "held", fix.proof.verdict];
  if (fix.held === null) return ["safe", "safe"];
  return ["open", "unproven"];
}

function State({ fix }: { fix: Fix }) {
  const [kind, words] = status(fix);
  const gained = gain(fix).words;
  return (
    <span class={`state ${kind}`}>
      {words}
      {gained ? <span class="gain"> {gained}</span> : null}
    </span>
  );
}

export function Mark({ choice }: { choice: Choice | null }) {
  return (
    <span class={`mark ${choice ?? "open"}`} aria-hidden="true">
      {choice === "accepted" ? "✓" : choice === "refused" ? "✕" : ""}
    </span>
  );
}

function Progress({ fixes, choices }: { fixes: number[]; choices: (Choice | null)[] }) {
  const decided = fixes.filter((fix) => choices[fix]).length;
  return (
    <span class="progress">
      {decided ? `${decided}/` : ""}
      {fixes.length}
      <span class="sr"> {decided ? "decided" : "fixes"}</span>
    </span>
  );
}

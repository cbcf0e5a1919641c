// What narrows and orders the list, and takes decisions back.
import type { Ref } from "preact";
import { FILTERS, GROUPINGS, type Wish, passes } from "./shown";
import type { Document, State } from "./types";
import { Key } from "./words";

interface Given {
  doc: Document;
  state: State;
  wish: Wish;
  search: Ref<HTMLInputElement>;
  onWish: (wish: Wish) => void;
  onUndo: () => void;
  onForget: () => void;
}

export function Tools({ doc, state, wish, search, onWish, onUndo, onForget }: Given) {
  return (
    <div class="tools">
      <input
        ref={search}
        type="search"
        placeholder="Search files, codemods, words"
        aria-label="search"
        value={wish.text}
        onInput={(event) => onWish({ ...wish, text: event.currentTarget.value })}
      />
      <div class="row">
        <div class="filters" role="group" aria-label="filters">
          {FILTERS.map(([filter, words]) => {
            const number = doc.fixes.filter((each, n) => passes(each, state.choices[n] ?? null, filter)).length;
            const isOn = wish.filters.includes(filter);
            const filters = isOn ? wish.filters.filter((other) => other !== filter) : [...wish.filters, filter];
            return (
              <button type="button" aria-pressed={isOn} onClick={() => onWish({ ...wish, filters })}>
                {words} <span class="number">{number}</span>
              </button>
            );
          })}
        </div>
      </div>
      <div class="row between">
        <div class="switch" role="group" aria-label="group by">
          {GROUPINGS.map((grouping) => (
            <button type="button" aria-pressed={wish.grouping === grouping} onClick={() => onWish({ ...wish, grouping, closed: [] })}>
              By {grouping}
            </button>
          ))}
        </div>
        {doc.kind === "review" ? (
          <div class="row">
            <button type="button" class="quiet" disabled={!state.can_forget} onClick={onForget} title="drops every decision of what is analysed">
              Forget
            </button>
            <button type="button" class="quiet" disabled={!state.can_undo} onClick={onUndo}>
              Undo <Key>u</Key>
            </button>
          </div>
        ) : null}
      </div>
    </div>
  );
}

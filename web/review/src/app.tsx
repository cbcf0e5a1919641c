import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Refused, api, follow } from "./api";
import { Detail, Nothing } from "./detail";
import { Help, Prove, Write, Wrote } from "./dialogs";
import { List } from "./list";
import { FILTERS, type Item, type Wish, isProven, isTaken, items as listed, passes } from "./shown";
import type { Choice, Document, Plan, State } from "./types";
import { Key, Words, counted } from "./words";

type Open = { kind: "help" } | { kind: "prove" } | { kind: "write"; plan: Plan } | { kind: "wrote" } | null;
type Chosen = { fix: number | null; heading: string | null };
type Theme = "system" | "light" | "dark";

const IDLE: State = {
  revision: 0,
  document: 0,
  choices: [],
  can_undo: false,
  run: { state: "idle", title: "", step: "", done: 0, log: [], message: "", seconds: 0 },
  written: null,
  changed: [],
  problem: null,
};

function remembered<T>(name: string, otherwise: T): T {
  try {
    return (JSON.parse(localStorage.getItem(`jaxfix-${name}`) ?? "null") as T | null) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function useRemembered<T>(name: string, otherwise: T): [T, (value: T) => void] {
  const [value, setValue] = useState(() => remembered(name, otherwise));
  const keep = useCallback((next: T) => {
    setValue(next);
    try {
      localStorage.setItem(`jaxfix-${name}`, JSON.stringify(next));
    } catch {
      // a report opened from a file may have no storage
    }
  }, []);
  return [value, keep];
}

function located(items: Item[], chosen: Chosen): { active: number; fix: number | null } {
  const found = items.findIndex((item) => (item.kind === "fix" ? item.fix === chosen.fix && !chosen.heading : item.name === chosen.heading));
  const active = found >= 0 ? found : items.findIndex((item) => item.kind === "fix");
  const at = items[active];
  return { active, fix: at?.kind === "fix" ? at.fix : null };
}

export function App({ first }: { first: Document }) {
  const isReport = first.kind === "report";
  const [doc, setDoc] = useState(first);
  const [state, setState] = useState<State>({ ...IDLE, document: first.number, choices: first.choices });
  const [wish, setWish] = useRemembered<Wish>(isReport ? "report" : "review", { grouping: "codemod", filters: [], text: "", closed: [] });
  const [theme, setTheme] = useRemembered<Theme>("theme", "system");
  const [keys, setKeys] = useRemembered("keys", true);
  const [chosen, setChosen] = useState<Chosen>({ fix: 0, heading: null });
  const [isReading, setReading] = useState(false);
  const [dialog, setDialog] = useState<Open>(null);
  const [said, setSaid] = useState("");
  const [error, setError] = useState("");
  const [isLost, setLost] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  // Keys may come faster than the page is drawn: each is about what the one before has left.
  const pointed = useRef(chosen);
  const choose = useCallback((next: Chosen) => {
    pointed.current = next;
    setChosen(next);
  }, []);
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const current = useRef(doc);
  current.current = doc;

  const items = useMemo(() => listed(doc, state.choices, wish), [doc, state.choices, wish]);
  const { active, fix } = located(items, chosen);
  const isShown = fix !== null && doc.fixes[fix] !== undefined;

  const refresh = useCallback(async () => {
    const fresh = await api.document();
    const old = current.current;
    const was = pointed.current.fix;
    const before = was === null ? undefined : old.fixes[was];
    const path = before && old.files[before.file]?.path;
    const same = fresh.fixes.findIndex((each) => each.codemod === before?.codemod && each.title === before.title && fresh.files[each.file]?.path === path);
    choose({ fix: same >= 0 ? same : 0, heading: null });
    setDoc(fresh);
    current.current = fresh;
  }, []);

  const take = useCallback(
    async (fresh: State) => {
      if (fresh.document !== current.current.number) await refresh();
      setState((old) => (fresh.revision >= old.revision ? fresh : old));
    },
    [refresh],
  );

  useEffect(() => {
    if (isReport) return;
    follow((fresh) => void take(fresh), setLost).catch((reason: Error) => setError(reason.message));
  }, []);

  useEffect(() => {
    const root = document.documentElement;
    if (theme === "system") delete root.dataset["theme"];
    else root.dataset["theme"] = theme;
  }, [theme]);

  const doing = useCallback(
    async (work: Promise<State>): Promise<State | null> => {
      try {
        setError("");
        const fresh = await work;
        await take(fresh);
        return fresh;
      } catch (reason) {
        setError((reason as Error).message);
        if (reason instanceof Refused && reason.status === 409) await refresh();
        return null;
      }
    },
    [take, refresh],
  );

  const fixesIn = (index: number, by: number) => {
    let next = index + by;
    while (items[next] && items[next]!.kind !== "fix") next += by;
    return next;
  };
  const go = (index: number) => {
    const item = items[index];
    if (item) choose(item.kind === "fix" ? { fix: item.fix, heading: null } : { fix: null, heading: item.name });
  };
  const open = (number: number) => {
    choose({ fix: number, heading: null });
    setReading(true);
    requestAnimationFrame(() => {
      document.getElementById("title")?.focus({ preventScroll: true });
      document.getElementById("detail")?.scrollTo(0, 0);
    });
  };
  const back = () => {
    setReading(false);
    requestAnimationFrame(() => document.getElementById("list")?.focus());
  };

  const decide = async (numbers: number[], choice: Choice | null, words: string) => {
    const able = numbers.filter((number) => doc.fixes[number] && isTaken(doc.fixes[number]!));
    if (isReport || !able.length) return;
    const turn = queue.current.then(() => doing(api.decide(doc.number, able, choice)));
    queue.current = turn;
    if (await turn) setSaid(words);
  };
  const step = (by: number) => go(fixesIn(located(items, pointed.current).active, by));
  const here = (choice: Choice) => {
    const { fix: number } = located(items, pointed.current);
    if (number === null) return;
    void decide([number], choice, `${choice}: ${doc.fixes[number]!.title.replaceAll("`", "")}`);
    step(1);
  };
  const proven = doc.fixes.flatMap((each, number) => (isProven(each) && state.choices[number] !== "accepted" ? [number] : []));
  const takeProven = () => void decide(proven, "accepted", `accepted ${counted(proven.length, "proven fix")}`);
  const undo = async () => {
    if (isReport || !state.can_undo) return;
    try {
      await queue.current;
      const fresh = await api.undo();
      await take(fresh);
      const back = fresh.fixes[0];
      if (back !== undefined) choose({ fix: back, heading: null });
      setSaid("the last decision is undone");
    } catch (reason) {
      setError((reason as Error).message);
    }
  };
  const write = async () => {
    if (isReport) return;
    try {
      setError("");
      await queue.current;
      setDialog({ kind: "write", plan: await api.plan() });
    } catch (reason) {
      setError((reason as Error).message);
    }
  };

  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      const isTyping = target.matches("input:not([type=checkbox]), textarea, select");
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
      if (event.key === "Escape" && (isReading || isTyping)) return back();
      if (isTyping) {
        if (event.key === "Enter" || event.key === "ArrowDown") back();
        return;
      }
      const acts: Record<string, () => void> = {
        j: () => step(1),
        k: () => step(-1),
        a: () => here("accepted"),
        x: () => here("refused"),
        p: takeProven,
        u: () => void undo(),
        r: () => !isReport && setDialog({ kind: "prove" }),
        w: () => void write(),
        "?": () => setDialog({ kind: "help" }),
        "/": () => {
          setReading(false);
          requestAnimationFrame(() => search.current?.focus());
        },
      };
      const act = keys && Object.hasOwn(acts, event.key) ? acts[event.key] : undefined;
      if (act) {
        event.preventDefault();
        act();
      } else if (event.key === "Enter" && target === document.body && fix !== null) open(fix);
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  });

  const accepted = state.choices.filter((choice) => choice === "accepted").length;
  const refused = state.choices.filter((choice) => choice === "refused").length;
  const isRunning = state.run.state === "running" || state.run.state === "cancelling";
  const names: Record<Theme, string> = { system: "Theme of the system", light: "Light theme", dark: "Dark theme" };
  const nextTheme: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
  const shade = useDark(theme) ? "dark" : "light";

  return (
    <div class={`page ${isReading ? "reading" : "choosing"}`}>
      <a class="skip" href="#title" onClick={(event) => (event.preventDefault(), fix !== null && open(fix))}>
        to the fix
      </a>
      <header class="top">
        <h1>
          jaxfix <span class="soft">{isReport ? "report" : "review"}</span>
        </h1>
        <span class="project mono" title={doc.project}>
          <bdi dir="ltr">{doc.project}</bdi>
        </span>
        <ul class="counts" aria-label="decisions">
          <li class="accepted">
            <b>{accepted}</b> accepted
          </li>
          <li class="refused">
            <b>{refused}</b> rejected
          </li>
          <li>
            <b>{doc.fixes.length - accepted - refused}</b> open
          </li>
        </ul>
        <button type="button" class="quiet icon" aria-label={`${names[theme]}: change`} title={names[theme]} onClick={() => setTheme(nextTheme[theme])}>
          {theme === "system" ? "◐" : theme === "light" ? "☀" : "☾"}
        </button>
        <button type="button" class="quiet icon" aria-label="keys and help" onClick={() => setDialog({ kind: "help" })}>
          ?
        </button>
      </header>
      <Notices doc={doc} state={state} error={error} isLost={isLost} onLook={() => void doing(api.look())} onClose={() => setError("")} />
      <main class="panes">
        <nav class="side" aria-label="fixes">
          <div class="tools">
            <input
              ref={search}
              type="search"
              placeholder="Search files, codemods, words"
              aria-label="search"
              value={wish.text}
              onInput={(event) => setWish({ ...wish, text: event.currentTarget.value })}
            />
            <div class="row">
              <div class="filters" role="group" aria-label="filters">
                {FILTERS.map(([filter, words]) => {
                  const number = doc.fixes.filter((each, n) => passes(each, state.choices[n] ?? null, filter)).length;
                  const isOn = wish.filters.includes(filter);
                  const filters = isOn ? wish.filters.filter((other) => other !== filter) : [...wish.filters, filter];
                  return (
                    <button type="button" aria-pressed={isOn} onClick={() => setWish({ ...wish, filters })}>
                      {words} <span class="number">{number}</span>
                    </button>
                  );
                })}
              </div>
            </div>
            <div class="row between">
              <div class="switch" role="group" aria-label="group by">
                {(["codemod", "file"] as const).map((grouping) => (
                  <button type="button" aria-pressed={wish.grouping === grouping} onClick={() => setWish({ ...wish, grouping, closed: [] })}>
                    By {grouping}
                  </button>
                ))}
              </div>
              {!isReport ? (
                <button type="button" class="quiet" disabled={!state.can_undo} onClick={() => void undo()}>
                  Undo <Key>u</Key>
                </button>
              ) : null}
            </div>
          </div>
          <List
            doc={doc}
            choices={state.choices}
            items={items}
            active={active}
            grouping={wish.grouping}
            onActive={go}
            onOpen={(index) => {
              const item = items[index];
              if (item?.kind === "fix") open(item.fix);
            }}
            onToggle={(name) => {
              choose({ fix: null, heading: name });
              setWish({ ...wish, closed: wish.closed.includes(name) ? wish.closed.filter((other) => other !== name) : [...wish.closed, name] });
            }}
          />
        </nav>
        <section id="detail" class="main" tabIndex={-1} aria-label="the fix">
          {isShown ? (
            <Detail
              key={`${doc.number}-${fix}`}
              doc={doc}
              number={fix!}
              choice={state.choices[fix!] ?? null}
              theme={shade}
              isReport={isReport}
              onDecide={(choice) => void decide([fix!], choice, choice ?? "undecided again")}
              onGo={open}
              onBack={back}
            />
          ) : (
            <Nothing doc={doc} isReport={isReport} />
          )}
        </section>
      </main>
      {isReport ? (
        <footer class="bar">
          <span class="soft">
            Made by <span class="mono">jaxfix report</span> {doc.version}, {doc.made}
          </span>
        </footer>
      ) : (
        <footer class="bar">
          <Running state={state} onCancel={() => void doing(api.cancel())} />
          <span class="grow" />
          {state.written ? (
            <button type="button" class="quiet" onClick={() => setDialog({ kind: "wrote" })}>
              {state.written.undone ? "Write undone" : "What was written"}
            </button>
          ) : null}
          {proven.length ? (
            <button type="button" onClick={takeProven}>
              Accept {proven.length} proven <Key>p</Key>
            </button>
          ) : null}
          <button type="button" disabled={isRunning} onClick={() => setDialog({ kind: "prove" })}>
            Prove… <Key>r</Key>
          </button>
          <button type="button" class="primary" disabled={accepted === 0 || isRunning} onClick={() => void write()}>
            {accepted ? `Write ${accepted}…` : "Write…"} <Key>w</Key>
          </button>
        </footer>
      )}
      <p class="sr" role="status" aria-live="polite">
        {said}
      </p>
      {dialog?.kind === "help" ? <Help isReport={isReport} keys={keys} onKeys={setKeys} onClose={() => setDialog(null)} /> : null}
      {dialog?.kind === "prove" ? (
        <Prove
          agenda={doc.agenda}
          onClose={() => setDialog(null)}
          onYes={(digest) => {
            setDialog(null);
            void doing(api.prove(digest));
          }}
        />
      ) : null}
      {dialog?.kind === "write" ? (
        <Write
          doc={doc}
          plan={dialog.plan}
          onClose={() => setDialog(null)}
          onYes={async (digest) => {
            const fresh = await doing(api.write(digest));
            setDialog(fresh?.written ? { kind: "wrote" } : null);
          }}
        />
      ) : null}
      {dialog?.kind === "wrote" && state.written ? (
        <Wrote written={state.written} onClose={() => setDialog(null)} onTakeBack={(number) => void doing(api.takeBack(number)).then((fresh) => fresh && setSaid("the write is undone"))} />
      ) : null}
    </div>
  );
}

function useDark(theme: Theme): boolean {
  const query = matchMedia("(prefers-color-scheme: dark)");
  const [isDark, setDark] = useState(query.matches);
  useEffect(() => {
    const changed = () => setDark(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
  return theme === "system" ? isDark : theme === "dark";
}

function Notices({ doc, state, error, isLost, onLook, onClose }: { doc: Document; state: State; error: string; isLost: boolean; onLook: () => void; onClose: () => void }) {
  const sentences = [...(state.problem ? [state.problem] : []), ...doc.errors];
  return (
    <div class="notices">
      {isLost ? (
        <p role="alert" class="bad">
          jaxfix does not answer: nothing that is decided now is kept. Start <code>jaxfix review</code> again and open its link.
        </p>
      ) : null}
      {error ? (
        <p role="alert" class="bad">
          <span>
            <Words text={error} />
          </span>
          <button type="button" class="quiet" aria-label="dismiss" onClick={onClose}>
            ✕
          </button>
        </p>
      ) : null}
      {state.changed.length ? (
        <p role="alert">
          <span>
            {state.changed.slice(0, 3).map((path, index) => (
              <>
                {index ? ", " : ""}
                <span class="mono">{path}</span>
              </>
            ))}
            {state.changed.length > 3 ? ` and ${state.changed.length - 3} more` : ""} changed on the disk since jaxfix read {state.changed.length === 1 ? "it" : "them"}: nothing is written over that.
          </span>
          <button type="button" onClick={onLook}>
            Look again
          </button>
        </p>
      ) : null}
      {sentences.map((text) => (
        <p class="soft">
          <Words text={text} />
        </p>
      ))}
    </div>
  );
}

function Running({ state, onCancel }: { state: State; onCancel: () => void }) {
  const { run } = state;
  const isRunning = run.state === "running" || run.state === "cancelling";
  if (run.state === "idle") return null;
  return (
    <div class={`run ${run.state}`}>
      {isRunning ? (
        <>
          <span class="spin" aria-hidden="true" />
          <span role="status" aria-live="polite">
            {run.state === "cancelling" ? "Stopping…" : `Proving${run.step ? `: ${run.step}` : "…"}`}
          </span>
          <Seconds since={run.seconds} />
          <button type="button" disabled={run.state === "cancelling"} onClick={onCancel}>
            Cancel
          </button>
        </>
      ) : (
        <span role="status">
          <Words text={run.message} />
        </span>
      )}
    </div>
  );
}

function Seconds({ since }: { since: number }) {
  const [start] = useState(() => Date.now() - since * 1000);
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <span class="soft seconds">{Math.max(0, Math.round((now - start) / 1000))} s</span>;
}

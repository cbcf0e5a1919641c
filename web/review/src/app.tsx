// The page: what is chosen, what is decided, and who hears of it.
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Refused, api, follow } from "./api";
import { Bar, MadeBy } from "./bar";
import { Detail, Nothing } from "./detail";
import { Help, Prove, Write, Wrote } from "./dialogs";
import { Edit } from "./edit";
import { useKeys } from "./keys";
import { List } from "./list";
import { Notices } from "./notices";
import { useRemembered } from "./remembered";
import { type Item, type Wish, isProven, isTaken, items as listed } from "./shown";
import { type Theme, useShade } from "./theme";
import { Tools } from "./tools";
import { Top } from "./top";
import type { Choice, Document, Fix, Plan, State } from "./types";
import { counted } from "./words";

type Open = { kind: "help" } | { kind: "prove" } | { kind: "write"; plan: Plan } | { kind: "wrote" } | { kind: "edit"; fix: number } | null;
type Chosen = { fix: number | null; heading: string | null };

const IDLE: State = {
  revision: 0,
  document: 0,
  choices: [],
  can_undo: false,
  can_forget: false,
  run: { state: "idle", title: "", step: "", done: 0, log: [], message: "", seconds: 0 },
  written: null,
  changed: [],
  problem: null,
};

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
    const isSame = (each?: Fix) => each?.codemod === before?.codemod && each?.title === before?.title && fresh.files[each?.file ?? -1]?.path === path;
    const same = was !== null && isSame(fresh.fixes[was]) ? was : fresh.fixes.findIndex(isSame);
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

  const edit = async (number: number, text: string) => {
    try {
      await queue.current;
      await take(await api.edit(doc.number, number, text));
      setDialog(null);
      setSaid("taken as you wrote it");
      return null;
    } catch (reason) {
      return (reason as Error).message;
    }
  };
  const forget = async () => {
    await queue.current;
    if (await doing(api.forget(doc.number))) setSaid("all decisions are cleared");
  };
  useKeys({
    letters: {
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
        search.current?.focus(); // at once: what is typed next is meant for it
        setReading(false);
        requestAnimationFrame(() => search.current?.focus());
      },
    },
    isOn: keys,
    isReading,
    onBack: back,
    onEnter: () => fix !== null && open(fix),
  });

  const accepted = state.choices.filter((choice) => choice === "accepted").length;
  const refused = state.choices.filter((choice) => choice === "refused").length;
  const shade = useShade(theme);

  return (
    <div class={`page ${isReading ? "reading" : "choosing"}`}>
      <a class="skip" href="#title" onClick={(event) => (event.preventDefault(), fix !== null && open(fix))}>
        to the fix
      </a>
      <Top doc={doc} accepted={accepted} refused={refused} theme={theme} onTheme={setTheme} onHelp={() => setDialog({ kind: "help" })} />
      <Notices doc={doc} state={state} error={error} isLost={isLost} onLook={() => void doing(api.look())} onClose={() => setError("")} />
      <main class="panes">
        <nav class="side" aria-label="fixes">
          <Tools doc={doc} state={state} wish={wish} search={search} onWish={setWish} onUndo={() => void undo()} onForget={() => void forget()} />
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
              onDecide={(choice) => void decide([fix!], choice, choice ?? "open again")}
              onEdit={() => setDialog({ kind: "edit", fix: fix! })}
              onFound={() => void doing(api.edit(doc.number, fix!, null))}
              onGo={open}
              onBack={back}
            />
          ) : (
            <Nothing doc={doc} isReport={isReport} />
          )}
        </section>
      </main>
      {isReport ? (
        <MadeBy doc={doc} />
      ) : (
        <Bar
          state={state}
          accepted={accepted}
          proven={proven.length}
          isProven={!doc.agenda || doc.fixes.some((each) => each.proof !== null)}
          onCancel={() => void doing(api.cancel())}
          onWritten={() => setDialog({ kind: "wrote" })}
          onTakeProven={takeProven}
          onProve={() => setDialog({ kind: "prove" })}
          onWrite={() => void write()}
        />
      )}
      <p class="sr" role="status" aria-live="polite">
        {said}
      </p>
      {dialog?.kind === "help" ? <Help isReport={isReport} keys={keys} onKeys={setKeys} onClose={() => setDialog(null)} /> : null}
      {dialog?.kind === "edit" ? <Edit doc={doc} number={dialog.fix} onTake={(text) => edit(dialog.fix, text)} onClose={() => setDialog(null)} /> : null}
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

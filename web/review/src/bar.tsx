// The bar at the bottom: the rerun that goes on, and what can be done next.
import { useEffect, useState } from "preact/hooks";
import type { Document, State } from "./types";
import { Key, Words } from "./words";

export function isRunning(state: State): boolean {
  return state.run.state === "running" || state.run.state === "cancelling";
}

export function MadeBy({ doc }: { doc: Document }) {
  return (
    <footer class="bar">
      <span class="soft">
        Made by <span class="mono">jaxfix report</span> {doc.version}, {doc.made}
      </span>
    </footer>
  );
}

interface Acts {
  onCancel: () => void;
  onWritten: () => void;
  onTakeProven: () => void;
  onProve: () => void;
  onWrite: () => void;
}

export function Bar({ state, accepted, proven, isProven, onCancel, onWritten, onTakeProven, onProve, onWrite }: { state: State; accepted: number; proven: number; isProven: boolean } & Acts) {
  return (
    <footer class="bar">
      <Running state={state} onCancel={onCancel} />
      <span class="grow" />
      {state.written ? (
        <button type="button" class="quiet" onClick={onWritten}>
          {state.written.undone ? "Write undone" : "What was written"}
        </button>
      ) : null}
      {proven ? (
        <button type="button" onClick={onTakeProven}>
          Accept {proven} proven <Key>p</Key>
        </button>
      ) : null}
      <button type="button" class={isProven ? "" : "primary"} disabled={isRunning(state)} onClick={onProve}>
        Prove… <Key>r</Key>
      </button>
      <button type="button" class={isProven ? "primary" : ""} disabled={accepted === 0 || isRunning(state)} onClick={onWrite}>
        {accepted ? `Write ${accepted}…` : "Write…"} <Key>w</Key>
      </button>
    </footer>
  );
}

function Running({ state, onCancel }: { state: State; onCancel: () => void }) {
  const { run } = state;
  if (run.state === "idle") return null;
  const [phase, at] = run.step.split(": "); // how far it is changes too often to be read aloud
  return (
    <div class={`run ${run.state}`}>
      {isRunning(state) ? (
        <>
          <span class="spin" aria-hidden="true" />
          <span role="status" aria-live="polite">
            {run.state === "cancelling" ? "Stopping…" : `Proving${phase ? `: ${phase}` : "…"}`}
          </span>
          {at ? <span class="soft">{at}</span> : null}
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

// What is asked before something runs or is written, and what the keys are.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Diff } from "./diff";
import type { Agenda, Document, Plan, Written } from "./types";
import { Words, counted } from "./words";

export function Dialog({ title, onClose, wide, children }: { title: string; onClose: () => void; wide?: boolean; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = box.current!;
    const before = document.activeElement as HTMLElement | null;
    element.showModal();
    element.querySelector<HTMLElement>("#dialog")?.focus();
    return () => {
      element.close();
      before?.focus?.();
    };
  }, []);
  return (
    <dialog
      ref={box}
      class={wide ? "wide" : ""}
      aria-labelledby="dialog"
      onCancel={(event) => (event.preventDefault(), onClose())}
      onClick={(event) => event.target === box.current && onClose()}
    >
      <div class="sheet">
        <header>
          <h2 id="dialog" tabIndex={-1}>{title}</h2>
          <button type="button" class="quiet" aria-label="close" onClick={onClose}>
            ✕
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

const KEYS: [string[], string][] = [
  [["j", "↓"], "next fix"],
  [["k", "↑"], "previous fix"],
  [["a"], "accept, then go to the next"],
  [["x"], "reject, then go to the next"],
  [["p"], "accept all proven fixes"],
  [["u"], "undo the last decision"],
  [["Enter"], "read the fix"],
  [["Esc"], "back to the list"],
  [["/"], "search"],
  [["r"], "rerun and prove"],
  [["w"], "write what is accepted"],
  [["?"], "this help"],
];
const READING = ["j", "k", "Enter", "Esc", "/", "?"];

export function Help({ isReport, keys, onKeys, onClose }: { isReport: boolean; keys: boolean; onKeys: (on: boolean) => void; onClose: () => void }) {
  const shown = isReport ? KEYS.filter(([names]) => READING.includes(names[0]!)) : KEYS;
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {shown.map(([names, words]) => (
          <div>
            <dt>
              {names.map((name) => (
                <kbd>{name}</kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input type="checkbox" checked={keys} onChange={(event) => onKeys(event.currentTarget.checked)} /> Single letters are keys
      </label>
    </Dialog>
  );
}

export function Prove({ agenda, onYes, onClose }: { agenda: Agenda | null; onYes: (digest: string) => void; onClose: () => void }) {
  if (!agenda) {
    return (
      <Dialog title="Nothing to rerun" onClose={onClose}>
        <p>
          <Words text={'No program to rerun. End jaxfix with Ctrl-C, and start it with `jaxfix review --run "python train.py"`: decisions are kept.'} />
        </p>
      </Dialog>
    );
  }
  return (
    <Dialog title="Run this to prove the fixes?" onClose={onClose}>
      {agenda.command !== null ? (
        <>
          <p>It runs several times, without and with the fixes:</p>
          <pre class="command" tabIndex={0} aria-label="the command">
            {agenda.command}
          </pre>
        </>
      ) : null}
      {agenda.drives.length ? (
        <>
          <p>The optimizers of {agenda.drives.length === 1 ? "this module are" : "these modules are"} imported and driven:</p>
          <pre class="command" tabIndex={0} aria-label="the modules">
            {agenda.drives.join("\n")}
          </pre>
        </>
      ) : null}
      <dl class="facts">
        <dt>copies of</dt>
        <dd class="mono">{agenda.project}</dd>
        {agenda.folder !== agenda.project ? (
          <>
            <dt>run in</dt>
            <dd class="mono">{agenda.folder}</dd>
          </>
        ) : null}
        {agenda.drives.length ? (
          <>
            <dt>with</dt>
            <dd class="mono">{agenda.python}</dd>
          </>
        ) : null}
        <dt>on</dt>
        <dd>{agenda.place}</dd>
        <dt>each run</dt>
        <dd>at most {agenda.timeout}</dd>
        <dt>to prove</dt>
        <dd>{counted(agenda.waiting, "fix")}</dd>
      </dl>
      <p class="soft">This is your own code; it runs with your permissions. Your files are not changed.</p>
      <footer>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="primary" onClick={() => onYes(agenda.digest)}>
          Run it
        </button>
      </footer>
    </Dialog>
  );
}

export function Write({ doc, plan, onYes, onClose }: { doc: Document; plan: Plan; onYes: (digest: string) => void; onClose: () => void }) {
  return (
    <Dialog title={plan.files.length ? `Write ${counted(plan.fixes.length, "fix")} into ${counted(plan.files.length, "file")}?` : "Nothing to write"} onClose={onClose} wide>
      {plan.problem ? (
        <p class="note warning" role="alert">
          <b>Not now</b> <Words text={plan.problem} />
        </p>
      ) : null}
      {plan.unproven.length ? (
        <p class="note">
          <b>Not proven</b> {counted(plan.unproven.length, "accepted fix")} may change results, and no rerun has proven {plan.unproven.length === 1 ? "it" : "them"}: that is your decision.
        </p>
      ) : null}
      {plan.unmade.map(({ fix, reason }) => (
        <p class="note">
          <b>Left out</b> <Words text={`${doc.fixes[fix]?.title ?? "a fix"}: ${reason}`} />
        </p>
      ))}
      {plan.files.length === 0 && !plan.problem ? <p>No accepted fix changes a file.</p> : null}
      <Files files={plan.files} />
      <footer>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="primary" disabled={plan.files.length === 0 || plan.problem !== null} onClick={() => onYes(plan.digest)}>
          Write
        </button>
      </footer>
    </Dialog>
  );
}

export function Wrote({ written, onTakeBack, onClose }: { written: Written; onTakeBack: (number: number) => void; onClose: () => void }) {
  return (
    <Dialog title={`Wrote ${counted(written.fixes.length, "fix")} into ${counted(written.files.length, "file")}`} onClose={onClose} wide>
      <ul class="wrote">
        {written.fixes.map((title) => (
          <li>
            <Words text={title} />
          </li>
        ))}
      </ul>
      <Files files={written.files} />
      <footer>
        <button type="button" disabled={written.undone} onClick={() => onTakeBack(written.number)}>
          {written.undone ? "Undone" : "Undo the write"}
        </button>
        <button type="button" class="primary" onClick={onClose}>
          Close
        </button>
      </footer>
    </Dialog>
  );
}

function Files({ files }: { files: Plan["files"] }) {
  return (
    <>
      {files.map((file) => {
        const added = file.changes.reduce((sum, [, , lines]) => sum + lines.length, 0);
        const removed = file.changes.reduce((sum, [, number]) => sum + number, 0);
        return (
          <details class="file" open={files.length === 1}>
            <summary>
              <span class="mono">{file.path}</span>
              {file.isNew ? <span class="soft"> new</span> : null} <span class="plus">+{added}</span> <span class="minus">−{removed}</span>
            </summary>
            <Diff path={file.path} text={file.text} changes={file.changes} label={`changes of ${file.path}`} />
          </details>
        );
      })}
    </>
  );
}

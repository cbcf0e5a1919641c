// One fix: what it does, why, what a rerun showed, and what that tried.
import { useState } from "preact/hooks";
import { Charts } from "./chart";
import { Diff } from "./diff";
import { Mark, status } from "./list";
import { Tried } from "./tried";
import type { Choice, Comparison, Document, Receipt } from "./types";
import { Chip, Key, Prose, Words, counted, sentence } from "./words";

interface Props {
  doc: Document;
  number: number;
  choice: Choice | null;
  theme: string;
  isReport: boolean;
  onDecide: (choice: Choice | null) => void;
  onEdit: () => void;
  onFound: () => void;
  onGo: (fix: number) => void;
  onBack: () => void;
}

const CONFIDENCE = { certain: "certain", possible: "possible: the caller decides", seen: "seen in a traced run" };

export function Detail({ doc, number, choice, theme, isReport, onDecide, onEdit, onFound, onGo, onBack }: Props) {
  const fix = doc.fixes[number]!;
  const file = doc.files[fix.file]!;
  const rule = doc.rules[fix.codemod];
  const [kind, words] = status(fix);
  const isHint = fix.safety === "display-only";
  return (
    <article class="detail" aria-labelledby="title">
      <header>
        <button type="button" class="back quiet" onClick={onBack}>
          ← All fixes
        </button>
        <p class="crumbs">
          <span class="mono">{fix.codemod}</span> <span aria-hidden="true">·</span>{" "}
          <span class="mono">
            {file.path}:{fix.cell === null ? "" : `cell ${fix.cell}:`}
            {fix.line}
          </span>
          {fix.function === "<module>" ? "" : <> in <span class="mono">{fix.function.replaceAll(".<locals>", "")}</span></>}
        </p>
        <div class="headline">
          <h2 id="title" tabIndex={-1}>
            <Words text={fix.title} />
          </h2>
          {isReport ? (
            choice ? (
              <span class={`decided ${choice}`}>
                <Mark choice={choice} /> {choice}
              </span>
            ) : null
          ) : (
            <div class="decide" role="group" aria-label="decision">
              <button type="button" class="refuse" aria-pressed={choice === "refused"} disabled={isHint} onClick={() => onDecide(choice === "refused" ? null : "refused")}>
                Reject <Key>x</Key>
              </button>
              <button type="button" class="accept" aria-pressed={choice === "accepted"} disabled={isHint} onClick={() => onDecide(choice === "accepted" ? null : "accepted")}>
                {choice === "accepted" ? "Accepted" : "Accept"} <Key>a</Key>
              </button>
            </div>
          )}
        </div>
        <p class="chips">
          <Chip kind={kind}>{words}</Chip>
          <Chip kind="plain">{CONFIDENCE[fix.confidence]}</Chip>
          {fix.safety === "needs-evidence" ? <Chip kind="plain">results: {fix.equality}</Chip> : null}
          {fix.edited ? <Chip kind="plain">edited by you</Chip> : null}
          {fix.editable && !isReport ? (
            <button type="button" class="quiet" onClick={onEdit}>
              Edit…
            </button>
          ) : null}
          {fix.edited && !isReport ? (
            <button type="button" class="quiet" onClick={onFound}>
              As it was found
            </button>
          ) : null}
        </p>
      </header>
      <p class="message">
        <Words text={sentence(fix.message)} />.
      </p>
      {fix.held && kind !== "proven" ? (
        <p class="note">
          <b>Held</b> <Words text={fix.held} />
        </p>
      ) : null}
      {fix.needs.length ? (
        <p class="note">
          <b>Follows</b> <Others doc={doc} numbers={fix.needs} onGo={onGo} />: it exists only after that fix, so its diff starts from there.
        </p>
      ) : null}
      {fix.conflicts.length ? (
        <p class="note">
          <b>Overlaps</b> <Others doc={doc} numbers={fix.conflicts} onGo={onGo} />: only one of the two can be made.
        </p>
      ) : null}
      {fix.helpers.length ? (
        <p class="note">
          <b>Helper</b> the new code imports {fix.helpers.map((name) => <code>{name}</code>)} from the generated file next to it.
        </p>
      ) : null}
      {fix.changes.length ? (
        <Diff path={file.path} text={fix.base ?? file.text} changes={fix.changes} label={`what this fix changes in ${file.path}`} />
      ) : (
        <p class="note">
          <b>No diff</b> jaxfix does not rewrite this: the section about the codemod says what to do by hand.
        </p>
      )}
      {fix.proof ?? fix.past ? (
        <Evidence receipt={(fix.proof ?? fix.past)!} isPast={!fix.proof} theme={theme} />
      ) : (
        <section aria-labelledby="evidence">
          <h3 id="evidence">Evidence</h3>
          <p class="soft">
            {fix.safety === "safe" ? "Safe by reasoning, for every input: no rerun is needed to write it." : "No rerun has tried this fix yet."}
          </p>
        </section>
      )}
      {rule ? (
        <section aria-labelledby="trap">
          <h3 id="trap">
            About <span class="mono">{fix.codemod}</span>
          </h3>
          <details>
            <summary>When this rewrite is correct, and when it is declined</summary>
            <div class="prose">
              <Prose text={rule.safety} />
            </div>
          </details>
          <details>
            <summary>
              Why it costs something
            </summary>
            <div class="prose">
              <p>
                <Words text={rule.summary} />
              </p>
              <Prose text={rule.why} />
              <p class="soft">What a proof needs: {rule.evidence.replace(/\s+/g, " ")}</p>
              <p class="soft source">{rule.source}</p>
            </div>
          </details>
        </section>
      ) : null}
    </article>
  );
}

function Others({ doc, numbers, onGo }: { doc: Document; numbers: number[]; onGo: (fix: number) => void }) {
  return (
    <>
      {numbers.map((other, index) => (
        <>
          {index ? ", " : ""}
          <button type="button" class="link" onClick={() => onGo(other)}>
            <Words text={doc.fixes[other]!.title} />
          </button>
        </>
      ))}
    </>
  );
}

function Evidence({ receipt, isPast, theme }: { receipt: Receipt; isPast: boolean; theme: string }) {
  const [chosen, setChosen] = useState(0);
  const cases = receipt.comparisons;
  const shown = cases[Math.min(chosen, cases.length - 1)];
  return (
    <section class="evidence" aria-labelledby="evidence">
      <h3 id="evidence">Evidence</h3>
      {isPast ? (
        <p class="note">
          <b>Earlier</b> a rerun of {receipt.when?.slice(0, 10)} showed this
          {receipt.expired.length ? `; it has expired: ${receipt.expired.join(", ")}` : ""}. Only a new rerun makes the fix proven.
        </p>
      ) : null}
      <p>
        <span class={`verdict ${receipt.verdict.replaceAll(" ", "-")}`}>{sentence(receipt.verdict)}</span> <Words text={receipt.story} />
      </p>
      {shown ? (
        <>
          {cases.length > 1 ? (
            <label class="case">
              Case{" "}
              <select value={chosen} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
                {cases.map((entry, index) => (
                  <option value={index}>
                    {entry.case}: {entry.verdict}
                  </option>
                ))}
              </select>
            </label>
          ) : null}
          <Figures comparison={shown} />
          {shown.course_before && shown.course_after ? (
            <>
              <p class="legend" aria-hidden="true">
                <span class="was">before</span>
                <span class="is">after</span>
                <span class="soft">by step{shown.narrow ? "; compiles of its own lines" : ""}</span>
              </p>
              <Charts comparison={shown} theme={theme} />
            </>
          ) : (
            <p class="soft chartless">No chart: no training steps were found in this program.</p>
          )}
        </>
      ) : null}
      <Tried receipt={receipt} />
      <p class="soft ran">
        <code>{receipt.command}</code>
        {receipt.machine ? `, ${receipt.machine}` : ""}
      </p>
    </section>
  );
}

function Figures({ comparison }: { comparison: Comparison }) {
  const { before, after } = comparison;
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
  const figures: [string, string, string, boolean][] = [
    ["compiles per step", `${before.steady_compiles}`, `${after.steady_compiles}`, after.steady_compiles < before.steady_compiles],
    ["compiles in all", `${before.compiles}`, `${after.compiles}`, after.compiles < before.compiles],
    ["spent compiling", `${before.seconds.toFixed(1)} s`, `${after.seconds.toFixed(1)} s`, before.seconds - after.seconds > 0.05],
    ["peak memory", megabytes(before.peak_bytes), megabytes(after.peak_bytes), before.peak_bytes - after.peak_bytes > 1e7],
  ];
  return (
    <dl class="figures">
      {figures.map(([name, was, is, isBetter]) => (
        <div class={isBetter ? "better" : ""}>
          <dt>{name}</dt>
          <dd>
            {was === is ? (
              was
            ) : (
              <>
                <span class="was">{was}</span>
                <span aria-hidden="true"> → </span>
                <span class="sr">to</span>
                <b>{is}</b>
              </>
            )}
          </dd>
        </div>
      ))}
      <div class="wide">
        <dt>results</dt>
        <dd>
          <Words text={comparison.equality} />
        </dd>
      </div>
    </dl>
  );
}

export function Nothing({ doc, isReport }: { doc: Document; isReport: boolean }) {
  return (
    <div class="empty">
      <h2 id="title" tabIndex={-1}>
        {doc.fixes.length ? "Choose a fix" : "Nothing left to fix"}
      </h2>
      <p class="soft">
        {doc.fixes.length
          ? "Arrow keys or j and k walk through the list."
          : doc.unfixable
            ? `${counted(doc.unfixable, "finding")} without a fix: \`jaxfix check --all\` names ${doc.unfixable === 1 ? "it" : "them"}.`.replaceAll("`", "")
            : isReport
              ? "The analysed files have no fixes."
              : "No finding in the analysed files has a fix."}
      </p>
    </div>
  );
}

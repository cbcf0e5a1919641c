// A fix as a person writes it: the whole file, with the fix made.
import { useEffect, useRef, useState } from "preact/hooks";
import { Dialog } from "./dialogs";
import type { Document } from "./types";
import { Words } from "./words";

interface Given {
  doc: Document;
  number: number;
  onTake: (text: string) => Promise<string | null>;
  onClose: () => void;
}

// `onTake` says what is wrong with the text, if anything is.
export function Edit({ doc, number, onTake, onClose }: Given) {
  const fix = doc.fixes[number]!;
  const file = doc.files[fix.file]!;
  const field = useRef<HTMLTextAreaElement>(null);
  const [wrong, setWrong] = useState("");
  const [made] = useState(() => after(file.text, fix.changes));
  useEffect(() => {
    const element = field.current!;
    const lines = made.split("\n");
    const line = fix.changes[0]?.[0] ?? 0;
    const at = lines.slice(0, line).join("\n").length + (line ? 1 : 0);
    element.focus();
    element.setSelectionRange(at, at);
    element.scrollTop = (element.scrollHeight / lines.length) * Math.max(0, line - 3);
  }, []);
  return (
    <Dialog title="Edit this fix" onClose={onClose} wide>
      <p class="soft">
        The whole of <span class="mono">{file.path}</span> with this fix made. What you change is not proven.
      </p>
      <textarea ref={field} class="mono" aria-label={`${file.path} with the fix`} spellcheck={false} autocomplete="off" wrap="off" rows={24}>
        {made}
      </textarea>
      {wrong ? (
        <p class="note warning" role="alert">
          <Words text={wrong} />
        </p>
      ) : null}
      <footer>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="primary" onClick={async () => setWrong((await onTake(field.current!.value)) ?? "")}>
          Take it
        </button>
      </footer>
    </Dialog>
  );
}

function after(text: string, changes: [start: number, removed: number, added: string[]][]): string {
  const lines = text.split(/\r\n|\n|\r/);
  for (const [start, removed, added] of [...changes].reverse()) lines.splice(start, removed, ...added);
  return lines.join("\n");
}

// Text that the server sends: code is in backticks, links are links.
import type { ComponentChildren } from "preact";

export function Words({ text }: { text: string }) {
  return <>{text.split(/(`[^`]+`)/).map((part) => (part.startsWith("`") && part.length > 2 ? <code>{part.slice(1, -1)}</code> : part))}</>;
}

export function Prose({ text }: { text: string }) {
  return (
    <>
      {text.split(/\n\n+/).map((paragraph) => (
        <p>
          <Words text={sentence(paragraph.replace(/\s+/g, " "))} />
        </p>
      ))}
    </>
  );
}

export function sentence(text: string): string {
  return text.replace(/^[a-z]/, (letter) => letter.toUpperCase());
}

export function counted(number: number, word: string): string {
  return `${number} ${number === 1 ? word : word.endsWith("x") ? `${word}es` : `${word}s`}`;
}

export function Chip({ kind, children }: { kind: string; children: ComponentChildren }) {
  return <span class={`chip ${kind}`}>{children}</span>;
}

export function Key({ children }: { children: ComponentChildren }) {
  return <kbd aria-hidden="true">{children}</kbd>;
}

// The head of the page: what is analysed, and how much is decided.
import { THEMES, type Theme } from "./theme";
import type { Document } from "./types";

interface Shown {
  doc: Document;
  accepted: number;
  refused: number;
  theme: Theme;
  onTheme: (theme: Theme) => void;
  onHelp: () => void;
}

export function Top({ doc, accepted, refused, theme, onTheme, onHelp }: Shown) {
  const { name, sign, next } = THEMES[theme];
  return (
    <header class="top">
      <h1>
        jaxfix <span class="soft">{doc.kind}</span>
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
      <button type="button" class="quiet icon" aria-label={`${name}: change`} title={name} onClick={() => onTheme(next)}>
        {sign}
      </button>
      <button type="button" class="quiet icon" aria-label="keys and help" onClick={onHelp}>
        ?
      </button>
    </header>
  );
}

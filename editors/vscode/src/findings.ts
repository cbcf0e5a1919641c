// The findings of jaxfix, as the editor holds them.
import * as vscode from "vscode";
import type { Counts } from "./state.ts";

const SOURCE = "jaxfix";

export interface Finding {
  readonly id: string;
  readonly key: string | undefined;
  readonly diagnostic: vscode.Diagnostic;
}

export function findingsOf(uri: vscode.Uri): Finding[] {
  return vscode.languages.getDiagnostics(uri).filter(isOurs).map((diagnostic) => ({
    id: idOf(diagnostic),
    key: keyOf(diagnostic),
    diagnostic,
  }));
}

/** The findings that touch the selection, or else those of its lines. */
export function findingsAt(editor: vscode.TextEditor): Finding[] {
  const all = findingsOf(editor.document.uri);
  const under = all.filter(({ diagnostic }) => diagnostic.range.intersection(editor.selection) !== undefined);
  if (under.length > 0) return under;
  const { start, end } = editor.selection;
  return all.filter(({ diagnostic: { range } }) => range.start.line <= end.line && range.end.line >= start.line);
}

/** How many there are in the documents given, and in all. */
export function counted(here: readonly vscode.Uri[]): Counts {
  const shown = new Set(here.map(String));
  const counts = { here: 0, everywhere: 0 };
  for (const [uri, diagnostics] of vscode.languages.getDiagnostics()) {
    const count = diagnostics.filter(isOurs).length;
    counts.everywhere += count;
    if (shown.has(uri.toString())) counts.here += count;
  }
  return counts;
}

function isOurs(diagnostic: vscode.Diagnostic): boolean {
  return diagnostic.source === SOURCE;
}

function idOf({ code }: vscode.Diagnostic): string {
  return String(typeof code === "object" ? code.value : (code ?? ""));
}

/** What the server calls the finding: the client keeps the protocol's `data` on the diagnostics that it makes. */
function keyOf(diagnostic: vscode.Diagnostic & { readonly data?: unknown }): string | undefined {
  const { data } = diagnostic;
  if (typeof data !== "object" || data === null || !("key" in data)) return undefined;
  return typeof data.key === "string" ? data.key : undefined;
}

// What the person sees of the server, as values: nothing here touches the editor.
import type { Interpreter } from "./environment.ts";

export type State =
  | { readonly kind: "stopped" }
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly version: string | undefined; readonly command: readonly string[] }
  | { readonly kind: "missing"; readonly python: Interpreter; readonly install: readonly string[] }
  | { readonly kind: "unfit"; readonly python: Interpreter | undefined; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string };

/** What a running server is at. */
export interface Activity {
  readonly busy: boolean;
  readonly message: string;
}

export interface Counts {
  /** Findings in the document that is analysed, and in all that are open. */
  readonly here: number;
  readonly everywhere: number;
}

export interface Told {
  readonly text: string;
  readonly lines: readonly string[];
  readonly severity: "none" | "warning" | "error";
  /** What a screen reader says: no icons. */
  readonly spoken: string;
}

/** The text of the status item, and the lines of its tooltip. */
export function told(state: State, activity: Activity | undefined, counts: Counts, limited: boolean): Told {
  switch (state.kind) {
    case "stopped":
      return plain("$(circle-slash) jaxfix", "jaxfix does not run");
    case "starting":
      return plain("$(loading~spin) jaxfix", "jaxfix starts");
    case "running":
      return running(state.version, state.command, activity, counts, limited);
    case "missing":
      return grave("$(cloud-download) jaxfix", "warning", `jaxfix is not installed in ${state.python.path}`);
    case "unfit":
      return grave("$(warning) jaxfix", "warning", state.python ? `${state.python.path}: ${state.reason}` : state.reason);
    case "failed":
      return grave("$(error) jaxfix", "error", state.reason);
  }
}

function running(
  version: string | undefined,
  command: readonly string[],
  activity: Activity | undefined,
  { here, everywhere }: Counts,
  limited: boolean,
): Told {
  const found = everywhere === 0 ? "no findings in open files" : `${findings(here)} here, ${findings(everywhere)} in open files`;
  const lines = [version ? `jaxfix ${version} runs` : "jaxfix runs", found, `from ${command[0] ?? ""}`];
  if (activity?.busy) lines.unshift(activity.message);
  if (limited) lines.push("restricted mode: nothing of this workspace is run");
  const icon = activity?.busy ? "$(loading~spin)" : "$(zap)";
  return {
    text: here === 0 ? `${icon} jaxfix` : `${icon} jaxfix ${here}`,
    lines,
    severity: "none",
    spoken: `jaxfix, ${activity?.busy ? activity.message : found}`,
  };
}

function findings(count: number): string {
  return count === 1 ? "1 finding" : `${count} findings`;
}

function plain(text: string, line: string): Told {
  return { text, lines: [line], severity: "none", spoken: line };
}

function grave(text: string, severity: "warning" | "error", line: string): Told {
  return { text, lines: [line], severity, spoken: line };
}

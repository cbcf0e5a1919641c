// What the server and a report pass; `jaxfix/render/review.py` makes it.

export type Choice = "accepted" | "refused";
export type Change = [start: number, removed: number, added: string[]];

export interface Course {
  steps: number[];
  compiles: number[];
  rss_bytes: number[];
}

export interface Counts {
  compiles: number;
  steady_compiles: number;
  traces: number;
  rss_bytes: number;
  peak_bytes: number;
  seconds: number;
}

export interface Comparison {
  case: string;
  verdict: string;
  reason: string;
  before: Counts;
  after: Counts;
  equality: string;
  narrow: boolean;
  cured: boolean;
  beside: number;
  untried?: string[];
  level?: string | null;
  course_before: Course | null;
  course_after: Course | null;
}

export interface Receipt {
  verdict: string;
  story: string;
  command: string;
  machine: string;
  when: string | null;
  expired: string[];
  comparisons: Comparison[];
}

export interface Fix {
  file: number;
  codemod: string;
  title: string;
  message: string;
  line: number;
  function: string;
  confidence: "certain" | "possible" | "seen";
  safety: "safe" | "needs-evidence" | "display-only";
  equality: string;
  held: string | null;
  changes: Change[];
  base: string | null;
  cell: number | null;
  needs: number[];
  edited: boolean;
  editable: boolean;
  helpers: string[];
  conflicts: number[];
  proof: Receipt | null;
  past: Receipt | null;
}

export interface Rule {
  summary: string;
  why: string;
  safety: string;
  evidence: string;
  source: string;
}

export interface Agenda {
  command: string | null;
  project: string;
  folder: string;
  drives: string[];
  python: string;
  place: string;
  timeout: string;
  waiting: number;
  digest: string;
}

export interface Document {
  schema: number;
  kind: "review" | "report";
  number: number;
  version: string;
  project: string;
  made: string;
  files: { path: string; text: string }[];
  fixes: Fix[];
  rules: Record<string, Rule>;
  together: Comparison[];
  unfixable: number;
  errors: string[];
  notes: string[];
  agenda: Agenda | null;
  choices: (Choice | null)[];
}

export interface Run {
  state: "idle" | "running" | "cancelling" | "done" | "failed" | "cancelled";
  title: string;
  step: string;
  done: number;
  log: string[];
  message: string;
  seconds: number;
}

export interface Written {
  number: number;
  files: FileChange[];
  fixes: string[];
  undone: boolean;
}

export interface FileChange {
  path: string;
  text: string;
  changes: Change[];
  isNew: boolean;
}

export interface State {
  revision: number;
  document: number;
  choices: (Choice | null)[];
  can_undo: boolean;
  can_forget: boolean;
  run: Run;
  written: Written | null;
  changed: string[];
  problem: string | null;
}

export interface Plan {
  digest: string;
  files: FileChange[];
  fixes: string[];
  unmade: { fix: number; reason: string }[];
  unproven: number[];
  problem: string | null;
}

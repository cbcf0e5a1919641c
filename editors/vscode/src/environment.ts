// Which Python is meant, whether jaxfix is in it, and what puts it there. Nothing here touches the editor or a process.
import * as posix from "node:path/posix";
import * as win32 from "node:path/win32";

export const REQUIREMENT = "jaxfix[lsp]";
const OLDEST_PYTHON = [3, 11] as const;
const OLDEST_PYGLS = 2;
const VARIABLE = /\$\{([^}]+)\}/g;

/** Where an interpreter was named; in the order in which they are believed. */
export type Origin = "setting" | "selected" | "default" | "folder" | "path";

export interface Interpreter {
  readonly path: string;
  readonly origin: Origin;
}

/** What may name an interpreter for a folder. */
export interface Surroundings {
  readonly setting: string | undefined;
  readonly selected: string | undefined;
  readonly fallback: string | undefined;
  readonly folder: string | undefined;
  /** Every folder of the workspace: nothing in them is run before the workspace is trusted. */
  readonly folders: readonly string[];
  readonly trusted: boolean;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What an interpreter has said of itself. */
export interface Probed {
  readonly executable: string;
  readonly version: readonly number[];
  readonly jaxfix: string | null;
  readonly pygls: string | null;
  readonly pip: boolean;
  /** Whether a system's package manager owns its packages, so that pip refuses to install. */
  readonly managed: boolean;
}

export type Fitness =
  | { readonly kind: "ready"; readonly version: string }
  | { readonly kind: "missing"; readonly install: readonly string[] }
  | { readonly kind: "unfit"; readonly reason: string };

/** The interpreters that may be meant, the likeliest first; whether they exist is for the caller to see. */
export function interpreters(around: Surroundings): Interpreter[] {
  const named: [Origin, string | undefined][] = [
    ["setting", around.setting],
    ["selected", around.selected],
    ["default", around.fallback],
  ];
  const found: Interpreter[] = [];
  for (const [origin, text] of named) {
    for (const path of text ? spelledOut(text, around) : []) found.push({ path, origin });
  }
  for (const path of environmentsOf(around)) found.push({ path, origin: "folder" });
  for (const path of onPath(around, ["python3", "python"])) found.push({ path, origin: "path" });
  const seen = new Set<string>();
  return found.filter(({ path }) => mayRun(path, around) && !seen.has(path) && seen.add(path));
}

/** The places on the PATH where an executable of one of these names may lie. */
export function onPath(around: Surroundings, names: readonly string[]): string[] {
  const paths = pathsOf(around.platform);
  const folders = (variable(around, "PATH") ?? "")
    .split(paths.delimiter)
    // a relative entry means another file in every folder; the Store's aliases open a shop
    .filter((entry) => paths.isAbsolute(entry) && !/[\\/]Microsoft[\\/]WindowsApps[\\/]?$/i.test(entry));
  const suffix = around.platform === "win32" ? ".exe" : "";
  const found = folders.flatMap((folder) => names.map((name) => paths.join(folder, name + suffix)));
  return found.filter((path) => mayRun(path, around));
}

/** Whether running `path` runs nothing that came with a workspace that is not trusted. */
export function mayRun(path: string, around: Surroundings): boolean {
  const paths = pathsOf(around.platform);
  if (!paths.isAbsolute(path)) return false;
  if (around.trusted) return true;
  return around.folders.every((folder) => {
    const inside = paths.relative(folder, path);
    return /^\.\.(?:[\\/]|$)/.test(inside) || paths.isAbsolute(inside);
  });
}

/** What is to be done about an interpreter before it can serve; `uv` is where uv lies, if it does. */
export function fitness(probed: Probed, uv: string | undefined): Fitness {
  if (isOlder(probed.version, OLDEST_PYTHON)) {
    return { kind: "unfit", reason: `Python ${probed.version.join(".")} is older than ${OLDEST_PYTHON.join(".")}` };
  }
  const major = Number.parseInt(probed.pygls ?? "", 10);
  if (probed.jaxfix !== null && major >= OLDEST_PYGLS) return { kind: "ready", version: probed.jaxfix };
  if (probed.managed) {
    return { kind: "unfit", reason: "its packages belong to the system: jaxfix wants a virtual environment" };
  }
  if (probed.pip) return { kind: "missing", install: [probed.executable, "-m", "pip", "install", REQUIREMENT] };
  if (uv) return { kind: "missing", install: [uv, "pip", "install", "--python", probed.executable, REQUIREMENT] };
  return { kind: "unfit", reason: "it has neither jaxfix nor pip" };
}

/** The command as a person would type it; what is run is never read from this. */
export function shown(command: readonly string[]): string {
  return command.map((word) => (/[^\w@%+=:,./\\~-]/.test(word) ? `"${word.replaceAll('"', '\\"')}"` : word)).join(" ");
}

/** The argument vector that serves: `-P` keeps a module of the user's folder from standing in for one of Python's. */
export function serving(python: string): string[] {
  return [python, "-P", "-m", "jaxfix", "lsp"];
}

/** Whether the text is a program for JAX, or near enough for jaxfix to be worth a word. */
export function speaksJax(text: string): boolean {
  return /^[ \t]*(?:import|from)[ \t][^\n#]*\b(?:jax|optax|flax|equinox|haiku|diffrax|chex|blackjax|numpyro|brax)\b/m.test(text);
}

function environmentsOf({ folder, platform, environment }: Surroundings): string[] {
  const paths = pathsOf(platform);
  const executable = platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"];
  const roots = folder ? [paths.join(folder, ".venv"), paths.join(folder, "venv")] : [];
  const active = environment["VIRTUAL_ENV"];
  if (active) roots.push(active);
  return roots.map((root) => paths.join(root, ...executable));
}

/** The paths that a setting may mean: its variables filled in, and what is relative taken from the folder or the PATH. */
function spelledOut(text: string, around: Surroundings): string[] {
  const paths = pathsOf(around.platform);
  const path = filledIn(text.trim(), around);
  if (path === undefined) return [];
  if (paths.isAbsolute(path)) return [path];
  if (!/[\\/]/.test(path)) return onPath(around, [path.replace(/\.exe$/i, "")]);
  return around.folder ? [paths.join(around.folder, path)] : [];
}

/** The text with `~`, `${workspaceFolder}`, `${userHome}` and `${env:NAME}` filled in; none if one of them has no value. */
export function filledIn(text: string, around: Surroundings): string | undefined {
  const names = [...text.matchAll(VARIABLE)].map(([, name = ""]) => name);
  const values = new Map(names.map((name) => [name, valueOf(name, around)]));
  if ([...values.values()].includes(undefined)) return undefined;
  return text.replace(/^~(?=[\\/]|$)/, around.home).replace(VARIABLE, (_, name: string) => values.get(name) ?? "");
}

function valueOf(name: string, around: Surroundings): string | undefined {
  const paths = pathsOf(around.platform);
  if (name === "workspaceFolder" || name === "workspaceRoot") return around.folder;
  if (name === "userHome") return around.home;
  if (name.startsWith("env:")) return variable(around, name.slice("env:".length));
  if (name.startsWith("workspaceFolder:")) {
    return around.folders.find((folder) => paths.basename(folder) === name.slice("workspaceFolder:".length));
  }
  return undefined;
}

function variable({ environment, platform }: Surroundings, name: string): string | undefined {
  if (platform !== "win32") return environment[name];
  const key = Object.keys(environment).find((known) => known.toUpperCase() === name.toUpperCase());
  return key === undefined ? undefined : environment[key];
}

function isOlder(version: readonly number[], oldest: readonly number[]): boolean {
  for (const [place, least] of oldest.entries()) {
    const part = version[place] ?? 0;
    if (part !== least) return part < least;
  }
  return false;
}

function pathsOf(platform: NodeJS.Platform): typeof posix {
  return platform === "win32" ? win32 : posix;
}

// The interpreter that is selected for a folder, as the editor, the Python extension and the disk know it.
import type { PythonExtension } from "@vscode/python-extension";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { homedir } from "node:os";
import * as vscode from "vscode";
import { interpreters, onPath, type Interpreter, type Surroundings } from "./environment.ts";

const PYTHON_EXTENSION = "ms-python.python";

export class Pythons implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly disposables: vscode.Disposable[] = [this.changed];
  private readonly chosen = new Map<string, Promise<Interpreter | undefined>>();
  private listening = false;

  /** Another interpreter may be meant from now on. */
  readonly onDidChange = this.changed.event;

  constructor(private readonly log: vscode.LogOutputChannel) {
    this.disposables.push(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("jaxfix.python") || event.affectsConfiguration("python.defaultInterpreterPath")) {
          this.forget();
        }
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => { this.forget(); }),
    );
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }

  /** The interpreter that is meant for the file or folder, or nothing where there is none. */
  async of(scope: vscode.Uri | undefined): Promise<Interpreter | undefined> {
    const folder = folderOf(scope);
    const key = folder?.uri.toString() ?? "";
    let found = this.chosen.get(key);
    if (!found) this.chosen.set(key, (found = this.choose(folder)));
    return found;
  }

  /** The first executable of that name on the PATH that may be run. */
  async executable(name: string): Promise<string | undefined> {
    return firstExisting(onPath(surroundings(undefined, undefined), [name]));
  }

  /** Looks again, because what is installed or selected has changed. */
  forget(): void {
    this.chosen.clear();
    this.changed.fire();
  }

  private async choose(folder: vscode.WorkspaceFolder | undefined): Promise<Interpreter | undefined> {
    const candidates = interpreters(surroundings(folder, await this.selected(folder)));
    const path = await firstExisting(candidates.map((candidate) => candidate.path));
    return candidates.find((candidate) => candidate.path === path);
  }

  private async selected(folder: vscode.WorkspaceFolder | undefined): Promise<string | undefined> {
    // in a workspace that is not trusted the Python extension runs nothing, and says nothing
    if (!vscode.workspace.isTrusted) return undefined;
    try {
      const environments = (await this.extension())?.environments;
      if (!environments) return undefined;
      const active = environments.getActiveEnvironmentPath(folder?.uri);
      const resolved = await environments.resolveEnvironment(active);
      return resolved?.executable.uri?.fsPath ?? active.path;
    } catch (error) {
      this.log.warn(`The Python extension does not say which interpreter is selected: ${String(error)}`);
      return undefined;
    }
  }

  private async extension(): Promise<PythonExtension | undefined> {
    const extension = vscode.extensions.getExtension<PythonExtension>(PYTHON_EXTENSION);
    if (!extension) return undefined;
    const api = extension.isActive ? extension.exports : await extension.activate();
    await api.ready;
    if (!this.listening) {
      this.listening = true;
      this.disposables.push(api.environments.onDidChangeActiveEnvironmentPath(() => { this.forget(); }));
    }
    return api;
  }
}

export function hasPythonExtension(): boolean {
  return vscode.extensions.getExtension(PYTHON_EXTENSION) !== undefined;
}

function surroundings(folder: vscode.WorkspaceFolder | undefined, selected: string | undefined): Surroundings {
  const trusted = vscode.workspace.isTrusted;
  const scope = folder?.uri ?? null;
  const fallback = vscode.workspace.getConfiguration("python", scope).inspect<string>("defaultInterpreterPath");
  const local = trusted ? (fallback?.workspaceFolderValue ?? fallback?.workspaceValue) : undefined;
  return {
    // what a workspace says of this one the editor itself leaves out until the workspace is trusted
    setting: vscode.workspace.getConfiguration("jaxfix", scope).get<string | null>("python") ?? undefined,
    selected,
    fallback: local ?? fallback?.globalValue,
    folder: folder?.uri.scheme === "file" ? folder.uri.fsPath : undefined,
    folders: (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath),
    trusted,
    platform: process.platform,
    home: homedir(),
    environment: process.env,
  };
}

function folderOf(scope: vscode.Uri | undefined): vscode.WorkspaceFolder | undefined {
  return (scope && vscode.workspace.getWorkspaceFolder(scope)) ?? vscode.workspace.workspaceFolders?.[0];
}

async function firstExisting(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const runs = await access(path, constants.X_OK).then(() => true, () => false);
    if (runs) return path;
  }
  return undefined;
}

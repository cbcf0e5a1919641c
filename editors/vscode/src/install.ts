import { dirname } from "node:path";
import * as vscode from "vscode";
import { shown, speaksJax } from "./environment.ts";
import { hasPythonExtension, type Pythons } from "./python.ts";
import { askForTrust, type Server } from "./server.ts";
import type { State } from "./state.ts";

const INSTALL = "Install";
const SELECT = "Select Interpreter";
const NOT_HERE = "Not in This Workspace";
const LOG = "Show Log";
const RESTART = "Try Again";
const REFUSED = "jaxfix.install.refused";

/** Offers what is missing, once for each interpreter; does nothing without a click. */
export class Installer implements vscode.Disposable {
  private readonly offered = new Set<string>();
  private readonly listening: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly pythons: Pythons,
    private readonly memory: vscode.Memento,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.listening = vscode.Disposable.from(
      server.onDidChange(() => { void this.offer(); }),
      vscode.workspace.onDidOpenTextDocument(() => { void this.offer(); }),
      vscode.workspace.onDidSaveTextDocument(() => { void this.offer(); }),
    );
  }

  dispose(): void {
    this.listening.dispose();
  }

  /** Installs where it is missing, in a terminal; what forgets the interpreters then starts the server. */
  async install(): Promise<void> {
    const { state } = this.server;
    if (state.kind === "running") {
      void vscode.window.showInformationMessage(`jaxfix ${state.version ?? ""} is installed: ${state.command[0] ?? ""}`);
      return;
    }
    if (state.kind !== "missing") {
      await this.complain(state);
      return;
    }
    if (!vscode.workspace.isTrusted) {
      await askForTrust();
      return;
    }
    const code = await this.inTerminal(state.install, dirname(state.python.path));
    if (code === 0) {
      this.pythons.forget();
    } else {
      this.log.error(`${shown(state.install)} has ended with ${code ?? "no exit code"}`);
      void vscode.window.showErrorMessage("jaxfix was not installed: the terminal says why.");
    }
  }

  private async offer(): Promise<void> {
    const { state } = this.server;
    if (state.kind !== "missing" && state.kind !== "failed" && state.kind !== "unfit") return;
    const key = JSON.stringify(state);
    if (this.offered.has(key) || !vscode.workspace.textDocuments.some(concernsJax)) return;
    if (state.kind !== "failed" && (this.memory.get(REFUSED) || !vscode.workspace.isTrusted)) return;
    this.offered.add(key);
    if (state.kind === "missing") await this.ask(state);
    else await this.complain(state);
  }

  private async ask({ install }: Extract<State, { kind: "missing" }>): Promise<void> {
    const question = `jaxfix is not in the selected environment. Install it there by: ${shown(install)}`;
    const answer = await vscode.window.showInformationMessage(question, INSTALL, SELECT, NOT_HERE);
    if (answer === INSTALL) await this.install();
    else if (answer === SELECT) await selectInterpreter();
    else if (answer === NOT_HERE) await this.memory.update(REFUSED, true);
  }

  private async complain(state: State): Promise<void> {
    if (state.kind === "unfit") {
      const where = state.python ? `jaxfix cannot use ${state.python.path}: ` : "jaxfix: ";
      const answer = await vscode.window.showWarningMessage(where + state.reason, SELECT, NOT_HERE);
      if (answer === SELECT) await selectInterpreter();
      else if (answer === NOT_HERE) await this.memory.update(REFUSED, true);
    } else if (state.kind === "failed") {
      const answer = await vscode.window.showErrorMessage(state.reason, LOG, RESTART);
      if (answer === LOG) this.log.show();
      else if (answer === RESTART) await this.server.restart();
    }
  }

  /** The exit code of the command, run where it can be watched and stopped; no shell reads it. */
  private async inTerminal([file, ...args]: readonly string[], cwd: string): Promise<number | undefined> {
    const execution = new vscode.ProcessExecution(file ?? "", args, { cwd });
    const task = new vscode.Task({ type: "jaxfix.install" }, vscode.TaskScope.Workspace, "install jaxfix", "jaxfix", execution, []);
    task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, panel: vscode.TaskPanelKind.Dedicated };
    const disposables: vscode.Disposable[] = [];
    const ended = new Promise<number | undefined>((resolve) => {
      vscode.tasks.onDidEndTaskProcess(({ execution: { task: ended }, exitCode }) => {
        if (ended.name === task.name && ended.source === task.source) resolve(exitCode);
      }, undefined, disposables);
    });
    try {
      await vscode.tasks.executeTask(task);
      return await ended;
    } finally {
      vscode.Disposable.from(...disposables).dispose();
    }
  }
}

export async function selectInterpreter(): Promise<void> {
  if (hasPythonExtension()) await vscode.commands.executeCommand("python.setInterpreter");
  else await vscode.commands.executeCommand("workbench.action.openSettings", "jaxfix.python");
}

function concernsJax(document: vscode.TextDocument): boolean {
  return document.languageId === "python" && speaksJax(document.getText());
}

import * as vscode from "vscode";
import { registerCommands } from "./commands.ts";
import { Installer } from "./install.ts";
import { Pages } from "./pages.ts";
import { Pythons } from "./python.ts";
import { Server } from "./server.ts";
import { Status } from "./status.ts";

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("jaxfix", { log: true });
  const pythons = new Pythons(log);
  const pages = new Pages();
  const started = (server = new Server(pythons, pages, log));
  const installer = new Installer(started, pythons, context.workspaceState, log);
  context.subscriptions.push(
    log,
    pythons,
    pages,
    started,
    installer,
    new Status(started),
    registerCommands(started, installer, log),
    pythons.onDidChange(() => void started.refresh()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => { pythons.forget(); }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("jaxfix.server.command")) void started.restart();
    }),
  );
  void started.restart();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

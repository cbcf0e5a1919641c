import * as vscode from "vscode";
import { counted } from "./findings.ts";
import type { Server } from "./server.ts";
import { told } from "./state.ts";

const COLOURS = {
  none: undefined,
  warning: new vscode.ThemeColor("statusBarItem.warningBackground"),
  error: new vscode.ThemeColor("statusBarItem.errorBackground"),
};

/** The item in the status bar, there whenever Python is analysed. */
export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("jaxfix.status", vscode.StatusBarAlignment.Right, 100);
  private readonly listening: vscode.Disposable;

  constructor(private readonly server: Server) {
    this.item.name = "jaxfix";
    this.item.command = "jaxfix.menu";
    this.listening = vscode.Disposable.from(
      this.item,
      server.onDidChange(() => { this.draw(); }),
      vscode.languages.onDidChangeDiagnostics(() => { this.draw(); }),
      vscode.window.onDidChangeActiveTextEditor(() => { this.draw(); }),
      vscode.window.onDidChangeActiveNotebookEditor(() => { this.draw(); }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => { this.draw(); }),
    );
    this.draw();
  }

  dispose(): void {
    this.listening.dispose();
  }

  private draw(): void {
    const documents = documentsInSight();
    if (documents.length === 0) {
      this.item.hide();
      return;
    }
    const { state, activity } = this.server;
    const { text, lines, severity, spoken } = told(state, activity, counted(documents), !vscode.workspace.isTrusted);
    this.item.text = text;
    this.item.tooltip = lines.join("\n");
    this.item.backgroundColor = COLOURS[severity];
    this.item.accessibilityInformation = { label: spoken, role: "button" };
    this.item.show();
  }
}

/** The Python that is analysed: a file, or the cells of a notebook. */
function documentsInSight(): vscode.Uri[] {
  const notebook = vscode.window.activeNotebookEditor?.notebook;
  if (notebook) {
    return notebook.getCells().filter(({ document }) => document.languageId === "python").map(({ document }) => document.uri);
  }
  const document = vscode.window.activeTextEditor?.document;
  return document?.languageId === "python" ? [document.uri] : [];
}

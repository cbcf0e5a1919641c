import * as vscode from "vscode";
import { findingsAt, findingsOf, type Finding } from "./findings.ts";
import { selectInterpreter, type Installer } from "./install.ts";
import { askForTrust, type Server } from "./server.ts";

type Choice = vscode.QuickPickItem & { readonly command: string };

/** The commands of the palette. Those of the server itself (`jaxfix.trace` and so on) the client registers. */
export function registerCommands(server: Server, installer: Installer, log: vscode.LogOutputChannel): vscode.Disposable {
  const commands: Record<string, () => Promise<void> | void> = {
    "jaxfix.menu": () => menu(server),
    "jaxfix.restart": () => server.restart(),
    "jaxfix.stop": () => server.stop(),
    "jaxfix.showLog": () => { log.show(); },
    "jaxfix.install": () => installer.install(),
    "jaxfix.selectInterpreter": selectInterpreter,
    "jaxfix.traceScript": () => traceScript(server),
    "jaxfix.forgetTrace": () => forgetTrace(server),
    "jaxfix.proveFix": () => proveFix(server),
    "jaxfix.proveFile": () => proveFile(server),
    "jaxfix.fixAllSafe": () => fixAllSafe(server),
    "jaxfix.explainFinding": () => explainFinding(server),
  };
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run)),
  );
}

async function menu({ state }: Server): Promise<void> {
  const choices: Choice[] = [];
  if (state.kind === "running") {
    choices.push(
      { label: "$(wand) Fix all that is safe", command: "jaxfix.fixAllSafe" },
      { label: "$(play) Trace this script", detail: "Runs it, and shows what compiled again", command: "jaxfix.traceScript" },
      { label: "$(beaker) Prove this fix", detail: "Runs the program with and without it", command: "jaxfix.proveFix" },
      { label: "$(book) Explain this finding", command: "jaxfix.explainFinding" },
    );
  }
  if (state.kind === "missing") choices.push({ label: "$(cloud-download) Install jaxfix", detail: state.install.join(" "), command: "jaxfix.install" });
  choices.push(
    { label: "$(debug-restart) Restart the server", command: "jaxfix.restart" },
    { label: "$(output) Show the log", command: "jaxfix.showLog" },
    { label: "$(symbol-misc) Select the Python interpreter", command: "jaxfix.selectInterpreter" },
  );
  const choice = await vscode.window.showQuickPick(choices, { title: "jaxfix", placeHolder: "What shall jaxfix do?" });
  if (choice) await vscode.commands.executeCommand(choice.command);
}

async function traceScript(server: Server): Promise<void> {
  const uri = await runnable(server);
  if (uri) await vscode.commands.executeCommand("jaxfix.trace", { uri });
}

async function forgetTrace(server: Server): Promise<void> {
  if (isServing(server)) await server.execute("jaxfix.clearTrace", {});
}

async function proveFix(server: Server): Promise<void> {
  const finding = await chosenFinding("Which fix shall be proven?");
  const uri = finding && (await runnable(server));
  if (uri) await vscode.commands.executeCommand("jaxfix.prove", { uri, key: finding.key });
}

async function proveFile(server: Server): Promise<void> {
  const uri = await runnable(server);
  if (uri) await vscode.commands.executeCommand("jaxfix.prove", { uri });
}

async function fixAllSafe(server: Server): Promise<void> {
  const document = pythonEditor()?.document;
  if (document && isServing(server)) await server.execute("jaxfix.fixAll", { uri: document.uri.toString() });
}

async function explainFinding(server: Server): Promise<void> {
  if (!isServing(server)) return;
  const finding = await chosenFinding("Which finding shall be explained?");
  if (finding) await server.execute("jaxfix.explain", { id: finding.id });
}

/** The file of the editor, saved, if a program may be run at all; what is run is asked for by the server. */
async function runnable(server: Server): Promise<string | undefined> {
  if (!vscode.workspace.isTrusted) {
    await askForTrust();
    return undefined;
  }
  const document = pythonEditor()?.document;
  if (!document || !isServing(server)) return undefined;
  if (document.isDirty && !document.isUntitled) await document.save();
  return document.uri.toString();
}

async function chosenFinding(placeHolder: string): Promise<Finding | undefined> {
  const editor = pythonEditor();
  if (!editor) return undefined;
  const under = findingsAt(editor);
  const found = under.length > 0 ? under : findingsOf(editor.document.uri);
  if (found.length === 0) void vscode.window.showInformationMessage("jaxfix has found nothing in this file.");
  if (found.length <= 1) return found[0];
  const choices = found.map((finding) => ({
    label: finding.id,
    description: `line ${finding.diagnostic.range.start.line + 1}`,
    detail: finding.diagnostic.message,
    finding,
  }));
  return (await vscode.window.showQuickPick(choices, { placeHolder }))?.finding;
}

function pythonEditor(): vscode.TextEditor | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId === "python") return editor;
  void vscode.window.showInformationMessage("jaxfix looks at Python: open a file or a notebook first.");
  return undefined;
}

/** Whether the server runs; says what hinders it if not. */
function isServing({ state }: Server): boolean {
  if (state.kind === "running") return true;
  void vscode.window.showWarningMessage("jaxfix does not run.", "Why?").then((answer) => {
    if (answer) void vscode.commands.executeCommand("jaxfix.menu");
  });
  return false;
}

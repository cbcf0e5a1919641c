import * as vscode from "vscode";

const SCHEME = "jaxfix-page";
const KEPT = 20;

/** Pages of markdown that the server has sent, read in the editor's own preview. */
export class Pages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  readonly onDidChange = this.changed.event;

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? "This page was of an earlier session: ask for it again.\n";
  }

  async show(title: string, markdown: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${title.replaceAll("/", " ")}.md` });
    this.texts.delete(uri.path);
    this.texts.set(uri.path, markdown);
    const oldest = [...this.texts.keys()].slice(0, -KEPT);
    for (const path of oldest) this.texts.delete(path);
    this.changed.fire(uri);
    await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
  }
}

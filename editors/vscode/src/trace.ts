import * as vscode from "vscode";

/**
 * The log, as a channel of which the client believes that it takes traces whenever `jaxfix.trace.server` asks for them:
 * by itself it would write them only at the log level "Trace".
 */
export function traceChannel(log: vscode.LogOutputChannel): vscode.LogOutputChannel & vscode.Disposable {
  const changed = new vscode.EventEmitter<vscode.LogLevel>();
  const level = (): vscode.LogLevel => (isWanted() ? vscode.LogLevel.Trace : log.logLevel);
  const listening = vscode.Disposable.from(
    changed,
    log.onDidChangeLogLevel(() => { changed.fire(level()); }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("jaxfix.trace.server")) changed.fire(level());
    }),
  );
  const write = (message: string): void => {
    if (log.logLevel !== vscode.LogLevel.Trace && isWanted()) log.info(message);
    else log.trace(message);
  };
  return new Proxy(log, {
    get(channel, name) {
      if (name === "logLevel") return level();
      if (name === "onDidChangeLogLevel") return changed.event;
      if (name === "trace") return write;
      if (name === "dispose") return () => { listening.dispose(); };
      const value: unknown = Reflect.get(channel, name, channel);
      return typeof value === "function" ? (value as (...args: unknown[]) => unknown).bind(channel) : value;
    },
  });
}

function isWanted(): boolean {
  return vscode.workspace.getConfiguration("jaxfix").get<string>("trace.server", "off") !== "off";
}

// The life of the language server: what starts it, what ends it, and what is known of it in between.
import { spawn, type ChildProcess } from "node:child_process";
import { access } from "node:fs/promises";
import { homedir } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  RevealOutputChannelOn,
  WorkDoneProgressCancelNotification,
  type ConfigurationParams,
  type ErrorHandler,
  type LanguageClientOptions,
  type Middleware,
  type StaticFeature,
} from "vscode-languageclient/node";
import { Crashes } from "./crashes.ts";
import { fitness, REQUIREMENT, serving, shown, type Interpreter } from "./environment.ts";
import type { Pages } from "./pages.ts";
import { lastLine, probe } from "./probe.ts";
import { Progresses } from "./progress.ts";
import type { Pythons } from "./python.ts";
import type { Activity, State } from "./state.ts";
import { traceChannel } from "./trace.ts";

/** What runs programs of the user: never in a workspace that is not trusted. */
const RUNNING_COMMANDS = new Set(["jaxfix.trace", "jaxfix.prove"]);
const MOST_CRASHES = 4;
const WITHIN_MS = 180_000;
const LAST_WORDS = 4_000;
const LAST_WORDS_MS = 1_000;

type Obstacle = Extract<State, { kind: "missing" | "unfit" | "failed" }>;
interface Plan {
  readonly command: readonly string[];
  readonly version: string | undefined;
  /** What to say if the command turns out not to have what serving takes. */
  readonly otherwise: Obstacle | undefined;
}

export class Server implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly crashes = new Crashes(MOST_CRASHES, WITHIN_MS);
  private readonly progresses: Progresses;
  private readonly tracing: ReturnType<typeof traceChannel>;
  private queue: Promise<void> = Promise.resolve();
  private client: LanguageClient | undefined;
  private running: Plan | undefined;
  private lastWords = "";
  private ended: Promise<void> = Promise.resolve();
  private told: State = { kind: "stopped" };
  private doing: Activity | undefined;

  readonly onDidChange = this.changed.event;

  constructor(
    private readonly pythons: Pythons,
    private readonly pages: Pages,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.tracing = traceChannel(log);
    this.progresses = new Progresses((token) => {
      void this.client?.sendNotification(WorkDoneProgressCancelNotification.type, { token });
    });
  }

  get state(): State {
    return this.told;
  }

  get activity(): Activity | undefined {
    return this.doing;
  }

  dispose(): void {
    this.changed.dispose();
    this.tracing.dispose();
  }

  /** Starts the server again, with whatever serves best now. */
  restart(): Promise<void> {
    this.crashes.forget();
    return this.next(() => this.replace(undefined));
  }

  /** Starts the server again if something else serves best now; sends it the new settings if not. */
  refresh(): Promise<void> {
    return this.next(async () => {
      await this.replace(this.told.kind === "running" ? this.running : undefined);
    });
  }

  stop(): Promise<void> {
    return this.next(async () => {
      await this.end();
      this.tell({ kind: "stopped" });
    });
  }

  /** Has the server carry out one of its commands; undefined if it does not run. */
  async execute(command: string, argument: object): Promise<unknown> {
    if (!this.client || this.told.kind !== "running") return undefined;
    return this.client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] });
  }

  /** One after the other: settings, interpreters and people change faster than a server starts. */
  private next(step: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(step).catch((error: unknown) => {
      this.log.error(error instanceof Error ? error : String(error));
      this.tell({ kind: "failed", reason: String(error) });
    });
    return this.queue;
  }

  private async replace(unless: Plan | undefined): Promise<void> {
    const plan = await this.plan();
    if (unless && "command" in plan && plan.command.join("\0") === unless.command.join("\0")) {
      await this.client?.sendNotification("workspace/didChangeConfiguration", { settings: null });
      return;
    }
    await this.end();
    if ("command" in plan) await this.begin(plan);
    else this.tell(plan);
  }

  private async plan(): Promise<Plan | Obstacle> {
    const configured = vscode.workspace.getConfiguration("jaxfix").get<string[] | null>("server.command");
    if (configured && configured.length > 0) return { command: [...configured, "lsp"], version: undefined, otherwise: undefined };
    let obstacle: Obstacle | undefined;
    for (const folder of vscode.workspace.workspaceFolders ?? [undefined]) {
      const plan = await this.planWith(await this.pythons.of(folder?.uri));
      if ("command" in plan) return plan;
      obstacle ??= plan;
    }
    obstacle ??= { kind: "unfit", python: undefined, reason: "no Python is found" };
    const installed = await this.pythons.executable("jaxfix");
    return installed ? { command: [installed, "lsp"], version: undefined, otherwise: obstacle } : obstacle;
  }

  private async planWith(python: Interpreter | undefined): Promise<Plan | Obstacle> {
    if (!python) return { kind: "unfit", python, reason: "no Python is found" };
    try {
      const fit = fitness(await probe(python.path), await this.pythons.executable("uv"));
      this.log.info(`${python.path} (${python.origin}): ${JSON.stringify(fit)}`);
      if (fit.kind === "ready") return { command: serving(python.path), version: fit.version, otherwise: undefined };
      return fit.kind === "missing" ? { kind: "missing", python, install: fit.install } : { kind: "unfit", python, reason: fit.reason };
    } catch (error) {
      return { kind: "unfit", python, reason: error instanceof Error ? error.message : String(error) };
    }
  }

  private async begin(plan: Plan): Promise<void> {
    if (!(await this.starts(plan))) this.tell(this.failure(plan));
  }

  /** Starts what has run before, until that succeeds or has failed too often. */
  private async revive(plan: Plan): Promise<void> {
    this.client = undefined;
    while (!this.crashes.tooOften(Date.now())) {
      this.log.warn("the server has ended by itself: it is started again");
      if (await this.starts(plan)) return;
    }
    const last = lastLine(this.lastWords);
    const reason = `jaxfix has ended by itself ${MOST_CRASHES + 1} times in ${WITHIN_MS / 60_000} minutes${last ? `: ${last}` : ""}`;
    this.tell({ kind: "failed", reason });
  }

  private async starts(plan: Plan): Promise<boolean> {
    this.tell({ kind: "starting" });
    this.log.info(`starts ${shown(plan.command)}`);
    this.running = plan;
    const client = (this.client = await this.made(plan));
    try {
      await client.start();
      this.tell(this.runs(client, plan));
      return true;
    } catch (error) {
      this.log.error(error instanceof Error ? error : String(error));
      this.client = undefined;
      // its last words may come after its end
      await Promise.race([this.ended, delay(LAST_WORDS_MS)]);
      return false;
    }
  }

  private async made(plan: Plan): Promise<LanguageClient> {
    const client = new QuietClient("jaxfix", "jaxfix", () => this.spawned(plan.command), await this.options(plan));
    client.registerFeature(ABILITIES);
    client.onNotification("jaxfix/status", (activity: Activity) => { this.tell(this.told, activity); });
    client.onNotification("jaxfix/showPage", ({ title, markdown }: { title: string; markdown: string }) => this.pages.show(title, markdown));
    return client;
  }

  private runs(client: LanguageClient, plan: Plan): State {
    const version = client.initializeResult?.serverInfo?.version ?? plan.version;
    return { kind: "running", version, command: plan.command };
  }

  private failure({ command, otherwise }: Plan): Obstacle {
    // so jaxfix says that it is there without what serving takes
    if (otherwise && this.lastWords.includes(REQUIREMENT)) return otherwise;
    const last = lastLine(this.lastWords);
    return { kind: "failed", reason: `\`${shown(command)}\` does not start${last ? `: ${last}` : ""}` };
  }

  private async end(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    this.running = undefined;
    this.progresses.endAll();
    try {
      await client?.dispose();
    } catch (error) {
      this.log.warn(`the server did not end as it should: ${String(error)}`);
    }
  }

  private async spawned(command: readonly string[]): Promise<ChildProcess> {
    const [file, ...args] = command;
    if (file === undefined) throw new Error("`jaxfix.server.command` is empty");
    const folder = vscode.workspace.isTrusted ? vscode.workspace.workspaceFolders?.[0]?.uri : undefined;
    const cwd = folder?.scheme === "file" ? folder.fsPath : homedir();
    await access(cwd);
    const server = spawn(file, args, { cwd, windowsHide: true });
    this.lastWords = "";
    server.stderr.on("data", (data: Buffer) => { this.lastWords = (this.lastWords + data.toString()).slice(-LAST_WORDS); });
    this.ended = new Promise((ended) => server.once("close", () => { ended(); }));
    await new Promise<void>((resolve, reject) => {
      server.once("spawn", resolve);
      server.once("error", (error) => {
        this.lastWords = error.message;
        reject(error);
      });
    });
    return server;
  }

  private async options(plan: Plan): Promise<LanguageClientOptions> {
    return {
      documentSelector: [
        { language: "python", scheme: "file" },
        { language: "python", scheme: "untitled" },
        { language: "python", scheme: "vscode-notebook-cell" },
      ],
      outputChannel: this.log,
      traceOutputChannel: this.tracing,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: await this.filled(vscode.workspace.getConfiguration("jaxfix"), undefined),
      initializationFailedHandler: () => false,
      errorHandler: this.errorHandler(plan),
      diagnosticPullOptions: { onChange: true, onSave: true, onTabs: false },
      markdown: { isTrusted: { enabledCommands: ["jaxfix.explain"] } },
      middleware: this.middleware(),
    };
  }

  private middleware(): Middleware {
    return {
      workspace: {
        configuration: async (params, token, next) => {
          const values: unknown = await next(params, token);
          return Array.isArray(values) ? this.answered(params, values) : [];
        },
      },
      executeCommand: async (command, args, next) => {
        if (RUNNING_COMMANDS.has(command) && !vscode.workspace.isTrusted) {
          await askForTrust();
          return undefined;
        }
        const answer: unknown = await next(command, args);
        return answer;
      },
      handleWorkDoneProgress: (token, params, next) => {
        if (!this.progresses.take(token, params)) next(token, params);
      },
    };
  }

  private answered({ items }: ConfigurationParams, values: readonly unknown[]): Promise<unknown[]> {
    return Promise.all(
      values.map((value, place) => {
        const item = items[place];
        if (item?.section !== "jaxfix") return value;
        return this.filled(value, item.scopeUri === undefined ? undefined : vscode.Uri.parse(item.scopeUri));
      }),
    );
  }

  /** The settings, with the interpreter that is selected where none is set. */
  private async filled(settings: unknown, scope: vscode.Uri | undefined): Promise<object> {
    const given = JSON.parse(JSON.stringify(settings ?? {})) as { python?: string | null };
    return { ...given, python: (await this.pythons.of(scope))?.path ?? null };
  }

  private errorHandler(plan: Plan): ErrorHandler {
    return {
      error: (error, _message, count) => {
        this.log.error(error);
        return { action: (count ?? 0) <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown, handled: true };
      },
      closed: () => {
        this.progresses.endAll();
        if (this.told.kind === "running" && this.running === plan) {
          this.tell({ kind: "starting" });
          void this.next(async () => {
            // unless something else was asked for by then
            if (this.running === plan) await this.revive(plan);
          });
        }
        // the client's own way would show each attempt that fails
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    };
  }

  private tell(state: State, activity?: Activity): void {
    this.told = state;
    this.doing = state.kind === "running" ? activity : undefined;
    void vscode.commands.executeCommand("setContext", "jaxfix.running", state.kind === "running");
    this.changed.fire();
  }
}

/** Writes errors into the log only: what a person must know the status item and one message say. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export async function askForTrust(): Promise<void> {
  const manage = "Manage Workspace Trust";
  const answer = await vscode.window.showWarningMessage("jaxfix runs no program of a workspace in restricted mode.", manage);
  if (answer === manage) await vscode.commands.executeCommand("workbench.trust.manage");
}

const ABILITIES: StaticFeature = {
  fillClientCapabilities: (capabilities) => {
    capabilities.experimental = { ...(capabilities.experimental as object | undefined), jaxfix: { status: true, showPage: true } };
  },
  initialize: () => undefined,
  getState: () => ({ kind: "static" }),
  clear: () => undefined,
};

import * as vscode from "vscode";
import type { ProgressToken, WorkDoneProgressBegin, WorkDoneProgressEnd, WorkDoneProgressReport } from "vscode-languageclient/node";

type Progress = WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd;
interface Step {
  readonly message?: string;
  readonly increment?: number;
}
interface Shown {
  readonly done: () => void;
  readonly report: (step: Step) => void;
  percentage: number;
}

/** Shows what can be cancelled where it can be cancelled: as a notification. The client alone shows it in the status bar. */
export class Progresses {
  private readonly shown = new Map<ProgressToken, Shown>();

  constructor(private readonly cancel: (token: ProgressToken) => void) {}

  /** Takes the news of a progress; false if the client is to show it itself. */
  take(token: ProgressToken, news: Progress): boolean {
    if (news.kind === "begin") {
      if (!news.cancellable) return false;
      this.begin(token, news);
      return true;
    }
    const shown = this.shown.get(token);
    if (!shown) return false;
    if (news.kind === "end") {
      this.shown.delete(token);
      shown.done();
    } else {
      const increment = news.percentage === undefined ? 0 : Math.max(0, news.percentage - shown.percentage);
      shown.percentage += increment;
      shown.report({ ...(news.message === undefined ? {} : { message: news.message }), increment });
    }
    return true;
  }

  /** Ends them all: the server that reported them is gone. */
  endAll(): void {
    for (const { done } of this.shown.values()) done();
    this.shown.clear();
  }

  private begin(token: ProgressToken, { title, message }: WorkDoneProgressBegin): void {
    // the editor calls back later, when the end may have been shown already
    const waiting: Step[] = message === undefined ? [] : [{ message }];
    let report = (step: Step): void => void waiting.push(step);
    const ended = new Promise<void>((done) => {
      this.shown.set(token, { done, report: (step) => { report(step); }, percentage: 0 });
    });
    const options = { location: vscode.ProgressLocation.Notification, cancellable: true, title };
    void vscode.window.withProgress(options, (progress, cancelled) => {
      cancelled.onCancellationRequested(() => { this.cancel(token); });
      report = (step) => { progress.report(step); };
      waiting.forEach(report);
      return ended;
    });
  }
}

// Talks to the server. The token comes in the link's fragment, stays in this tab, and goes with every request.
import type { Document, Plan, State } from "./types";

const KEY = "jaxfix-token";

function token(): string {
  const found = /^#token=([\w-]+)$/.exec(location.hash);
  if (found?.[1]) {
    sessionStorage.setItem(KEY, found[1]);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(KEY) ?? "";
}

export class Refused extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(`/api/${path}`, { ...init, headers: { ...init.headers, Authorization: `Bearer ${token()}` } });
  } catch {
    throw new Refused("jaxfix is not running any more", 0);
  }
  if (!answer.ok) throw new Refused(await answer.text(), answer.status);
  return answer;
}

async function tell<T>(path: string, body: object = {}): Promise<T> {
  const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  return (await ask(path, init)).json();
}

export const api = {
  hasToken: () => token() !== "",
  document: async (): Promise<Document> => (await ask("document")).json(),
  decide: (document: number, fixes: number[], choice: string | null) => tell<State>("decide", { document, fixes, choice }),
  undo: () => tell<State & { fixes: number[] }>("undo"),
  edit: (document: number, fix: number, text: string | null) => tell<State>("edit", { document, fix, text }),
  forget: (document: number) => tell<State>("forget", { document }),
  plan: () => tell<Plan>("plan"),
  prove: (digest: string) => tell<State>("prove", { digest }),
  cancel: () => tell<State>("cancel"),
  write: (digest: string) => tell<State>("write", { digest }),
  takeBack: (number: number) => tell<State>("take-back", { number }),
  look: () => tell<State>("look"),
};

// States as they change, until the server ends; starts again where only the connection was lost.
export async function follow(seen: (state: State) => void, lost: (isLost: boolean) => void): Promise<never> {
  for (;;) {
    try {
      const answer = await ask("events");
      lost(false);
      await read(answer, seen);
    } catch (error) {
      if (error instanceof Refused && error.status === 401) throw error;
    }
    lost(true);
    await new Promise((wake) => setTimeout(wake, 1000));
  }
}

async function read(answer: Response, seen: (state: State) => void): Promise<void> {
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) if (event.startsWith("data: ")) seen(JSON.parse(event.slice(6)));
  }
}

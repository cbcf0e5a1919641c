import { render } from "preact";
import { api } from "./api";
import { App } from "./app";
import type { Document } from "./types";

async function begin(): Promise<void> {
  const root = document.getElementById("root")!;
  const data = document.getElementById("data");
  let first: Document;
  try {
    if (!data && !api.hasToken()) throw new Error("Open the link that jaxfix printed in the terminal: it contains the token of this page.");
    first = data ? JSON.parse(data.textContent!) : await api.document();
  } catch (error) {
    const reason = (error as Error).message;
    render(
      <main class="closed">
        <h1>jaxfix review</h1>
        <p role="alert">{reason}</p>
      </main>,
      root,
    );
    return;
  }
  document.title = `jaxfix ${first.kind}: ${first.project.split("/").at(-1)}`;
  render(<App first={first} />, root);
  requestAnimationFrame(() => {
    document.getElementById("list")?.focus();
    performance.mark("ready");
  });
}

void begin();

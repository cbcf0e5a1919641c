import assert from "node:assert/strict";
import { test } from "node:test";
import { Crashes } from "../src/crashes.ts";
import { told, type State } from "../src/state.ts";

const RUNNING: State = { kind: "running", version: "0.3.0", command: ["/env/bin/python", "-P", "-m", "jaxfix", "lsp"] };
const NONE = { here: 0, everywhere: 0 };

test("the status item says what runs, and how much is found", () => {
  assert.deepEqual(told(RUNNING, undefined, { here: 1, everywhere: 3 }, false), {
    text: "$(zap) jaxfix 1",
    lines: ["jaxfix 0.3.0 runs", "1 finding here, 3 findings in open files", "from /env/bin/python"],
    severity: "none",
    spoken: "jaxfix, 1 finding here, 3 findings in open files",
  });
  assert.equal(told(RUNNING, undefined, NONE, false).text, "$(zap) jaxfix");
  assert.equal(told(RUNNING, undefined, NONE, true).lines.at(-1), "restricted mode: nothing of this workspace is run");
});

test("what the server is at comes first", () => {
  const busy = told(RUNNING, { busy: true, message: "traces train.py" }, NONE, false);
  assert.equal(busy.lines[0], "traces train.py");
  assert.match(busy.text, /spin/);
  assert.match(told(RUNNING, { busy: false, message: "ready" }, NONE, false).lines[0] ?? "", /runs$/);
});

test("what hinders it is shown with its gravity, and to a screen reader without icons", () => {
  const python = { path: "/env/bin/python", origin: "selected" } as const;
  const cases: [State, string, RegExp][] = [
    [{ kind: "missing", python, install: [] }, "warning", /^jaxfix is not installed in \/env\/bin\/python$/],
    [{ kind: "unfit", python, reason: "Python 3.8.1 is older than 3.11" }, "warning", /^\/env\/bin\/python: Python 3\.8\.1/],
    [{ kind: "unfit", python: undefined, reason: "no Python is found" }, "warning", /^no Python is found$/],
    [{ kind: "failed", reason: "it broke" }, "error", /^it broke$/],
    [{ kind: "starting" }, "none", /^jaxfix starts$/],
    [{ kind: "stopped" }, "none", /^jaxfix does not run$/],
  ];
  for (const [state, severity, spoken] of cases) {
    const said = told(state, undefined, NONE, false);
    assert.equal(said.severity, severity);
    assert.match(said.spoken, spoken);
    assert.deepEqual(said.lines, [said.spoken]);
  }
});

test("a server that ends by itself is started again, but not for ever", () => {
  const crashes = new Crashes(2, 1000);
  assert.deepEqual([0, 10, 20].map((now) => crashes.tooOften(now)), [false, false, true]);
  assert.equal(crashes.tooOften(5000), false);
  crashes.tooOften(5001);
  crashes.forget();
  assert.equal(crashes.tooOften(5002), false);
});

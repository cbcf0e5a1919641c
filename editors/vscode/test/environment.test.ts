import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  filledIn,
  fitness,
  interpreters,
  mayRun,
  onPath,
  serving,
  shown,
  speaksJax,
  type Probed,
  type Surroundings,
} from "../src/environment.ts";
import { probe } from "../src/probe.ts";

const HERE: Surroundings = {
  setting: undefined,
  selected: undefined,
  fallback: undefined,
  folder: "/home/ada/net",
  folders: ["/home/ada/net", "/home/ada/other"],
  trusted: true,
  platform: "linux",
  home: "/home/ada",
  environment: { PATH: "/usr/local/bin:/usr/bin" },
};
const READY: Probed = { executable: "/env/bin/python", version: [3, 12, 1], jaxfix: "0.3.0", pygls: "2.1.0", pip: true, managed: false };

function paths(around: Partial<Surroundings>): string[] {
  return interpreters({ ...HERE, ...around }).map(({ path, origin }) => `${origin} ${path}`);
}

test("the interpreters come in the order in which they are believed", () => {
  const named = { setting: "/a/python", selected: "/b/python", fallback: "/c/python", environment: { PATH: "/usr/bin", VIRTUAL_ENV: "/active" } };
  assert.deepEqual(paths(named), [
    "setting /a/python",
    "selected /b/python",
    "default /c/python",
    "folder /home/ada/net/.venv/bin/python",
    "folder /home/ada/net/venv/bin/python",
    "folder /active/bin/python",
    "path /usr/bin/python3",
    "path /usr/bin/python",
  ]);
});

test("an interpreter that is named twice is asked once", () => {
  assert.deepEqual(paths({ setting: "/usr/bin/python3", selected: "/usr/bin/python3", folder: undefined, environment: { PATH: "/usr/bin" } }), [
    "setting /usr/bin/python3",
    "path /usr/bin/python",
  ]);
});

test("a bare name is looked for on the PATH, a relative path in the folder", () => {
  assert.deepEqual(paths({ fallback: "python3.13" }).slice(0, 2), ["default /usr/local/bin/python3.13", "default /usr/bin/python3.13"]);
  assert.equal(paths({ setting: "env/bin/python" })[0], "setting /home/ada/net/env/bin/python");
  assert.deepEqual(paths({ setting: "env/bin/python", folder: undefined, environment: {} }), []);
});

test("before a workspace is trusted nothing in any of its folders is run", () => {
  const named = { setting: "/home/ada/other/python", selected: "/home/ada/net/.venv/bin/python", fallback: "/opt/python", trusted: false };
  assert.deepEqual(paths({ ...named, environment: { PATH: "/home/ada/net/bin:/usr/bin" } }), [
    "default /opt/python",
    "path /usr/bin/python3",
    "path /usr/bin/python",
  ]);
  assert.ok(mayRun("/home/ada/network/python", { ...HERE, trusted: false }));
  assert.ok(!mayRun("/home/ada/net/..env/python", { ...HERE, trusted: false }));
  assert.ok(!mayRun("/home/ada/net/../net/python", { ...HERE, trusted: false }));
  assert.ok(!mayRun("D:\\w\\.venv\\python.exe", { ...HERE, platform: "win32", folders: ["d:\\W"], trusted: false }));
  assert.ok(mayRun("E:\\python.exe", { ...HERE, platform: "win32", folders: ["d:\\W"], trusted: false }));
});

test("a relative entry of the PATH is skipped, trusted or not", () => {
  assert.deepEqual(onPath({ ...HERE, environment: { PATH: ".:bin::/usr/bin" } }, ["uv"]), ["/usr/bin/uv"]);
});

test("on Windows, executables and the Store's aliases are distinguished, whatever the case of Path", () => {
  const windows: Partial<Surroundings> = {
    platform: "win32",
    folder: "C:\\net",
    folders: ["C:\\net"],
    environment: { Path: "C:\\Users\\ada\\AppData\\Local\\Microsoft\\WindowsApps;C:\\Python312" },
  };
  assert.deepEqual(paths(windows), [
    "folder C:\\net\\.venv\\Scripts\\python.exe",
    "folder C:\\net\\venv\\Scripts\\python.exe",
    "path C:\\Python312\\python3.exe",
    "path C:\\Python312\\python.exe",
  ]);
});

test("variables of a setting are filled in, and one without a value means nothing", () => {
  const cases: [string, string | undefined][] = [
    ["~/env/bin/python", "/home/ada/env/bin/python"],
    ["~other/python", "~other/python"],
    ["${workspaceFolder}/env/python", "/home/ada/net/env/python"],
    ["${workspaceFolder:other}/python", "/home/ada/other/python"],
    ["${userHome}/$&/python", "/home/ada/$&/python"],
    ["${env:CONDA}/python", undefined],
    ["${command:pick}", undefined],
  ];
  for (const [text, filled] of cases) assert.equal(filledIn(text, HERE), filled, text);
});

test("what is missing is named with the one command that brings it", () => {
  const install = ["/env/bin/python", "-m", "pip", "install", "jaxfix[lsp]"];
  const cases: [Partial<Probed>, string | undefined, unknown][] = [
    [{}, undefined, { kind: "ready", version: "0.3.0" }],
    [{ jaxfix: null }, "/bin/uv", { kind: "missing", install }],
    [{ pygls: null }, undefined, { kind: "missing", install }],
    [{ pygls: "1.3.1" }, undefined, { kind: "missing", install }],
    [{ jaxfix: null, pip: false }, "/bin/uv", { kind: "missing", install: ["/bin/uv", "pip", "install", "--python", "/env/bin/python", "jaxfix[lsp]"] }],
    [{ jaxfix: null, pip: false }, undefined, { kind: "unfit", reason: "it has neither jaxfix nor pip" }],
    [{ version: [3, 10, 14] }, undefined, { kind: "unfit", reason: "Python 3.10.14 is older than 3.11" }],
    [{ version: [4, 0, 0] }, undefined, { kind: "ready", version: "0.3.0" }],
  ];
  for (const [change, uv, expected] of cases) assert.deepEqual(fitness({ ...READY, ...change }, uv), expected);
  assert.equal(fitness({ ...READY, jaxfix: null, managed: true }, undefined).kind, "unfit");
  assert.equal(fitness({ ...READY, managed: true }, undefined).kind, "ready");
});

test("a command is shown as it would be typed", () => {
  assert.equal(shown(["/my env/python", "-m", "pip", "install", "jaxfix[lsp]"]), '"/my env/python" -m pip install "jaxfix[lsp]"');
  assert.equal(shown(["C:\\Python312\\python.exe", "-P", "a=b"]), "C:\\Python312\\python.exe -P a=b");
});

test("only what imports JAX, or what is built on it, is worth a word", () => {
  for (const text of ["import jax\n", "x = 1\nfrom jax import lax", "def f():\n    import optax as ox", "import numpy, jax.numpy as jnp"]) {
    assert.ok(speaksJax(text), text);
  }
  for (const text of ["", "import numpy", "# import jax", "import numpy  # not jax", "jax = 1", "import ajax", "from myjax import f"]) {
    assert.ok(!speaksJax(text), text);
  }
});

test("an interpreter is asked without importing anything, and nothing in its way can answer for it", async () => {
  const python = execFileSync(process.platform === "win32" ? "python" : "python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).trim();
  const folder = mkdtempSync(join(tmpdir(), "jaxfix-probe-"));
  writeFileSync(join(folder, "json.py"), "raise SystemExit('taken over')");
  const before = process.cwd();
  process.chdir(folder);
  try {
    const probed = await probe(python);
    assert.equal(probed.executable, python);
    assert.equal(probed.version.length, 3);
    const command = serving(python);
    assert.deepEqual(command.slice(1), ["-P", "-m", "jaxfix", "lsp"]);
  } finally {
    process.chdir(before);
  }
});

test("an interpreter that cannot answer says why", async () => {
  const folder = mkdtempSync(join(tmpdir(), "jaxfix-probe-"));
  await assert.rejects(probe(join(folder, "python")), /ENOENT/);
  const broken = join(folder, "broken");
  writeFileSync(broken, "#!/bin/sh\necho one >&2\necho 'no module named encodings' >&2\nexit 1\n", { mode: 0o755 });
  await assert.rejects(probe(broken), /^Error: no module named encodings$/);
});

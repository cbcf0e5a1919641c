import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly menus: Readonly<Record<string, readonly { readonly command: string }[]>>;
    readonly configuration: { readonly properties: Readonly<Record<string, { readonly markdownDescription?: string }>> };
  };
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
}
const MANIFEST = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
const { commands, menus, configuration } = MANIFEST.contributes;

test("every command that is promised is there, and no other", () => {
  const source = readFileSync("src/commands.ts", "utf8");
  const registered = [...source.matchAll(/^ {4}"(jaxfix\.\w+)": /gm)].map(([, name]) => name);
  assert.deepEqual(registered.toSorted(), commands.map(({ command }) => command).toSorted());
});

test("a menu names only commands that there are", () => {
  const known = new Set(commands.map(({ command }) => command));
  for (const entry of Object.values(menus).flat()) assert.ok(known.has(entry.command), entry.command);
});

test("every setting is described, and what could run a program is restricted", () => {
  for (const [name, { markdownDescription }] of Object.entries(configuration.properties)) assert.ok(markdownDescription, name);
  for (const name of MANIFEST.capabilities.untrustedWorkspaces.restrictedConfigurations) assert.ok(name in configuration.properties, name);
});

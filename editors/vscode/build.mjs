// Bundles the extension into out/extension.js; `test` the tests into out/test/; `watch` again after every change.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { context } from "esbuild";

const [wanted] = process.argv.slice(2);
const forTests = wanted === "test";
const outdir = forTests ? "out/test" : "out";

rmSync(outdir, { recursive: true, force: true });
const bundler = await context({
  entryPoints: [forTests ? "test/*.test.ts" : "src/extension.ts"],
  outdir,
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  minify: wanted === undefined,
  sourcemap: wanted === undefined ? false : "inline",
  metafile: true,
  logLevel: "warning",
});
if (wanted === "watch") await bundler.watch();
else {
  const { metafile } = await bundler.rebuild();
  await bundler.dispose();
  if (!forTests) writeFileSync(join(outdir, "THIRD-PARTY-NOTICES.txt"), notices(Object.keys(metafile.inputs)));
}

/** The licences of all packages that are in the bundle. */
function notices(inputs) {
  const packages = inputs.flatMap((path) => path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []);
  const texts = [...new Set(packages)].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} comes without its licence`);
    return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

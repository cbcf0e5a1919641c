// Writes the bundle that the wheel carries, with the digest of what it was made from; `--check` writes nothing.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const assets = join(here, "../../jaxfix/render/assets");
const sources = ["build.mjs", "package-lock.json", "package.json", "tsconfig.json"]
  .concat(readdirSync(join(here, "src")).map((name) => `src/${name}`))
  .sort();

const digest = createHash("sha256");
for (const name of sources) digest.update(`${name}\n`).update(readFileSync(join(here, name)));
const banner = `/* made by \`npm run build\` in web/review of sources ${digest.digest("hex")} */`;

const common = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  target: ["chrome111", "firefox113", "safari16.4"],
  legalComments: "none",
  charset: "utf8",
  banner: { js: banner, css: banner },
  jsx: "automatic",
  jsxImportSource: "preact",
};
const script = await build({ ...common, entryPoints: ["src/main.tsx"], format: "iife" });
const style = await build({ ...common, entryPoints: ["src/review.css"] });

function licences(metafile) {
  const packages = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) packages.add(found[1]);
  }
  return [...packages].sort().map((name) => {
    const folder = join(here, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = ["LICENSE", "LICENSE.md", "LICENSE.txt"].map((each) => join(folder, each)).find((each) => existsSync(each));
    if (!file) throw new Error(`${name} has no licence file`);
    return `${name} ${version} (${license})\n\n${readFileSync(file, "utf8").trim()}\n`;
  });
}

const made = {
  "review.js": script.outputFiles[0].text,
  "review.css": style.outputFiles[0].text,
  "review.LICENSES": licences(script.metafile).join(`\n${"-".repeat(72)}\n\n`),
};
const stale = Object.keys(made).filter((name) => {
  const path = join(assets, name);
  return !existsSync(path) || readFileSync(path, "utf8") !== made[name];
});
if (process.argv.includes("--check")) {
  if (stale.length) {
    console.error(`out of date: ${stale.join(", ")}; run \`npm run build\` in web/review`);
    process.exit(1);
  }
} else {
  for (const name of stale) writeFileSync(join(assets, name), made[name]);
  for (const [name, text] of Object.entries(made)) console.log(`${name}: ${(Buffer.byteLength(text) / 1000).toFixed(1)} kB`);
}

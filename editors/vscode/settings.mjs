// Writes the table of settings of package.json into README.md; `--check` only says whether it is there already.
import { readFileSync, writeFileSync } from "node:fs";

const readme = readFileSync("README.md", "utf8");
const { properties } = JSON.parse(readFileSync("package.json", "utf8")).contributes.configuration;
const rows = Object.entries(properties).map(([name, { default: given, markdownDescription: text }]) => {
  // a setting is a link in the editor only
  const said = text.replaceAll(/`#([\w.]+)#`/g, "`$1`").replaceAll("|", "\\|");
  return `| \`${name}\` | \`${JSON.stringify(given)}\` | ${said} |`;
});
const table = ["| setting | default | |", "|---|---|---|", ...rows].join("\n");
const written = readme.replace(/(<!-- settings -->)[^]*(<!-- \/settings -->)/, (_, begin, end) => `${begin}\n${table}\n${end}`);

if (process.argv.includes("--check") && written !== readme) {
  console.error("error: the settings of README.md are out of date: run `npm run docs`");
  process.exitCode = 1;
} else writeFileSync("README.md", written);

import { execFile } from "node:child_process";
import { dirname } from "node:path";
import type { Probed } from "./environment.ts";

const PATIENCE_MS = 30_000;

/** Asks, without importing any of them; is read by every Python 3, so that an old one can say that it is old. */
const QUESTION = `
import json, os, sys
def version(name):
    try:
        from importlib import metadata
        return metadata.version(name)
    except Exception:
        return None
def has(name):
    from importlib import util
    return util.find_spec(name) is not None
def managed():
    import sysconfig
    return sys.prefix == sys.base_prefix and os.path.exists(
        os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED"))
print(json.dumps({"executable": sys.executable, "version": list(sys.version_info[:3]), "jaxfix": version("jaxfix"),
                  "pygls": version("pygls"), "pip": has("pip"), "managed": managed()}))
`;

/**
 * What the interpreter says of itself.
 *
 * @throws Error if it cannot be run, or takes half a minute.
 */
export async function probe(python: string): Promise<Probed> {
  // what lies in the folder may not stand in for Python's own modules
  const env = { ...process.env, PYTHONSAFEPATH: "1" };
  const said = await new Promise<string>((resolve, reject) => {
    execFile(python, ["-c", QUESTION], { cwd: dirname(python), env, timeout: PATIENCE_MS, windowsHide: true }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(error.killed ? "it does not answer" : (lastLine(stderr) ?? error.message), { cause: error }));
    });
  });
  // a start-up file may have printed something before
  return JSON.parse(lastLine(said) ?? "") as Probed;
}

export function lastLine(text: string): string | undefined {
  const line = text.trimEnd().split(/\r?\n/).at(-1)?.trim();
  return line === "" ? undefined : line;
}

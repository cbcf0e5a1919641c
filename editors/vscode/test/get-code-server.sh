#!/bin/sh
# Builds code-server, which is VS Code in a browser, from its package into the folder given (or .code-server beside the
# extension), with nothing but npm, a C++ compiler, Python 3 and ripgrep; `FOLDER/code-server` then starts it.
# Its own installation script wants downloads that are not packages; what they bring is built or linked here instead.
set -eu
version=4.139.1
here=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
mkdir -p "${1:-$here/.code-server}"
folder=$(CDPATH= cd -- "${1:-$here/.code-server}" && pwd)
ripgrep=$(command -v rg) || { echo "error: there is no ripgrep (rg): install it first" >&2; exit 1; }
gyp=$(npm root -g)/npm/node_modules/node-gyp/bin/node-gyp.js
[ ! -d /usr/include/node ] || export npm_config_nodedir=/usr

cd "$folder"
# the package `node` brings the Node that this version asks for
echo '{"private": true, "allowScripts": {"node": true}}' > package.json
npm install --no-audit --no-fund --foreground-scripts node@24
npm install --no-audit --no-fund --ignore-scripts "code-server@$version"

cd node_modules/code-server/lib/vscode
npm install --no-audit --no-fund --omit=dev --ignore-scripts
for module in kerberos node-pty @parcel/watcher @vscode/deviceid @vscode/fs-copyfile @vscode/native-watchdog \
    @vscode/spdlog @vscode/sqlite3; do
  (cd "node_modules/$module" && node "$gyp" rebuild) > "$folder/build.log" 2>&1 ||
    { echo "error: $module does not compile: $folder/build.log says why" >&2; exit 1; }
done
mkdir -p node_modules/@vscode/ripgrep/bin
ln -sf "$ripgrep" node_modules/@vscode/ripgrep/bin/rg
ln -sfn node_modules node_modules.asar
ln -sf code-linux.sh bin/remote-cli/code-server
ln -sf browser-linux.sh bin/helpers/browser.sh
(cd extensions && npm install --no-audit --no-fund --omit=dev --ignore-scripts)

cat > "$folder/code-server" <<EOF
#!/bin/sh
exec "$folder/node_modules/node/bin/node" "$folder/node_modules/code-server/out/node/entry.js" "\$@"
EOF
chmod +x "$folder/code-server"
"$folder/code-server" --config "$folder/config.yaml" --version

#!/usr/bin/env bash
# The Dockerfile's steps without an engine: builds as its first stage, lays out what its second one copies, and runs the
# entry point as uid 10001 on a tree it can't write, until /readyz says 200 and SIGTERM ends it with 0. Needs root.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
board='' service=''
cleanup() {
  [ -n "$service" ] && kill -9 "$service" 2>/dev/null || true
  [ -n "$board" ] && kill "$board" 2>/dev/null || true
  chmod -R u+w "$work" && rm -rf "$work"
}
trap cleanup EXIT

build=$work/build app=$work/app data=$work/data
mkdir -p "$build" "$app" "$data"
cp "$root"/package.json "$root"/package-lock.json "$root"/tsconfig.json "$root"/tsconfig.build.json "$build"
cp -r "$root/src" "$build"
(cd "$build" && npm ci --silent && npm prune --silent --omit=dev)
cp -r "$build/package.json" "$build/node_modules" "$build/dist" "$app"
cp -r "$root/config" "$root/templates" "$app"
[ ! -e "$app/node_modules/typescript" ] || { echo 'dev dependencies are in the image'; exit 1; }
chmod -R a-w,a+rX "$app"
chmod 711 "$work"
chown 10001:10001 "$data"
echo "image tree: $(du -sm "$app" | cut -f1) MB"

token=container-try-token
echo "[{ \"token\": \"$token\", \"permissions\": [\"jobs:read\"], \"partner\": \"try\" }]" > "$work/tokens.json"
node "$app/dist/main.js" board --json --jobs "$app/config/sample-jobs.json" --tokens "$work/tokens.json" > "$work/board.out" &
board=$!
for _ in $(seq 100); do grep -q listening "$work/board.out" && break; sleep 0.1; done
url=$(node -p "JSON.parse(require('fs').readFileSync('$work/board.out', 'utf8').split('\n')[0]).url")

cd "$data"
setpriv --reuid=10001 --regid=10001 --clear-groups env -i PATH="$PATH" NODE_ENV=production DATA_DIR="$data" CONFIG_DIR="$work/none" \
  STORE_URL="sqlite://$data/jobcrier.sqlite" HTTP_PORT=18080 JOBS_API_URL="$url" JOBS_API_TOKEN="$token" \
  node "$app/dist/main.js" run > "$work/run.out" 2>&1 &
service=$!
ready() { node -e "fetch('http://127.0.0.1:18080/readyz').then((r) => process.exit(r.status === 200 ? 0 : 1), () => process.exit(1))"; }
for _ in $(seq 150); do ready && break; sleep 0.2; done
ready || { cat "$work/run.out"; exit 1; }
env -i PATH="$PATH" DATA_DIR="$data" HTTP_PORT=18080 node "$app/dist/main.js" health
kill -TERM "$service"
code=0
wait "$service" || code=$?
service=''
[ "$code" = 0 ] || { echo "SIGTERM ended with $code"; cat "$work/run.out"; exit 1; }
echo 'container steps: built, ran as uid 10001 on a read-only tree, ready, stopped with 0'

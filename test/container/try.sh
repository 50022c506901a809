#!/usr/bin/env bash
# The Dockerfile's steps without an engine: installs and builds as its stages, lays out what the last one copies, and runs
# the command as uid 10001 on a tree it can't write: the demo, the service until /readyz says 200, commands beside it, and
# SIGTERM, which must end it with 0. Needs root.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
board='' service='' demo=''
cleanup() {
  for pid in "$service" "$demo"; do [ -n "$pid" ] && kill -9 "$pid" 2>/dev/null || true; done
  [ -n "$board" ] && kill "$board" 2>/dev/null || true
  chmod -R u+w "$work" && rm -rf "$work"
}
trap cleanup EXIT

dependencies=$work/dependencies build=$work/build app=$work/app data=$work/data bin=$work/bin
mkdir -p "$dependencies" "$app" "$data" "$bin"
cp -r "$root"/package.json "$root"/package-lock.json "$root"/scripts "$dependencies"
(cd "$dependencies" && npm ci --silent --omit=dev && node --eval "import('@keyv/sqlite')")
mkdir "$build"
cp -r "$root"/package.json "$root"/package-lock.json "$root"/scripts "$build"
(cd "$build" && npm ci --silent --ignore-scripts)
cp -r "$root"/tsconfig.json "$root"/tsconfig.build.json "$root"/src "$build"
(cd "$build" && npm run --silent build)
cp -r "$dependencies/package.json" "$dependencies/node_modules" "$build/dist" "$app"
cp -r "$root/config" "$root/templates" "$app"
ln -s "$app/dist/main.js" "$bin/jobcrier"
[ ! -e "$app/node_modules/typescript-compiler" ] || { echo 'dev dependencies are in the image'; exit 1; }
chmod -R a-w,a+rX "$app"
chmod 711 "$work"
chown 10001:10001 "$data"
echo "image tree: $(du -sm "$app" | cut -f1) MB"

# As the image's user, in its working directory, with its environment; further settings in front of the command. It takes
# the place of the shell it is called in: in parentheses or in the background.
as_user() {
  cd "$data"
  exec setpriv --reuid=10001 --regid=10001 --clear-groups env -i PATH="$bin:$PATH" NODE_ENV=production \
    DATA_DIR="$data" CONFIG_DIR="$work/none" "$@"
}

as_user jobcrier demo > "$work/demo.out" 2>&1 &
demo=$!
for _ in $(seq 300); do grep -q 'Cards appear' "$work/demo.out" && break; sleep 0.2; done
grep -q 'Cards appear' "$work/demo.out" || { cat "$work/demo.out"; exit 1; }
kill -TERM "$demo"
code=0; wait "$demo" || code=$?; demo=''
[ "$code" = 0 ] && [ -d "$data/demo" ] || { echo "the demo ended with $code"; cat "$work/demo.out"; exit 1; }

token=container-try-token
echo "[{ \"token\": \"$token\", \"permissions\": [\"jobs:read\"], \"partner\": \"try\" }]" > "$work/tokens.json"
node "$app/dist/main.js" board --json --jobs "$app/config/sample-jobs.json" --tokens "$work/tokens.json" > "$work/board.out" &
board=$!
for _ in $(seq 100); do grep -q listening "$work/board.out" && break; sleep 0.1; done
url=$(node -p "JSON.parse(require('fs').readFileSync('$work/board.out', 'utf8').split('\n')[0]).url")
port=$(node -p "const s = require('net').createServer().listen(0, '127.0.0.1', () => { console.log(s.address().port); s.close(); }); ''" | head -1)

as_user HTTP_PORT="$port" JOBS_API_URL="$url" JOBS_API_TOKEN="$token" jobcrier run > "$work/run.out" 2>&1 &
service=$!
for _ in $(seq 150); do (as_user HTTP_PORT="$port" jobcrier health --ready) >/dev/null 2>&1 && break; sleep 0.2; done
(as_user HTTP_PORT="$port" jobcrier health) || { cat "$work/run.out"; exit 1; }
(as_user jobcrier backup before-upgrade.sqlite)
[ -s "$data/before-upgrade.sqlite" ]
code=0
(as_user jobcrier backup /before-upgrade.sqlite) 2> "$work/refused.out" || code=$?
[ "$code" = 1 ]
grep -q "Can't write /before-upgrade.sqlite: permission denied" "$work/refused.out" || { cat "$work/refused.out"; exit 1; }
kill -TERM "$service"
code=0
wait "$service" || code=$?
service=''
[ "$code" = 0 ] || { echo "SIGTERM ended with $code"; cat "$work/run.out"; exit 1; }

# Wrong settings: the container waits instead of being started again and again, and still stops at once.
as_user HTTP_PORT=nonsense jobcrier run --stay > "$work/stay.out" 2>&1 &
service=$!
for _ in $(seq 100); do grep -q 'Nothing runs' "$work/stay.out" && break; sleep 0.1; done
kill -TERM "$service"
code=0
wait "$service" || code=$?
service=''
[ "$code" = 2 ] && grep -q 'HTTP_PORT: given ' "$work/stay.out" || { echo "--stay ended with $code"; cat "$work/stay.out"; exit 1; }
echo 'container steps: built, ran as uid 10001 on a read-only tree: demo, ready, backup beside it, stopped with 0; wrong settings wait'

#!/usr/bin/env bash
# Tries an image that was built: engine.sh IMAGE. Starts it as its own user on a read-only root: the demo, and a service
# with wrong settings that waits. Needs docker, or podman by ENGINE=podman; without an engine test/container/try.sh does
# the Dockerfile's steps by hand.
set -euo pipefail
image=$1 engine=${ENGINE:-docker}
name=jobcrier-try-$$
trap '"$engine" rm --force --volumes "$name" >/dev/null 2>&1 || true' EXIT

# started TEXT ARGUMENT...: runs the image in the background until its output holds the text.
started() {
  local text=$1
  shift
  "$engine" run --detach --name "$name" --read-only --tmpfs /tmp --cap-drop ALL "$@" >/dev/null
  for _ in $(seq 120); do
    "$engine" logs "$name" 2>&1 | grep -q "$text" && return
    sleep 0.5
  done
  "$engine" logs "$name"
  return 1
}
# ended CODE: stops it and compares the exit code.
ended() {
  "$engine" stop --time 30 "$name" >/dev/null
  local code
  code=$("$engine" inspect --format '{{.State.ExitCode}}' "$name")
  [ "$code" = "$1" ] || { echo "ended with $code"; "$engine" logs "$name"; return 1; }
  "$engine" rm --volumes "$name" >/dev/null
}

[ "$("$engine" run --rm --entrypoint id "$image" -u)" = 10001 ]
"$engine" run --rm "$image" --version
started 'Cards appear' "$image" demo
ended 0
started 'Nothing runs' --env HTTP_PORT=nonsense "$image" run --stay
ended 2
started 'web pages are up' --env JOBS_API_URL=http://127.0.0.1:9 "$image"
"$engine" exec "$name" jobcrier health
"$engine" exec "$name" jobcrier backup before-upgrade.sqlite
ended 0
echo "$image: runs as uid 10001 on a read-only root"

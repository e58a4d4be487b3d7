#!/usr/bin/env bash
# ./dev run: starts sluiced on the embedded store with a limit of 5 a minute and asks it six times.
set -euo pipefail

once=false
[ "${1:-}" != --once ] || once=true

directory=$(mktemp -d "${TMPDIR:-/tmp}/sluice.XXXXXX")
socket=$directory/sluice.sock
cat >"$directory/sluice.toml" <<TOML
[server]
socket = "$socket"

[[rule]]
name  = "per-user"
match = { user = "*" }
limit = "5/minute"
TOML

build/sluiced --config "$directory/sluice.toml" &
daemon=$!
trap 'kill $daemon 2>/dev/null || true; wait $daemon 2>/dev/null || true; rm -rf "$directory"' EXIT
for _ in $(seq 100); do
  build/sluicectl --socket "$socket" ping >/dev/null 2>&1 && break
  kill -0 $daemon 2>/dev/null || { echo "sluiced did not start" >&2; exit 1; }
  sleep 0.02
done

printf '\nThe limit is 5/minute for each user. Six checks by sluicectl, then one by redis-cli:\n\n'
for _ in 1 2 3 4 5 6; do
  echo '$ sluicectl check user=1'
  build/sluicectl --socket "$socket" check user=1 || true
done
printf '\n$ redis-cli CHECK user=1      (allowed, limit, remaining, retry_after_ms, reset_after_ms, rule)\n'
redis-cli -s "$socket" CHECK user=1
if $once; then exit 0; fi

cat <<TEXT

It is yours until Ctrl-C. In another terminal:

  redis-cli -s $socket CHECK user=2
  build/sluicectl --socket $socket check user=2 --json
  \$EDITOR $directory/sluice.toml     # changes apply at once
TEXT
wait $daemon

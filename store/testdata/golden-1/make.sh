#!/usr/bin/env bash
# make.sh PROGRAM FOLDER: makes the golden store with a holdpoint of the release that
# it stands for. It is run once a release; see README.md.
set -euo pipefail
program=$1 data=$2
here=$(cd "$(dirname "$0")" && pwd)
[ ! -e "$here/holdpoint.db.gz" ] || { echo "$here has its store already; a newer format gets a folder of its own" >&2; exit 1; }
rm -rf "$data" && mkdir -p "$data"
hp() { OLLAMA_HOST=127.0.0.1:1 "$program" --data "$data" "$@"; }
# ends CODE COMMAND…: the command ends with exactly this exit code.
ends() { local want=$1 got=0; shift; hp "$@" >>"$data/log" 2>&1 || got=$?; [ "$got" = "$want" ] || { tail -20 "$data/log"; echo "exit $got, not $want: $*" >&2; exit 1; }; }
pending() { hp approvals list --json | sed -n 's/^{"id":"\([^"]*\)","session":"'"$1"'".*"turn":"\([^"]*\)".*/\1 \2/p' | head -1; }
turn() { hp sessions show "$1" --json | sed -n 's/.*"turn":"\([^"]*\)".*/\1/p' | tail -1; }
book() { ends 3 run --practice --session "$1" --var patient="$2" "Please book me a visit for my insomnia next week"; }
verdict() { read -r approval t < <(pending "$1"); ends 0 approvals "$2" "$approval" --reviewer "Golden Reviewer" --comment "$3"; ends 0 resume "$t"; }

ends 0 records import sample
# Conversations that ended: with memory, in two turns; and one of the reasoner.
ends 0 run --practice --session talked --var patient=pat-alder "I have slept badly since May. Which therapist fits me?"
ends 0 run --practice --session talked "Thank you, that helps"
ends 0 run --practice --session reasoned --agent reasoner --var pattern=peoatr --var patient=pat-alder "What medication does the patient take?"
ends 0 run --practice --session reacted --agent reasoner --var pattern=react --var patient=pat-alder "What medication does the patient take?"
# Bookings: carried out, turned down, carried out in a session that is gone since.
book booked pat-alder
verdict booked approve "fits"
book refused pat-birch
verdict refused reject "she is away that week"
book gone pat-cedar
verdict gone approve "fits"
ends 0 sessions delete gone
# A session that forgot.
ends 0 run --practice --session forgot --var patient=pat-birch "I would like somebody who works with grief"
ends 0 memory forget forgot --tool client_signal
# Turns that wait: for a verdict, for an answer, for more steps.
book waiting pat-alder
ends 3 run --practice --session asked --agent "$here/asker.yaml" "hello"
ends 1 run --practice --session limited --agent "$here/walker.yaml" "go"
# Given up, and killed in the middle.
ends 3 run --practice --session abandoned --agent "$here/asker.yaml" "hello"
ends 0 resume "$(turn abandoned)" --abandon
exec 3< <(OLLAMA_HOST=127.0.0.1:1 exec "$program" --data "$data" run --json --practice --session killed --var patient=pat-alder "Which therapist fits me?")
child=$!
for _ in 1 2 3; do read -r -u 3 _; done
kill -9 "$child"
exec 3<&-
hp sessions list --json | grep -q '"id":"killed".*"status":"running"' || { echo "the killed turn came to its end; run this again" >&2; exit 1; }
ends 0 check
rm "$data/log"
gzip -9nc "$data/holdpoint.db" >"$here/holdpoint.db.gz"
# What this release printed of it, for comparison.
for s in $(hp sessions list --json | sed -n 's/^{"id":"\([^"]*\)".*/\1/p'); do hp sessions show "$s" --json; done | gzip -9n >"$here/journals.ndjson.gz"

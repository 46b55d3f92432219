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
hp sessions list --json | grep '"id":"killed".*"status":"interrupted"' >/dev/null || { echo "the killed turn came to its end; run this again" >&2; exit 1; }
# The agents that came after the first two: a form that waits for its signature, a study with
# a board and a person's decision, a conversation that is remembered.
ends 0 records import "$here/../../../engine/agents/filing/testdata"
ends 3 run --practice --session signing --agent filing --var type=rule_37 --subject Well/42-329-97101 "Prepare the rule 37 exception"
mkdir "$data/papers"
echo "Exercise training improves sleep quality in older adults." >"$data/papers/one.txt"
echo "Exercise had no effect on sleep quality in shift workers. They were tired before." >"$data/papers/two.txt"
ends 0 library import "$data/papers"
ends 0 run --practice --session studied --agent researcher --var max_iterations=4 "Does exercise improve sleep quality?"
ends 0 board confirm "$(turn studied)" h1 --reviewer "Golden Reviewer" --reason "two of ours say so"
ends 0 run --practice --session remembered --agent companion --var audience=teen --var language=fr --var region=FR --var age=at_15 "Les examens arrivent bientôt, c'est dur."
ends 0 run --practice --session remembered --agent companion "Oui. J'ai 15 ans et je vis en France. Depuis quelques semaines les examens me rendent nerveux. J'ai essayé de réviser la nuit. J'aimerais mieux dormir."
ends 0 run --practice --session remembered --agent companion "Merci, au revoir"
hp texts set companion/teen/fr/feedback_invitation "Dis-nous ce que tu en penses." >>"$data/log" 2>&1
ends 0 check
ends 0 compact
rm -r "$data/log" "$data/papers"
gzip -9nc "$data/holdpoint.db" >"$here/holdpoint.db.gz"
# What this release printed of it, for comparison.
for s in $(hp sessions list --json | sed -n 's/^{"id":"\([^"]*\)".*/\1/p'); do hp sessions show "$s" --json; done | gzip -9n >"$here/journals.ndjson.gz"

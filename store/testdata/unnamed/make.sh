#!/usr/bin/env bash
# make.sh PROGRAM FOLDER: makes the store with a holdpoint that knew no names of a companion's people yet.
set -euo pipefail
program=$1 data=$2
rm -rf "$data" && mkdir -p "$data"
hp() { OLLAMA_HOST=127.0.0.1:1 "$program" --data "$data" "$@" >/dev/null; }
hp run --practice --agent companion --session told --var audience=teen --var language=fr --var region=FR --var age=at_15 --var consent=full \
	"J'ai 15 ans et je vis en France. Depuis quelques semaines les examens me rendent nerveux. J'ai essayé de réviser la nuit. J'aimerais mieux dormir."
hp run --practice --agent companion --session told "Merci, au revoir"
hp run --practice --agent companion --session asked --var audience=parent --var language=en "My son does not talk to us"
hp compact
gzip -9 -n -c "$data/holdpoint.db"

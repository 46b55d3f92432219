package app

import (
	"strings"

	"holdpoint/engine/definition"
	"holdpoint/engine/mcp"
)

// HelpPage is one page of the in-app help.
type HelpPage struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Markdown string `json:"markdown"`
}

// Help returns the pages of the help dialog.
func Help() []HelpPage {
	return append([]HelpPage{
		{"start", "Getting started", "Load the sample clinic or import FHIR records, choose a model under **Models** (or practice mode), start a session about a patient and ask. " +
			"The graph on the right shows the turn as it runs."},
		{"holdpoints", "Hold points", "Whenever the agent wants to change a record, the turn stops and shows an approval card: the exact arguments, each record before and after, and a digest. " +
			"Nothing happens until a named person approves it, and only what was shown can run. Rejecting needs a reason, which the agent reads. Closing a card decides nothing. " +
			"An approval that expired counts as denied; resume the turn to be asked again."},
		{"crash", "After a crash", "Every finished stage is on disk before you see it. At the next start the banner lists turns that were interrupted: what is kept, what runs again, what is unknown. Resume goes on from there."},
		{"safety", "Safety checks", "Each message is checked by reviewed rules and by the model. When the model's check fails, the turn says that it was checked by rules only. " +
			"A message that speaks of danger gets a reviewed text with the hotlines of the region set under **Settings**; no model writes it."},
		{"offline", "What leaves this machine", "Nothing, unless you pull a model, allow a model server elsewhere under **Settings**, or approve a request to a public source of literature under **Library**. The badge in the top bar shows which it is."},
		{"meaning", "Meaning", "Providers are ranked and notes found by what is meant, in sixteen languages and without a model: a sentence encoder is in the program. " +
			"Choose an embedding model under **Models** to use that instead; what was kept of the other is made anew, and a bar shows how far it is. " +
			"**Settings › About** names the encoder, its licence and its source. A program without one says so and finds by words."},
		{"commands", "Command line", "`holdpoint --help` lists the commands. `holdpoint run`, `resume`, `approvals`, `records`, `export` and `models` do what the screens do; with `--json` they print one object a line."},
		{"limits-and-questions", "Limits and questions", "A turn that comes to one of its limits (steps, rounds in a stage, tokens, cost, time, changes to its graph) stops and keeps everything; " +
			"**Continue with more** gives it more of that limit and goes on. A restart resets nothing that was used. " +
			"A turn that asks a question waits until a person answers, for days if need be; it never answers itself. On the command line: `holdpoint resume TURN --more N` and `holdpoint resume TURN --answer PAUSE=JSON`."},
		{"agents", "Your own agents", "An agent is a graph in a YAML file: `holdpoint agents check FILE` finds mistakes by line and column, `holdpoint agents add FILE` puts it into the list. " +
			"Every message to it passes the same reviewed safety rules first: one that speaks of danger gets the crisis text with its hotlines, whatever the file says. " +
			"A turn goes on with the file that it began with, also when you change or remove it."},
		{mcp.HelpID, "Tools from outside", mcp.Help()},
	}, agentHelp()...)
}

// AuthorsHelp are the pages for people who write agents' files.
func AuthorsHelp() []HelpPage { return agentHelp() }

// agentHelp are the help pages for authors of graphs.
func agentHelp() []HelpPage {
	var out []HelpPage
	for _, id := range definition.Topics() {
		text := strings.TrimSpace(definition.Doc(id))
		title := id
		if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "# ") {
			title = strings.TrimSpace(first[2:])
		}
		out = append(out, HelpPage{ID: id, Title: title, Markdown: text})
	}
	return out
}

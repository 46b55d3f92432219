package app

import (
	"cmp"
	"slices"
	"strings"

	"holdpoint/engine/definition"
	"holdpoint/engine/mcp"
)

// HelpPage is one page of the in-app help.
type HelpPage struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Markdown string `json:"markdown"`
	// Language is the page's: those for authors are English only.
	Language string `json:"language"`
}

// Help returns the pages of the help dialog, in a language where they have it, "fr" or
// English.
func Help(language string) []HelpPage {
	var out []HelpPage
	for _, p := range append(slices.Clone(helpPages), HelpPage{ID: mcp.HelpID, Title: "Tools from outside", Markdown: mcp.Help()}) {
		p.Language = "en"
		french, ok := helpInFrench[p.ID]
		if p.ID == mcp.HelpID {
			french, ok = [2]string{"Outils de l’extérieur", mcp.HelpInFrench()}, true
		}
		if ok && language == "fr" {
			p.Title, p.Markdown, p.Language = french[0], french[1], language
		}
		out = append(out, p)
	}
	return append(out, agentHelp(language)...)
}

// helpPages are those for everybody.
var helpPages = []HelpPage{
	{ID: "start", Title: "Getting started", Markdown: "Load the sample clinic or import FHIR records, choose a model under **Models** (or practice mode), start a session about a patient and ask. " +
		"The graph on the right shows the turn as it runs."},
	{ID: "holdpoints", Title: "Hold points", Markdown: "Whenever the agent wants to change a record, the turn stops and shows an approval card: the exact arguments, each record before and after, and a digest. " +
		"Nothing happens until a named person approves it, and only what was shown can run. Rejecting needs a reason, which the agent reads. Closing a card decides nothing. " +
		"An approval that expired counts as a no; resume the turn to be asked again."},
	{ID: "crash", Title: "After a crash", Markdown: "Every finished stage is on disk before you see it. At the next start the banner lists turns that were interrupted: what is kept, what runs again, what is unknown. Resume goes on from there."},
	{ID: "safety", Title: "Safety checks", Markdown: "Each message is checked before any model is asked: by reviewed rules and by phrases, in English and French, and by its meaning. Meanings were learnt in English and French; in the other languages of the sentence encoder (see **Meaning**) plain words are mostly heard and much of what is said between the lines is not, and a message in a language beyond them is checked by the model alone. The model is asked as well; when it fails, the turn says so. No check finds everybody: what you hear yourself counts more. " +
		"A message that speaks of danger gets a reviewed text with the hotlines of the region set under **Settings**; no model writes it."},
	{ID: "offline", Title: "What leaves this laptop", Markdown: "Nothing, unless you pull a model, allow a model server elsewhere under **Settings**, or approve a request to a public source of literature under **Library**. The badge in the top bar shows which it is."},
	{ID: "meaning", Title: "Meaning", Markdown: "Providers are ranked, and notes, passages of the library and memories found, by what is meant, without a model: a sentence encoder is in the program. It reads Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese, Russian, Spanish, Thai and Turkish. What is written in another language is found by its words. " +
		"Choose an embedding model under **Models** to use that instead; what was kept of the other is made again, and a bar shows how far it is. " +
		"**Settings › About** names the encoder, its licence and its source. A program without one says so and finds by words."},
	{ID: "commands", Title: "Command line", Markdown: "`holdpoint --help` lists the commands. `holdpoint run`, `resume`, `approvals`, `records`, `export` and `models` do what the screens do; with `--json` they print one object a line."},
	{ID: "limits-and-questions", Title: "Limits and questions", Markdown: "A turn that comes to one of its limits (steps, rounds in a stage, tokens, cost, time, changes to its graph) stops and keeps everything; " +
		"**Continue with more** gives it more of that limit and goes on. A restart resets nothing that was used. " +
		"A turn that asks a question waits until a person answers, for days if need be; it never answers itself. On the command line: `holdpoint resume TURN --more N` and `holdpoint resume TURN --answer PAUSE=JSON`."},
	{ID: "agents", Title: "Your own agents", Markdown: "An agent is a graph in a YAML file: `holdpoint agents check FILE` finds mistakes by line and column, `holdpoint agents add FILE` puts it into the list; so does **Settings › Graphs of your own**, where it is written, checked and changed. " +
		"Every message to it passes the same reviewed safety rules first: one that speaks of danger gets the crisis text with its hotlines, whatever the file says. " +
		"A turn goes on with the file that it began with, also when you change or remove it."},
}

// helpInFrench are titles and texts of these pages, by id.
var helpInFrench = map[string][2]string{
	"start": {"Premiers pas", "Chargez la clinique d’exemple ou importez des dossiers FHIR, choisissez un modèle sous **Modèles** (ou le mode d’entraînement), ouvrez une session au sujet d’un patient et posez votre question. " +
		"Le graphe à droite montre le tour pendant qu’il s’exécute."},
	"holdpoints": {"Points d’arrêt", "Chaque fois que l’agent veut modifier un dossier, le tour s’arrête et montre une carte d’approbation : les arguments exacts, chaque dossier avant et après, et une empreinte. " +
		"Rien ne se passe avant qu’une personne nommée ne l’approuve, et seul ce qui a été montré peut s’exécuter. Un rejet demande un motif, que l’agent lit. Fermer une carte ne décide rien. " +
		"Une approbation expirée compte comme un refus ; reprenez le tour pour être interrogé de nouveau."},
	"crash": {"Après une panne", "Chaque étape terminée est sur le disque avant que vous ne la voyiez. Au démarrage suivant, le bandeau énumère les tours interrompus : ce qui est gardé, ce qui sera refait, ce qui est inconnu. Reprendre continue à partir de là."},
	"safety": {"Contrôles de sécurité", "Chaque message est contrôlé avant qu’un modèle ne soit interrogé : par des règles relues et par des tournures, en anglais et en français, et par son sens. Les sens ont été appris en anglais et en français ; dans les autres langues de l’encodeur de phrases (voir **Le sens**), les mots clairs sont le plus souvent entendus et une grande part de ce qui se dit entre les lignes ne l’est pas, et un message dans une langue au-delà n’est contrôlé que par le modèle. Le modèle est interrogé aussi ; quand il échoue, le tour le dit. Aucun contrôle ne trouve tout le monde : ce que vous entendez vous-même compte davantage. " +
		"Un message qui parle d’un danger reçoit un texte relu avec les lignes d’écoute de la région choisie sous **Réglages** ; aucun modèle ne l’écrit."},
	"offline": {"Ce qui quitte cet ordinateur", "Rien, sauf si vous téléchargez un modèle, autorisez un serveur de modèles ailleurs sous **Réglages**, ou approuvez une requête à une source publique de littérature sous **Bibliothèque**. Le badge de la barre supérieure le montre."},
	"meaning": {"Le sens", "Les praticiens sont classés, et les notes, les passages de la bibliothèque et les souvenirs trouvés, selon ce qui est voulu dire, sans modèle : un encodeur de phrases est dans le programme. Il lit l’arabe, le chinois, le néerlandais, l’anglais, le français, l’allemand, l’italien, le japonais, le coréen, le polonais, le portugais, le russe, l’espagnol, le thaï et le turc. Ce qui est écrit dans une autre langue est trouvé par ses mots. " +
		"Choisissez un modèle de plongement sous **Modèles** pour l’utiliser à la place ; ce qui a été gardé de l’autre est refait, et une barre montre où cela en est. " +
		"**Réglages › À propos** nomme l’encodeur, sa licence et sa source. Un programme qui n’en a pas le dit et cherche par les mots."},
	"commands": {"Ligne de commande", "`holdpoint --help` énumère les commandes. `holdpoint run`, `resume`, `approvals`, `records`, `export` et `models` font ce que font les écrans ; avec `--json`, elles affichent un objet par ligne. La ligne de commande parle la langue choisie ; les pages `--help` sont en anglais."},
	"limits-and-questions": {"Limites et questions", "Un tour qui atteint l’une de ses limites (étapes, passages dans une étape, tokens, coût, temps, modifications de son graphe) s’arrête et garde tout ; " +
		"**Continuer avec plus** lui accorde plus de cette limite et il continue. Un redémarrage ne remet rien à zéro. " +
		"Un tour qui pose une question attend qu’une personne réponde, des jours s’il le faut ; il ne se répond jamais lui-même. En ligne de commande : `holdpoint resume TURN --more N` et `holdpoint resume TURN --answer PAUSE=JSON`."},
	"agents": {"Vos propres agents", "Un agent est un graphe dans un fichier YAML : `holdpoint agents check FILE` trouve les erreurs par ligne et colonne, `holdpoint agents add FILE` l’ajoute à la liste ; **Réglages › Vos propres graphes** aussi, où il s’écrit, se contrôle et se modifie. " +
		"Chaque message qui lui est adressé passe d’abord par les mêmes règles de sécurité relues : celui qui parle d’un danger reçoit le texte de crise avec ses lignes d’écoute, quoi que dise le fichier. " +
		"Un tour continue avec le fichier avec lequel il a commencé, même si vous le modifiez ou le retirez."},
}

// AuthorsHelp are the pages for people who write agents' files.
func AuthorsHelp() []HelpPage { return agentHelp("en") }

// authorsTitles are the French titles of the pages for authors, whose texts are English.
var authorsTitles = map[string]string{"graphs": "Vos propres graphes", "nodes": "Nœuds", "flags": "Indicateurs", "limits": "Limites", "patterns": "Modèles de graphes", "examples": "Exemples"}

// agentHelp are the help pages for authors of graphs.
func agentHelp(language string) []HelpPage {
	var out []HelpPage
	for _, id := range definition.Topics() {
		text := strings.TrimSpace(definition.Doc(id))
		title := id
		if first, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "# ") {
			title = strings.TrimSpace(first[2:])
			if language == "fr" {
				title, text = cmp.Or(authorsTitles[id], title), strings.TrimSpace(rest)
			}
		}
		out = append(out, HelpPage{ID: id, Title: title, Markdown: text, Language: "en"})
	}
	return out
}

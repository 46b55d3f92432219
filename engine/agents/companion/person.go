package companion

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"holdpoint/engine/agent"
	"holdpoint/engine/graph"
)

// personVar is the name under which somebody is remembered: on one device several people of an
// audience may write, and what one agreed to and told is no other's.
const personVar = "person"

// Values of personVar that are no names.
const (
	// somebodyNew is remembered by nobody: consent, region and age end with the session.
	somebodyNew = "somebody_new"
	// unnamed is whoever writes on this device without a name, as all did before names were asked for.
	unnamed = "unnamed"
)

// longestName is in characters.
const longestName = 40

// nameOf is a name as it is shown: on one line, without what cannot be seen.
func nameOf(value string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, norm.NFC.String(value))), " ")
}

// named says that a value of personVar is a name that somebody can be remembered under.
func named(value string) bool {
	name := nameOf(value)
	return name != "" && utf8.ValidString(value) && utf8.RuneCountInString(name) <= longestName
}

// whom is whom a session is with. What was said in practice is kept apart, and so is what each
// name was told; capitals and blanks make no other name.
func whom(session string, vars map[string]string, practice bool) string {
	who := Name + ":" + vars[audienceVar]
	if practice {
		who += practised
	}
	switch person := vars[personVar]; person {
	case "", unnamed:
		return who
	case somebodyNew:
		return who + ofSession + session
	default:
		return who + ofName + strings.ToLower(nameOf(person))
	}
}

// Parts of whom.
const (
	practised = ":practice"
	ofSession = ":new:"
	ofName    = ":as:"
)

// who is whom the turn is with.
func who(t *graph.Task) string { return whom(t.Run.Session, t.Run.Vars, t.Run.Practice) }

// isNew says that nothing of the person is kept for other sessions.
func isNew(vars map[string]string) bool { return vars[personVar] == somebodyNew }

// person says whom whom names.
func person(who string) (agent.Person, bool) {
	rest, own := strings.CutPrefix(who, Name+":")
	var p agent.Person
	for i, audience := range audiences {
		after, ok := strings.CutPrefix(rest, audience)
		if !own || !ok {
			continue
		}
		p.Title = audienceTitles[i]
		after, p.Practice = strings.CutPrefix(after, practised)
		name, ok := strings.CutPrefix(after, ofName)
		if ok {
			p.Name = name
		}
		return p, ok || after == "" || strings.HasPrefix(after, ofSession)
	}
	return p, false
}

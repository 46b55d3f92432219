package turn

import (
	"context"
	"errors"
	"slices"

	"holdpoint/engine/board"
	"holdpoint/engine/encoder"
	"holdpoint/engine/graph"
	"holdpoint/engine/identity"
	"holdpoint/engine/journal"
	"holdpoint/engine/library"
	"holdpoint/engine/memory"
	"holdpoint/engine/model"
	"holdpoint/engine/rule"
	"holdpoint/engine/safety"
	"holdpoint/engine/skill"
	"holdpoint/engine/text"
	"holdpoint/engine/tool"
)

// Dependencies are what a turn has beside its state: models, tools, settings and
// caches. The caller hands them to the executor, as a pointer, with each start and
// resume; they are never stored.
type Dependencies struct {
	Models model.Set
	// Silence is what requests of the turn learn of models that send nothing; nil learns nothing.
	Silence *model.Silence
	// Tools are all that the agent may call; stages choose from them by name.
	Tools *tool.Set
	// Caller is who asked; tools with a guard are refused to others.
	Caller identity.Caller
	// Rules are asked before and after calls, before models are asked and before replies go
	// out; nil asks nothing.
	Rules *rule.Set
	// Skills are those that stages may load; nil is none.
	Skills *skill.Shelf
	// Price is what a million tokens cost, in the unit of the run's limit; 0 for a model of
	// one's own.
	Price float64
	// Terms say how long holds of each checkpoint type wait, and for whom else.
	Terms rule.Terms
	// Region is a code of package safety, for the hotline; Informal addresses the person as
	// one does a young one. OfChild says that they write about a child of theirs.
	Region            string
	Informal, OfChild bool
	// Language is that of the screens: help is given in it where a message says nothing of
	// its own; "" for English.
	Language safety.Language
	// Before is the language that the person wrote in before in a session; "" where that does
	// not tell. Nil knows of no session.
	Before func(session string) safety.Language
	// Phrasing says the program's own words in a language; nil for English alone.
	Phrasing func(language string) board.Phrasing
	// Threshold of the completeness gate of context tools, 0 to 1.
	Threshold float64
	// Context names the context tools of the agent's turns; nil is all that it has.
	Context []string
	// Facts are those of the agent that a person confirmed, by their ids.
	Facts map[string]tool.Fact
	// Safety reads messages for danger; without tiers it is safety.Offline.
	Safety safety.Checker
	// Control is what a model's check found by a question of Light.Controls; nil knows of no check.
	Control func(digest, name string) (alike, known bool)
	// Alarms is what the checks of a session's earlier turns found; nil knows of none.
	Alarms func(session string) Alarms
	// CheckedIn is the check-in of a session's last turn before this one, and whether its reply asked
	// something that is answered with no, too; without Concern there was none. Nil knows of no session.
	CheckedIn func(session, turn string) (check Safety, asked bool)
	// Encoder compares meanings; nil leaves it to words.
	Encoder encoder.Encoder
	// Vectors keeps what Encoder made; nil keeps nothing.
	Vectors VectorCache
	// Memory recalls earlier conversations; nil while the person has not switched that on.
	Memory *memory.Recaller
	// Lake keeps summaries that an agent writes itself; nil keeps nothing.
	Lake SummaryLake
	// Texts are the words of agents as they are in force; nil is those of their files.
	Texts *text.Catalog
	// Features are those that a person switched on, by name.
	Features map[string]bool
	// Search finds passages in the library; nil finds none. Collections are the folders or
	// files in it that each audience of an agent may be answered from.
	Search      library.Search
	Collections map[string]string
}

// SummaryLake takes a summary; what it accepted is on disk.
type SummaryLake interface {
	Accept(ctx context.Context, w memory.Waiting) error
}

// VectorCache keeps vectors between turns, by the encoder's name and the text's hash.
type VectorCache interface {
	Vector(encoder, textHash string) ([]float32, bool, error)
	PutVectors(encoder string, vectors map[string][]float32) error
}

// ErrNoModel says that a turn was started without models.
var ErrNoModel = errors.New("turn: no model at hand; choose one under Models, or practice mode")

// DependenciesOf are those of the task's run. The error wraps ErrNoModel.
func DependenciesOf(t *graph.Task) (*Dependencies, error) {
	d, ok := t.Dependencies.(*Dependencies)
	if !ok || d.Models.Main == nil || d.Models.Light == nil {
		return nil, ErrNoModel
	}
	return d, nil
}

// Alarms is what came of the checks in a session: it counts the turns that a model judged, and those in which it saw danger.
type Alarms struct {
	Judged, Saw int
	// Alike says that it saw danger in a harmless sentence, too.
	Alike bool
	// Helped says that one of the turns showed help, whatever found the danger.
	Helped bool
	// Of counts by the digest of the model.
	Of map[string]Alone
}

// Alone counts the turns of a session that one model judged, and those in which it alone saw a crisis.
type Alone struct{ Judged, Saw int }

// mostly says that a model saw a crisis in nearly all that was written, and nothing else did.
func (a Alone) mostly() bool { return a.Saw >= oftenAlarmed && 5*a.Saw >= 4*a.Judged }

// Count adds what came of one check.
func (a *Alarms) Count(s Safety) {
	a.Helped = a.Helped || s.Level != safety.Calm && s.Level != ""
	if s.By == "" || s.By == string(journal.ByRules) {
		return
	}
	if a.Judged++; s.Saw != "" {
		a.Saw++
	}
	a.Alike = a.Alike || s.Alike
	if s.Judge == "" {
		return
	}
	if a.Of == nil {
		a.Of = map[string]Alone{}
	}
	of := a.Of[s.Judge]
	if of.Judged++; s.Saw == riskCrisis && !slices.ContainsFunc(s.Found, func(tier string) bool { return tier != safety.TierModel && tier != safety.TierScript }) {
		of.Saw++
	}
	a.Of[s.Judge] = of
}

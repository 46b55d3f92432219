package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"

	"holdpoint/app/tongue"
	"holdpoint/engine/agents"
	"holdpoint/engine/call"
	"holdpoint/engine/encoder"
	"holdpoint/engine/ledger"
	"holdpoint/engine/library/online"
	"holdpoint/engine/mcp"
	"holdpoint/engine/memory"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
	"holdpoint/engine/visible"
	"holdpoint/store"
)

// Fault is an error as a person reads it: what happened, what to do, what is safe.
type Fault struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Safe    string `json:"safe,omitempty"`
	// Problems are the mistakes of an agent's definition.
	Problems []Problem `json:"problems,omitempty"`
	// Help is the reviewed text for a message that was refused and speaks of danger.
	Help string `json:"help,omitempty"`
	// HTTP is the status that fits over HTTP.
	HTTP int `json:"-"`
	err  error
}

func (f *Fault) Error() string { return f.Message }
func (f *Fault) Unwrap() error { return f.err }

// parts are those of the program that put their name before an error, for its authors.
var parts = sync.OnceValue(func() *regexp.Regexp {
	names := []string{`agents?|api|app|board|call|definition|desktop|encoder|graph|identity|journal|ledger|level|library|manifest|mcp|memory|model|online|pdfium|pipeline|prompt|record|rule|run|safety|session|skill|store|survey|text|tool|turn|web`}
	folders, err := agents.French.ReadDir(".")
	if err != nil {
		panic("app: " + err.Error()) // they are in the program
	}
	for _, folder := range folders {
		names = append(names, folder.Name())
	}
	return regexp.MustCompile(`(^|: |\n)(?:(?:` + strings.Join(names, "|") + `): )+`)
})

// Said is the message as a person reads it, without the names of the program's parts.
func (f *Fault) Said() string {
	for _, l := range absences {
		if m := l.message.FindStringSubmatch(f.Message); m != nil {
			return fmt.Sprintf(l.says, m[1])
		}
	}
	if said := withoutParts(f.Message); said != "" {
		return said
	}
	return f.Message
}

// In is what the error says in a language: its message as a person reads it, what to do
// and what is safe. A message that is from outside, as the system's or a model server's own
// words are, follows what kind of error it is.
func (f *Fault) In(g tongue.Tongue) (message, hint, safe string) {
	for _, l := range absences {
		if m := l.message.FindStringSubmatch(f.Message); m != nil {
			return g.Say(l.says, m[1]), g.Told(f.Hint), g.Told(f.Safe)
		}
	}
	english := f.Said()
	if g == tongue.French && len(f.Problems) > 0 {
		english = eachTold(english, f.Problems, func(text string) string { return Failure(g, text) })
		return g.Told(english), g.Told(f.Hint), g.Told(f.Safe)
	}
	message, known := g.Problem(english)
	if !known {
		message = g.Say(cmp.Or(briefs[f.Code], tongue.Word("Something went wrong."))) + " (" + english + ")"
	}
	return message, g.Told(f.Hint), g.Told(f.Safe)
}

// Failure is the text of an error from inside as a person reads it, in a language.
func Failure(g tongue.Tongue, text string) string {
	said, _ := g.Problem((&Fault{Message: text}).Said())
	return said
}

// eachTold is a message that joins problems, with each of them told.
func eachTold(message string, problems []Problem, told func(string) string) string {
	head, _, _ := strings.Cut(message, ": ")
	words := make([]string, len(problems))
	for i, p := range problems {
		p.Message = told(p.Message)
		words[i] = p.String()
	}
	return head + ": " + strings.Join(words, "; ")
}

// briefs say what kind of error one is, by its code.
var briefs = map[string]string{
	"answered": tongue.Word("The question was answered before."), "arguments": tongue.Word("The arguments cannot be used."), "bad_request": tongue.Word("The request cannot be understood."),
	"broken": tongue.Word("The model's answer could not be read."), "broken_encoder": tongue.Word("The sentence encoder's file is damaged."), "busy": tongue.Word("The turn is at work already."),
	"decided": tongue.Word("The approval was decided before."), "definition": tongue.Word("The agent's file has mistakes."), "delegation": tongue.Word("The approval cannot be passed on like this."),
	"digest": tongue.Word("The request is not what was shown."), "disk_full": tongue.Word("The disk is full."), "empty_answer": tongue.Word("The answer is empty."),
	"expired": tongue.Word("The approval expired."), "void": tongue.Word("The approval was withdrawn."), "final": tongue.Word("The turn is over."), "latched": tongue.Word("The store takes no more changes until it is reopened."),
	"limit": tongue.Word("The turn came to a limit."), "locked": tongue.Word("Another Holdpoint has the data folder open."), "no_encoder": tongue.Word("No sentence encoder is at hand."),
	"no_model": tongue.Word("The model is not on the server."), "no_server": tongue.Word("No model server answers."), "not_found": tongue.Word("It is not here."),
	"read_only": tongue.Word("The data folder cannot be written to."), "reviewer": tongue.Word("This person may not decide on it."), "rule": tongue.Word("A rule forbids it."),
	"stalled": tongue.Word("The model went quiet before its answer was complete."), "topology": tongue.Word("The turn ran on a graph that is not here any more."), "unknown_pause": tongue.Word("The turn asks no such question."),
}

// withoutParts is an error's text without the names of the parts that saw it.
func withoutParts(text string) string { return parts().ReplaceAllString(text, "$1") }

// quoted is a text as %q writes it.
const quoted = `"(?:[^"\\]|\\.)*"`

// absences are messages about things that are not there, and how a person says it.
var absences = []struct {
	message *regexp.Regexp
	says    string
}{
	{absence(`session (`+quoted+`)`, session.ErrNotFound), tongue.Word("There is no session %s.")},
	{absence(`session (`+quoted+`)`, session.ErrDamaged), tongue.Word("What is kept of the session %s is damaged and cannot be read.")},
	{absence(`run "turn:((?:[^"\\]|\\.)*")`, run.ErrNoRun), tongue.Word(`There is no turn "%s.`)},
	{absence(`run (`+quoted+`)`, run.ErrNoRun), tongue.Word("There is no run %s.")},
	{absence(`approval (`+quoted+`)`, ledger.ErrNotFound), tongue.Word("There is no approval %s.")},
	{absence(`call (`+quoted+`)`, ledger.ErrNotFound), tongue.Word("There is no call %s.")},
	{absence(`([^\s:]+/[^\s:]+)`, record.ErrNotFound), tongue.Word("There is no record %s.")},
	{regexp.MustCompile(`^` + regexp.QuoteMeta(mcp.ErrNotFound.Error()) + `: (.+)$`), tongue.Word("There is no server or tool %s.")},
}

// absence matches an error that says what is not there before the sentinel.
func absence(what string, err error) *regexp.Regexp {
	return regexp.MustCompile(`(?:^|: )` + what + `: ` + regexp.QuoteMeta(err.Error()) + `$`)
}

// Bad says that a request cannot be understood.
func Bad(message, hint string) *Fault {
	return &Fault{Code: "bad_request", Message: message, Hint: hint, Safe: "Nothing was changed.", HTTP: 400}
}

// notFound is the fault for a name that nothing here has.
func notFound(message, hint string) *Fault {
	return &Fault{Code: "not_found", Message: message, Hint: hint, Safe: "Nothing was changed.", HTTP: 404}
}

// phrase fills a format of a sentence that screens show, in French as well: they know it by
// its format (frontend/src/text/said.ts is generated of them).
func phrase(format string, values ...any) string { return fmt.Sprintf(format, values...) }

// faults maps the errors that people meet; the first match wins.
var faults = []struct {
	is    error
	fault Fault
}{
	{ledger.ErrExpired, Fault{Code: "expired", HTTP: 409, Hint: "Resume the turn; it asks again with a new approval.", Safe: "Nothing was changed."}},
	{ledger.ErrVoid, Fault{Code: "void", HTTP: 409, Hint: "Resume the turn, unless it was given up; it asks again if it still wants this.", Safe: "Nothing was decided."}},
	{ledger.ErrDecided, Fault{Code: "decided", HTTP: 409, Hint: "Open the approval again to see the verdict.", Safe: "The first verdict stands."}},
	{ledger.ErrReviewer, Fault{Code: "reviewer", HTTP: 403, Hint: "Ask that person to decide; holdpoint people roles NAME ROLES gives a person roles, a rule or its checkpoint type names who decides (holdpoint checkpoints list), and whoever may decide can pass it on (holdpoint approvals delegate). Who prepares a request can fill it in for them, with a passphrase of their own.", Safe: "Nothing was decided."}},
	{ledger.ErrDelegation, Fault{Code: "delegation", HTTP: 409, Hint: "holdpoint approvals show ID says who may decide; holdpoint checkpoints list says which holds can be passed on.", Safe: "Nothing was decided."}},
	{call.ErrRule, Fault{Code: "rule", HTTP: 409, Hint: "holdpoint rules list shows the rules; change the rule, or ask for something else.", Safe: "Nothing was changed."}},
	{ledger.ErrDigest, Fault{Code: "digest", HTTP: 409, Hint: "Read the request again; it is not what was shown.", Safe: "Nothing was changed."}},
	{ledger.ErrArguments, Fault{Code: "arguments", HTTP: 400, Hint: "Write the arguments as one JSON object, each name once.", Safe: "Nothing was changed."}},
	{tool.ErrArguments, Fault{Code: "arguments", HTTP: 400, Hint: "Compare the arguments with the tool's schema.", Safe: "Nothing was changed."}},
	{ledger.ErrNotFound, Fault{Code: "not_found", HTTP: 404, Hint: "See holdpoint approvals list."}},
	{run.ErrLive, Fault{Code: "busy", HTTP: 409, Hint: "Wait for the turn to end, or stop it.", Safe: "The running turn goes on."}},
	{run.ErrNoRun, Fault{Code: "not_found", HTTP: 404, Hint: "See holdpoint sessions list; holdpoint sessions show SESSION names the turns of one."}},
	{run.ErrTopology, Fault{Code: "topology", HTTP: 409, Hint: "Abandon the turn (holdpoint resume TURN --abandon) and ask again, or open it with the version of Holdpoint that it began with.", Safe: "Nothing was run. Everything the turn did so far is kept in the journal."}},
	{run.ErrDamaged, Fault{Code: "topology", HTTP: 409, Hint: "Abandon the turn (holdpoint resume TURN --abandon) and ask again.", Safe: "Nothing was run. Everything the turn did so far is kept in the journal."}},
	{run.ErrUnknownPause, Fault{Code: "unknown_pause", HTTP: 404, Hint: "Look at the turn again to see what it asks.", Safe: "Nothing was changed."}},
	{run.ErrEmptyAnswer, Fault{Code: "empty_answer", HTTP: 400, Hint: "Say something, or leave the question open.", Safe: "The turn waits on."}},
	{run.ErrAnswered, Fault{Code: "answered", HTTP: 409, Hint: "Look at the turn again to see the answer.", Safe: "The first answer stands."}},
	{run.ErrFenced, Fault{Code: "busy", HTTP: 409, Hint: "Look at the turn again; somebody else went on with it.", Safe: "Nothing was changed."}},
	{run.ErrFinal, Fault{Code: "final", HTTP: 409, Hint: "Ask again in a new turn.", Safe: "The transcript is complete."}},
	{run.ErrLimit, Fault{Code: "limit", HTTP: 409, Hint: "Continue with more of it (holdpoint resume TURN --more N), or abandon the turn.", Safe: "Everything so far is kept."}},
	{record.ErrNotFound, Fault{Code: "not_found", HTTP: 404, Hint: "See holdpoint records list."}},
	{session.ErrNotFound, Fault{Code: "not_found", HTTP: 404, Hint: "See holdpoint sessions list."}},
	{session.ErrDamaged, Fault{Code: "damaged", HTTP: 500, Hint: "Bring back a copy of the data folder, or delete the session with what belongs to it: holdpoint sessions delete SESSION. holdpoint check names all that is damaged.", Safe: "Nothing was changed. The other sessions are whole unless the check names them."}},
	{memory.ErrNotFound, Fault{Code: "not_found", HTTP: 404, Hint: "List what is remembered: holdpoint memory search, or the screen Memory."}},
	{model.ErrUnreachable, Fault{Code: "no_server", HTTP: 502, Hint: "Open Models: start Ollama, or use practice mode.", Safe: "Nothing was changed."}},
	{model.ErrNoModel, Fault{Code: "no_model", HTTP: 409, Hint: "Open Models: pull a model, import a GGUF file, or use practice mode.", Safe: "Nothing was changed."}},
	{model.ErrMute, Fault{Code: "stalled", HTTP: 504, Hint: "Start the model server anew, then resume the turn; or use practice mode.", Safe: "What was answered so far is kept."}},
	{model.ErrStalled, Fault{Code: "stalled", HTTP: 504, Hint: "Resume the turn. If nothing comes again, start the model server anew, or choose a smaller model.", Safe: "What was answered so far is kept."}},
	{model.ErrNotGGUF, Fault{Code: "bad_request", HTTP: 400, Message: "This is not a GGUF file.", Hint: "Choose a GGUF file, or a folder with safetensors.", Safe: "Nothing was changed."}},
	{model.ErrCopy, Fault{Code: "no_server", HTTP: 502, Message: "The model server broke off while the file was copied to it.", Hint: "Look at the server and at its free space, and import the file again.", Safe: "Nothing was imported."}},
	{model.ErrBroken, Fault{Code: "broken", HTTP: 502, Hint: "Resume the turn, or choose another model.", Safe: "What was answered so far is kept."}},
	{online.ErrNetwork, Fault{Code: "offline", HTTP: 409, Message: "The network is not allowed, so nothing can be asked online.", Hint: "Allow it under Settings, or with holdpoint settings set network true. Each request is still shown first.", Safe: "Nothing was sent."}},
	{online.ErrText, Fault{Code: "bad_request", HTTP: 400, Message: fmt.Sprintf("An online search takes 1 to %d bytes of text.", online.MaxText), Hint: "Ask in fewer words.", Safe: "Nothing was sent."}},
	{online.ErrSource, Fault{Code: "bad_request", HTTP: 400, Message: "There is no such online source.", Hint: "Sources are pubmed, clinicaltrials and europepmc.", Safe: "Nothing was sent."}},
	{online.ErrNotFound, Fault{Code: "not_found", HTTP: 404, Hint: "See holdpoint library requests.", Safe: "Nothing was sent."}},
	{encoder.ErrMissing, Fault{Code: "no_encoder", HTTP: 409, Hint: "Build with build/edge or build/run, or get the weights: holdpoint encoder import --help."}},
	{encoder.ErrBroken, Fault{Code: "broken_encoder", HTTP: 409, Hint: "Remove the file and import it again: holdpoint encoder import --help."}},
	{store.ErrLocked, Fault{Code: "locked", HTTP: 409, Message: "Another Holdpoint has this store open.", Hint: "Close the other window or command first."}},
	{store.ErrReadOnly, Fault{Code: "read_only", HTTP: 409, Message: "The data folder cannot be written to: everything can be read, nothing can be changed.",
		Hint: "Make the folder writable, or name another with --data.", Safe: "Nothing was changed."}},
	{store.ErrNoBlob, Fault{Code: "not_found", HTTP: 404, Hint: "Read the journal again."}},
	{store.ErrCursor, Fault{Code: "bad_request", HTTP: 400, Hint: "Start the list from its first page."}},
	{store.ErrID, Fault{Code: "bad_request", HTTP: 400, Hint: "Use an id of 1 to 4096 bytes.", Safe: "Nothing was changed."}},
	{syscall.ENOSPC, Fault{Code: "disk_full", HTTP: 507, Message: "The disk is full.", Hint: "Free some space and start Holdpoint again.", Safe: "What was saved before is kept."}},
	{store.ErrLatched, Fault{Code: "latched", HTTP: 500, Hint: "Check the disk's free space and restart Holdpoint.", Safe: "What was saved before is kept."}},
	{context.Canceled, Fault{Code: "cancelled", HTTP: 499, Message: "cancelled", Safe: "What was finished is kept."}},
	{syscall.ENOTDIR, Fault{Code: "not_found", HTTP: 404, Message: "A part of the path is a file, where a folder is needed.", Hint: "Check the path."}},
	{os.ErrNotExist, Fault{Code: "not_found", HTTP: 404, Hint: "Check the path."}},
}

// AsFault turns any error into what a person reads. It names files, but not where on this
// machine they are.
func AsFault(err error) *Fault {
	var f *Fault
	if errors.As(err, &f) {
		message, hint := withoutPaths(err, f.Message), withoutPaths(err, f.Hint)
		if message == f.Message && hint == f.Hint {
			return f
		}
		out := *f
		out.Message, out.Hint = message, hint
		return &out
	}
	for _, known := range faults {
		if errors.Is(err, known.is) {
			out := known.fault
			if known.is == os.ErrNotExist {
				out.Message = missing(err)
			}
			if out.Message == "" {
				out.Message = withoutPaths(err, err.Error())
			}
			out.err = err
			return &out
		}
	}
	return &Fault{Code: "error", Message: withoutPaths(err, err.Error()), HTTP: 500, err: err}
}

// FailureHint is what to do about the error that ended a turn, as a run keeps its text; "" where none is known.
func FailureHint(text string) string {
	for _, known := range slices.Concat(faults, turnFaults) {
		if known.is == context.Canceled || known.is == os.ErrNotExist || known.fault.Hint == "" {
			continue
		}
		if kind := known.is.Error(); strings.HasPrefix(text, kind) || strings.Contains(text, ": "+kind) {
			return known.fault.Hint
		}
	}
	return ""
}

// turnFaults are errors that say what to do only where they ended a turn.
var turnFaults = []struct {
	is    error
	fault Fault
}{
	{model.ErrServer, Fault{Hint: "Resume the turn, or choose another model."}},
	{model.ErrRequest, Fault{Hint: "Resume the turn, or choose another model."}},
	{turn.ErrNoModel, Fault{Hint: "Open Models: pull a model, import a GGUF file, or use practice mode."}},
}

// missing names the file that is not there; "" for other errors.
func missing(err error) string {
	var path *fs.PathError
	if !errors.As(err, &path) {
		return ""
	}
	name := path.Path
	if filepath.Dir(name) != string(filepath.Separator) { // what stands at the root tells of no folder
		name = filepath.Base(name)
	}
	return phrase("There is no file or folder %s.", name)
}

// withoutPaths leaves of each path in an error's text its last name.
func withoutPaths(err error, text string) string {
	var path *fs.PathError
	if errors.As(err, &path) && len(path.Path) > 1 {
		text = strings.ReplaceAll(text, path.Path, filepath.Base(path.Path))
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		text = strings.NewReplacer(link.Old, filepath.Base(link.Old), link.New, filepath.Base(link.New)).Replace(text)
	}
	return visible.WithoutPaths(text)
}

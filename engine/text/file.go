package text

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Key names a text.
type Key struct {
	Agent    string `json:"agent"`
	Audience string `json:"audience"`
	Language string `json:"language"` // ISO 639-1
	Name     string `json:"name"`
}

// String is the key as people write it: agent/audience/language/name.
func (k Key) String() string {
	return strings.Join([]string{k.Agent, k.Audience, k.Language, k.Name}, "/")
}

// ParseKey reads what String wrote. The error wraps ErrMissing.
func ParseKey(s string) (Key, error) {
	parts := strings.Split(s, "/")
	if len(parts) != 4 || slices.Contains(parts, "") {
		return Key{}, fmt.Errorf("%w: %q is not AGENT/AUDIENCE/LANGUAGE/NAME", ErrMissing, s)
	}
	return Key{parts[0], parts[1], parts[2], parts[3]}, nil
}

func (k Key) compare(o Key) int {
	return cmp.Or(cmp.Compare(k.Agent, o.Agent), cmp.Compare(k.Audience, o.Audience), cmp.Compare(k.Language, o.Language), cmp.Compare(k.Name, o.Name))
}

var (
	// ErrMissing says that there is no such text.
	ErrMissing = errors.New("text: there is no such text")
	// ErrRefused says what is wrong with words that are to take a text's place.
	ErrRefused = errors.New("text: this cannot take the text's place")
	// ErrChanged says that a text is not what somebody read before they changed it.
	ErrChanged = errors.New("text: it was changed meanwhile")
)

// MaxText bounds a text, in bytes.
const MaxText = 16 << 10

// Files are the texts that come with an agent. They are for one goroutine until Check, and
// read-only from then on.
type Files struct {
	agent string
	texts map[Key]string
	// Fits says what is wrong with words for the text of a name, beside what is for any; may be nil.
	Fits func(name, words string) error
}

// New are an agent's texts, none yet.
func New(agent string) *Files { return &Files{agent: agent, texts: map[Key]string{}} }

// Read reads all AUDIENCE/LANGUAGE.yaml of a folder: mappings of names to texts.
func Read(agent string, folder fs.FS) (*Files, error) {
	f := New(agent)
	names, err := fs.Glob(folder, "*/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("text: %w", err)
	}
	if len(names) == 0 {
		return nil, errors.New("text: no AUDIENCE/LANGUAGE.yaml is here")
	}
	for _, name := range names {
		body, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, fmt.Errorf("text: %w", err)
		}
		var texts map[string]string
		if err := yaml.Unmarshal(body, &texts); err != nil {
			return nil, fmt.Errorf("text: %s: %w", name, err)
		}
		audience, language := path.Split(strings.TrimSuffix(name, ".yaml"))
		for _, k := range slices.Sorted(maps.Keys(texts)) {
			if err := f.Add(strings.TrimSuffix(audience, "/"), language, k, texts[k]); err != nil {
				return nil, fmt.Errorf("%w (%s)", err, name)
			}
		}
	}
	return f, nil
}

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9_.]{0,79}$`)

// Add adds a text that stands elsewhere than in these files, e.g. in a list of questions.
func (f *Files) Add(audience, language, name, text string) error {
	k := Key{f.agent, audience, language, name}
	if !nameForm.MatchString(name) {
		return fmt.Errorf("text: %q is not a name of a text", name)
	}
	if _, ok := f.texts[k]; ok {
		return fmt.Errorf("text: two texts are called %s", k)
	}
	text = strings.TrimSpace(text)
	if err := wellFormed(text); err != nil {
		return fmt.Errorf("text: %s: %w", k, err)
	}
	f.texts[k] = text
	return nil
}

func wellFormed(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return bad("it has no words")
	case len(text) > MaxText:
		return bad("it has %d bytes; at most %d are kept", len(text), MaxText)
	case strings.ToValidUTF8(text, "") != text || strings.ContainsRune(text, 0):
		return bad("it is not UTF-8 text")
	}
	return nil
}

// Check says which texts are missing: every audience has every name in every language, with
// the same places to fill, and the names that the agent's code asks for are among them.
func (f *Files) Check(audiences, languages []string, required ...string) error {
	names := map[string]bool{}
	for _, n := range required {
		names[n] = true
	}
	for k := range f.texts {
		if !slices.Contains(audiences, k.Audience) || !slices.Contains(languages, k.Language) {
			return fmt.Errorf("text: %s is for no audience and language of the agent", k)
		}
		names[k.Name] = true
	}
	var found []error
	for _, name := range slices.Sorted(maps.Keys(names)) {
		for _, audience := range audiences {
			first := ""
			for i, language := range languages {
				text, ok := f.texts[Key{f.agent, audience, language, name}]
				if !ok {
					found = append(found, fmt.Errorf("%w: %s", ErrMissing, Key{f.agent, audience, language, name}))
					continue
				}
				places := strings.Join(Places(text), ", ")
				if i > 0 && places != first {
					found = append(found, fmt.Errorf("text: %s has the places %q to fill, in %s it has %q", Key{f.agent, audience, language, name}, places, languages[0], first))
				}
				if i == 0 {
					first = places
				}
			}
		}
	}
	return errors.Join(found...)
}

// Get is a text of the files.
func (f *Files) Get(audience, language, name string) (string, error) {
	k := Key{f.agent, audience, language, name}
	if text, ok := f.texts[k]; ok {
		return text, nil
	}
	return "", fmt.Errorf("%w: %s", ErrMissing, k)
}

func (f *Files) keys() []Key {
	return slices.SortedFunc(maps.Keys(f.texts), Key.compare)
}

var place = regexp.MustCompile(`\{([a-z][a-z0-9_]*)\}`)

// Places are the names in braces that a text leaves to be filled, sorted.
func Places(text string) []string {
	var out []string
	for _, m := range place.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Fill puts values into a text's places: name, value, name, value. What a value says is not
// looked at again.
func Fill(text string, values ...string) string {
	for i := 0; i+1 < len(values); i += 2 {
		values[i] = "{" + values[i] + "}"
	}
	return strings.NewReplacer(values...).Replace(text)
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

package text

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
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
	// elsewhere are the names of texts that came by Add and stand in none of the files.
	elsewhere map[string]bool
	// Fits says what is wrong with words for the text of a name, beside what is for any; may be nil.
	Fits func(name, words string) error
}

// New are an agent's texts, none yet.
func New(agent string) *Files {
	return &Files{agent: agent, texts: map[Key]string{}, elsewhere: map[string]bool{}}
}

// maxFile bounds a file of texts, in bytes.
const maxFile = 2 << 20

// Read reads all AUDIENCE/LANGUAGE.yaml of a folder: mappings of names to texts. Other files of
// YAML there are mistakes: nothing would be read of them.
func Read(agent string, folder fs.FS) (*Files, error) {
	f := New(agent)
	var names []string
	for _, pattern := range []string{"*.*", "*/*.*"} {
		found, err := fs.Glob(folder, pattern)
		if err != nil {
			return nil, fmt.Errorf("text: %w", err)
		}
		for _, name := range found {
			switch ending := strings.ToLower(path.Ext(name)); {
			case ending != ".yaml" && ending != ".yml":
			case pattern == "*.*" || path.Ext(name) != ".yaml":
				return nil, fmt.Errorf("text: %w", bad("%s would not be read; files are called AUDIENCE/LANGUAGE.yaml", name))
			default:
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("text: %w", bad("no AUDIENCE/LANGUAGE.yaml is here"))
	}
	for _, name := range names {
		if err := f.readFile(folder, name); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// readFile adds the texts of one file.
func (f *Files) readFile(folder fs.FS, name string) error {
	in, err := folder.Open(name)
	if err != nil {
		return fmt.Errorf("text: %w", err)
	}
	body, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err = errors.Join(err, in.Close()); err != nil {
		return fmt.Errorf("text: %w", err)
	}
	wrong := func(err error) error { return fmt.Errorf("text: %s: %w", name, err) }
	if len(body) > maxFile {
		return wrong(bad("it has more than %d MiB", maxFile>>20))
	}
	d := yaml.NewDecoder(bytes.NewReader(body))
	var doc yaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF) || err == nil && (len(doc.Content) == 0 || doc.Content[0].Tag == "!!null"):
		return wrong(bad("it has no texts"))
	case err != nil:
		return wrong(err)
	case doc.Content[0].Kind != yaml.MappingNode:
		return wrong(bad("it is not a mapping of names to texts"))
	}
	if err := d.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return wrong(bad("a second document begins in it; put all texts into one"))
	}
	audience, language := path.Split(strings.TrimSuffix(name, ".yaml"))
	all := doc.Content[0].Content
	if len(all) == 0 {
		return wrong(bad("it has no texts"))
	}
	for i := 0; i < len(all); i += 2 {
		key, value := all[i], all[i+1]
		switch {
		case key.Kind != yaml.ScalarNode:
			return wrong(bad("line %d: a name of a text is missing", key.Line))
		case !nameForm.MatchString(key.Value):
			return wrong(bad("line %d: %q is not a name of a text", key.Line, shortened(key.Value)))
		case value.Kind != yaml.ScalarNode || value.Tag == "!!binary":
			return wrong(bad("line %d: %s is not a text", key.Line, key.Value))
		}
		if err := f.add(strings.TrimSuffix(audience, "/"), language, key.Value, value.Value); err != nil {
			return fmt.Errorf("%w (%s)", err, name)
		}
	}
	return nil
}

func shortened(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return s
}

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9_.]{0,79}$`)

// Add adds a text that stands elsewhere than in these files, e.g. in a list of questions.
func (f *Files) Add(audience, language, name, text string) error {
	f.elsewhere[name] = true
	return f.add(audience, language, name, text)
}

func (f *Files) add(audience, language, name, text string) error {
	k := Key{f.agent, audience, language, name}
	if !nameForm.MatchString(name) {
		return fmt.Errorf("text: %w", bad("%q is not a name of a text", name))
	}
	if _, ok := f.texts[k]; ok {
		return fmt.Errorf("text: %w", bad("two texts are called %s", k))
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
					k := Key{f.agent, audience, language, name}
					if f.elsewhere[name] {
						found = append(found, fmt.Errorf("%w: %s", ErrMissing, k))
					} else {
						found = append(found, fmt.Errorf("%w: %s; write it into %s/%s.yaml", ErrMissing, k, audience, language))
					}
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

// Keys are the names of all of its texts, sorted.
func (f *Files) Keys() []Key {
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

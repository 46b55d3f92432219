package definition_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"holdpoint/engine/definition"
	"holdpoint/engine/tool"
)

// TestVocabulary_is_what_the_editor_is_tested_with: "the editor offers me words that the
// check refuses." The screens' tests read the file that this one holds to the language;
// go test ./engine/definition -run Vocabulary -update writes it anew.
func TestVocabulary_is_what_the_editor_is_tested_with(t *testing.T) {
	tools := []tool.Description{
		{Name: "patient_summary", Title: "Patient summary", Description: "What the record says.", Parameters: json.RawMessage(`{"type":"object","properties":{"patient":{"type":"string","description":"Whose record."}},"required":["patient"]}`)},
		{Name: "add_care_note", Description: "Writes a note.", Mutates: true, Parameters: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"},"urgency":{"type":"string","enum":["routine","urgent"]}},"required":["text"]}`)},
		{Name: "lab.order", Description: "Orders a test.", Mutates: true, Parameters: json.RawMessage(`{"type":"object"}`)},
	}
	raw, err := json.MarshalIndent(map[string]any{"schema": definition.Schema(), "words": definition.WordsOf(tools, []string{"wells"})}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "editor.json")
	if *update {
		if err := os.WriteFile(file, raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, raw) {
		t.Error("testdata/editor.json is not the language as it is; write it anew with -update and see what the editor makes of it")
	}
}

// TestVocabulary_says_of_each_text_that_names_something_what_it_names: "after on_error: the
// editor knew my nodes, after the new field it knows nothing."
func TestVocabulary_says_of_each_text_that_names_something_what_it_names(t *testing.T) {
	type field struct {
		Type   any             `json:"type"`
		Holds  string          `json:"x-holds"`
		Enum   json.RawMessage `json:"enum"`
		Ref    string          `json:"$ref"`
		Items  *field          `json:"items"`
		Others json.RawMessage `json:"additionalProperties"`
	}
	var s struct {
		Defs map[string]struct{ Properties map[string]field } `json:"$defs"`
	}
	if err := json.Unmarshal(definition.Schema(), &s); err != nil {
		t.Fatal(err)
	}
	// Texts that a person makes up: names, words for people and models, patterns of texts.
	free := []string{"name", "title", "description", "output", "perspective_text", "answers", "matches", "lacks", "contains", "ask", "replace", "reason", "about", "match", "within"}
	for def, d := range s.Defs {
		for name, f := range d.Properties {
			if def == "value" || def == "limits" || slices.Contains(free, name) {
				continue
			}
			inner := f
			if f.Items != nil {
				inner = *f.Items
			}
			text := inner.Type == "string"
			if list, is := inner.Type.([]any); is {
				text = slices.Contains(list, any("string"))
			}
			if inner.Type == "object" && inner.Holds == "" {
				var o field
				if err := json.Unmarshal(f.Others, &o); err == nil && o.Holds != "" {
					continue
				}
				t.Errorf("%s.%s says nothing of what its members name", def, name)
			}
			if text && inner.Holds == "" && inner.Enum == nil {
				t.Errorf("%s.%s is a text and says nothing of what it names", def, name)
			}
		}
	}
	v := definition.WordsOf(nil, nil)
	for _, k := range v.Kinds {
		if len(k.Writes) == 0 || len(k.Fields) == 0 {
			t.Errorf("%+v", k)
		}
	}
	if !slices.Contains(v.Keys["error"], "kind") || !slices.Contains(v.Keys["run"], "rounds") || !slices.Contains(v.Functions, "clip") {
		t.Errorf("keys %v, functions %v", v.Keys, v.Functions)
	}
}

// TestDocs_name_the_bounds_that_are_refused: "the docs say nothing of 100, and my 200 rounds
// are refused."
func TestDocs_name_the_bounds_that_are_refused(t *testing.T) {
	var s struct {
		Defs map[string]struct {
			Properties map[string]struct {
				Maximum     float64 `json:"maximum"`
				Description string  `json:"description"`
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(definition.Schema(), &s); err != nil {
		t.Fatal(err)
	}
	for field, said := range map[string]string{"times": "1 to 100", "max_steps": "1 to 1,000"} {
		f := s.Defs["node"].Properties[field]
		most := strings.ReplaceAll(strings.TrimPrefix(said, "1 to "), ",", "")
		if most != strconv.Itoa(int(f.Maximum)) || !strings.Contains(f.Description, "1 to "+most) {
			t.Errorf("%s: at most %v, and its description is %q", field, f.Maximum, f.Description)
		}
		for _, topic := range []string{"nodes", "limits"} {
			if !strings.Contains(definition.Doc(topic), said) {
				t.Errorf("%s of %s does not stand in %s", said, field, topic)
			}
		}
	}
}

package schema_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"holdpoint/engine/schema"
)

func TestCompile_ReadsNoFileAndAsksNoAddress(t *testing.T) {
	file := filepath.Join(t.TempDir(), "other.json")
	if err := os.WriteFile(file, []byte(`{"type":"string"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"file://" + file, file, "other.json", "http://127.0.0.1:9/other.json"} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(`{"$ref":"` + ref + `"}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := schema.Compile("x.json", doc, true); err == nil {
			t.Errorf("%s was followed", ref)
		}
	}
}

func TestCompile_FollowsItsOwnDefinitions(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(`{"$ref":"#/$defs/day","$defs":{"day":{"type":"string","format":"date"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, formats := range []bool{true, false} {
		s, err := schema.Compile("x.json", doc, formats)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate("no day"); (err != nil) != formats {
			t.Errorf("formats %v: %v", formats, err)
		}
	}
}

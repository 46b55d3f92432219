package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"time"

	"github.com/gowebpki/jcs"
)

// ErrResource says that some JSON is not a FHIR resource that can be kept.
var ErrResource = errors.New("record: not a resource")

// id and type as FHIR R4 defines them (hl7.org/fhir/R4/datatypes.html#id).
var (
	idForm   = regexp.MustCompile(`^[A-Za-z0-9\-.]{1,64}$`)
	typeForm = regexp.MustCompile(`^[A-Z][A-Za-z]{1,63}$`)
)

// maxDepth bounds how many objects and lists may stand inside one another.
const maxDepth = 64

// New makes a record from a resource: it checks the JSON, reads its type and id and
// computes its version. The resource's bytes are kept as they are. JSON that two parsers
// could read differently (a duplicate key, text after the object) is refused. Errors wrap
// ErrResource and say what is wrong.
func New(resource json.RawMessage, now time.Time) (Record, error) {
	if deeper(resource, maxDepth) {
		return Record{}, fmt.Errorf("%w: nested deeper than %d levels", ErrResource, maxDepth)
	}
	canonical, err := jcs.Transform(resource)
	if err != nil {
		return Record{}, fmt.Errorf("%w: %w", ErrResource, err)
	}
	if canonical[0] != '{' {
		return Record{}, fmt.Errorf("%w: not a JSON object", ErrResource)
	}
	// A map compares names exactly; a struct would take resourcetype as well.
	var head map[string]json.RawMessage
	if err := json.Unmarshal(resource, &head); err != nil {
		return Record{}, fmt.Errorf("%w: %w", ErrResource, err)
	}
	ref := Ref{parseNode(head["resourceType"]).exact(), parseNode(head["id"]).exact()}
	switch {
	case !typeForm.MatchString(ref.Type):
		return Record{}, fmt.Errorf("%w: resourceType is missing or malformed", ErrResource)
	case !idForm.MatchString(ref.ID):
		return Record{}, fmt.Errorf("%w: id is missing or malformed (1 to 64 letters, digits, dashes and dots)", ErrResource)
	}
	sum := sha256.Sum256(canonical)
	return Record{Ref: ref, Version: hex.EncodeToString(sum[:]), Resource: bytes.Clone(resource), UpdatedAt: now.UTC()}, nil
}

// deeper says whether objects and lists nest deeper than limit. It looks at
// brackets outside strings only, so it is right for any valid JSON.
func deeper(raw []byte, limit int) bool {
	depth, inString := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > limit {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// sameText says whether two resources with the same version also have the same digits.
// The version is computed over numbers as doubles (RFC 8785), so it does not tell 1.0
// from 1.00 and ignores digits beyond the seventeenth; FHIR requires both to be kept.
func sameText(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	for raw, into := range map[*json.RawMessage]*any{&a: &x, &b: &y} {
		dec := json.NewDecoder(bytes.NewReader(*raw))
		dec.UseNumber()
		if dec.Decode(into) != nil {
			return false
		}
	}
	return reflect.DeepEqual(x, y)
}

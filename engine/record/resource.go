package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
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

// maxDepth bounds the nesting of a resource.
const maxDepth = 64

// New makes a record of a resource: it checks the JSON, reads type and id and
// computes the version. Errors wrap ErrResource and say what is wrong.
func New(resource json.RawMessage, now time.Time) (Record, error) {
	if err := wellFormed(resource); err != nil {
		return Record{}, err
	}
	var head struct {
		ResourceType string `json:"resourceType"`
		ID           string `json:"id"`
	}
	if err := json.Unmarshal(resource, &head); err != nil {
		return Record{}, fmt.Errorf("%w: %w", ErrResource, err)
	}
	switch {
	case !typeForm.MatchString(head.ResourceType):
		return Record{}, fmt.Errorf("%w: resourceType is missing or malformed", ErrResource)
	case !idForm.MatchString(head.ID):
		return Record{}, fmt.Errorf("%w: id is missing or malformed (1 to 64 letters, digits, dashes and dots)", ErrResource)
	}
	canonical, err := jcs.Transform(resource)
	if err != nil {
		return Record{}, fmt.Errorf("%w: %w", ErrResource, err)
	}
	sum := sha256.Sum256(canonical)
	return Record{Ref: Ref{head.ResourceType, head.ID}, Version: hex.EncodeToString(sum[:]), Resource: bytes.Clone(resource), UpdatedAt: now.UTC()}, nil
}

// wellFormed refuses JSON that is not one object, names a key twice or nests too deep.
func wellFormed(raw []byte) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	tok, err := dec.Token()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrResource, err)
	}
	if tok != json.Delim('{') {
		return fmt.Errorf("%w: not a JSON object", ErrResource)
	}
	if err := object(dec, 1); err != nil {
		return err
	}
	if dec.More() {
		return fmt.Errorf("%w: text after the object", ErrResource)
	}
	return nil
}

func object(dec *json.Decoder, depth int) error {
	keys := map[string]bool{}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return fmt.Errorf("%w: %w", ErrResource, err)
		}
		key, ok := tok.(string)
		if !ok || keys[key] {
			return fmt.Errorf("%w: key %q stands twice in one object", ErrResource, tok)
		}
		keys[key] = true
		if err := value(dec, depth); err != nil {
			return err
		}
	}
	return closing(dec)
}

func value(dec *json.Decoder, depth int) error {
	tok, err := dec.Token()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrResource, err)
	}
	if depth >= maxDepth {
		return fmt.Errorf("%w: nested deeper than %d levels", ErrResource, maxDepth)
	}
	switch tok {
	case json.Delim('{'):
		return object(dec, depth+1)
	case json.Delim('['):
		for dec.More() {
			if err := value(dec, depth+1); err != nil {
				return err
			}
		}
		return closing(dec)
	}
	return nil
}

func closing(dec *json.Decoder) error {
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("%w: %w", ErrResource, err)
	}
	return nil
}

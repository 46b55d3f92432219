package wells

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"holdpoint/engine/model"
	"holdpoint/engine/record"
)

// conflict says that two lines of a file contradict each other.
type conflict struct{ members []string }

func (c *conflict) Error() string { return fmt.Sprintf("filing: two lines differ in %v", c.members) }

// told is a conflict as the line's error.
func told(err error, what string) error {
	var no *conflict
	if !errors.As(err, &no) {
		return err
	}
	return &record.Refusal{Reason: fmt.Sprintf("%s is in the file before with another %s; correct one of them", what, strings.Join(no.members, ", "))}
}

// ownSource is the source that a member names itself, as a boundary does; "" for others.
func ownSource(v json.RawMessage) string {
	var own struct{ Source string }
	if json.Unmarshal(v, &own) != nil {
		return ""
	}
	return own.Source
}

// merge is a record with what a source says of it:
//
//   - what nobody said before is added;
//   - a newer permit, and the same source read again, replaces what was said;
//   - another source only adds, and what it says otherwise is told (*record.Remark); so
//     does a second line of the same file (again), which must not contradict the first;
//   - what a person corrected stays as it is;
//   - a name that gives way stays as an alias.
//
// Merging the same again changes nothing, whatever the order of the files.
func merge[T any](tx record.Tx, in T, ref record.Ref, from Source, again bool, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	old, err := tx.Record(ref)
	missing := errors.Is(err, record.ErrNotFound)
	if err != nil && !missing {
		return nil, err
	}
	var now map[string]json.RawMessage
	if err := json.Unmarshal(model.JSON(in), &now); err != nil {
		return nil, err
	}
	was := map[string]json.RawMessage{}
	var kept struct {
		Source    Source
		Corrected map[string]string
		Alias     []string
		Name      string
		Other     map[string]string
	}
	if !missing {
		if err := errors.Join(json.Unmarshal(old.Resource, &was), json.Unmarshal(old.Resource, &kept)); err != nil {
			// A record of somebody else's form under this id: it is not ours to change.
			return nil, &record.Refusal{Reason: fmt.Sprintf("%s is there in another form and was left as it is", ref)}
		}
	}
	newer := missing || from.Rank != "" && from.Rank >= kept.Source.Rank || from.Rank == "" && kept.Source.Rank == "" && from.Name == kept.Source.Name && !again
	var differ []string
	of := cmp.Or(kept.Source.Name, "the record") // whose what differs is
	for k, v := range now {
		switch {
		case k == "source" || k == "alias" || k == "other" || k == "corrected":
		case k == "name" && string(v) == `""`:
		case was[k] == nil || string(was[k]) == `""` || fuller(was[k], v):
			was[k] = v
		case bytes.Equal(was[k], v) || kept.Corrected[k] != "":
		case newer:
			if k == "name" {
				kept.Alias = withAlias(kept.Alias, kept.Name)
			}
			was[k] = v
		case k == "name":
			var name string
			if json.Unmarshal(v, &name) == nil {
				kept.Alias = withAlias(kept.Alias, name)
			}
		case !again && from.Name != "" && ownSource(was[k]) == from.Name:
			was[k] = v // lines of the map that is read again, beside what a list says
		default:
			differ = append(differ, k)
			of = cmp.Or(ownSource(was[k]), of)
		}
	}
	if again && from.Rank == "" && len(differ) > 0 {
		slices.Sort(differ)
		return nil, &conflict{differ}
	}
	var other map[string]string
	if now["other"] != nil {
		if err := json.Unmarshal(now["other"], &other); err != nil {
			return nil, err
		}
	}
	for k, v := range other {
		if kept.Other == nil {
			kept.Other = map[string]string{}
		}
		if _, there := kept.Other[k]; !there || newer {
			kept.Other[k] = v
		}
	}
	if kept.Other != nil {
		was["other"] = model.JSON(kept.Other)
	}
	if kept.Alias != nil {
		was["alias"] = model.JSON(kept.Alias)
	}
	if newer {
		was["source"] = model.JSON(from)
	}
	if string(was["name"]) == `""` || was["name"] == nil && ref.Type != FieldType {
		was["name"] = model.JSON(ref.ID)
	}
	// Through the struct, so that the members stand in one order.
	var out T
	if err := json.Unmarshal(model.JSON(was), &out); err != nil {
		return nil, &record.Refusal{Reason: fmt.Sprintf("%s is there in another form and was left as it is", ref)}
	}
	if len(differ) > 0 && from.Rank == "" {
		slices.Sort(differ)
		return model.JSON(out), &record.Remark{Reason: fmt.Sprintf("%s: the %s differs from what %s says, which was kept. To have this file's, correct that one and import it again, or give this file its name",
			ref, strings.Join(differ, ", "), of)}
	}
	return model.JSON(out), nil
}

// fuller says that an object says all that another does, and more: a place with its datum.
func fuller(was, now json.RawMessage) bool {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(was, &a) != nil || json.Unmarshal(now, &b) != nil {
		return false
	}
	for k, v := range a {
		if string(v) != `""` && !bytes.Equal(v, b[k]) {
			return false
		}
	}
	return true
}

func withAlias(list []string, name string) []string {
	if name == "" || slices.Contains(list, name) {
		return list
	}
	list = append(list, name)
	slices.Sort(list)
	return list
}

package filing

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"holdpoint/engine/agents/filing/spacing"
	"holdpoint/engine/agents/filing/wells"
	"holdpoint/engine/record"
)

// heard are those who are to be heard of an exception, as the records name them.
type heard struct {
	spacing.Around
	names []string // a tract a line: lease, place, operator
	// open is what the records do not say and has to be found out; "" for nothing.
	open   string
	source string
}

// affected finds the tracts whose people are to be heard of an exception, 16 TAC 3.37(a)(2):
// those nearer to the well than the radius; with a distance between wells too short, and of a
// horizontal well (16 TAC 3.86(h)(3)), each adjacent one as well.
func affected(tx record.Tx, o located) (heard, error) {
	var h heard
	all, leases, err := lands(tx, o)
	if err != nil {
		return h, err
	}
	adjacent := strings.HasSuffix(o.Notice.Basis, "(B)") || o.well.Profile == spacing.Horizontal
	h.Around = o.input.Around(o.Notice.RadiusFt, adjacent, all)
	var sources, nobody []string
	for _, a := range h.Tracts {
		l := leases[a.Ref]
		operator, ok, err := wells.ReadOperator(tx, l.Operator)
		if err != nil {
			return h, err
		}
		text := l.Name + " (" + a.Ref + "), " + a.Words() + ": "
		if ok {
			text += "operator " + strings.TrimSpace(operator.Name+" "+operator.Number)
			if operator.Address != "" {
				text += ", " + operator.Address
			}
		} else {
			text += "no operator in the records"
			nobody = append(nobody, l.Name)
		}
		if !a.ByWell && !a.Confirmed {
			text += " (lines not confirmed)"
		}
		h.names = append(h.names, text)
		if s := l.Source.String(); !slices.Contains(sources, s) && len(sources) < 3 {
			sources = append(sources, s)
		}
	}
	if len(sources) > 0 {
		h.source = "the leases in the records (" + strings.Join(sources, "; ") + "), distances from coordinates (" + o.Datum + ")"
	}
	var open []string
	if len(h.Unknown) > 0 {
		where := "towards " + strings.Join(h.Unknown, ", ")
		if len(h.Unknown) == 8 {
			where = "on all sides"
		}
		open = append(open, "no lease lines in the records say whose the land is "+where)
	}
	if h.AdjacentUnknown {
		open = append(open, "the lease's own lines are not known, so which tracts are adjacent is not either")
	}
	if len(h.Unplaced) > 0 {
		open = append(open, "the lines of "+strings.Join(h.Unplaced, ", ")+" are in another datum, or bound no tract, and were not measured")
	}
	if len(nobody) > 0 {
		open = append(open, "the records name no operator of "+strings.Join(nobody, ", "))
	}
	if len(open) > 0 {
		reach := fmt.Sprintf("each tract nearer than %s ft", trimFloat(o.Notice.RadiusFt))
		if adjacent {
			reach = "each adjacent tract and " + reach
		}
		h.open = strings.Join(open, "; ") + ". Get for " + reach + " from the plat and the county's records: the designated operator; without one, the lessees of record; of unleased minerals, the owners of record (16 TAC 3.37(a)(2))"
	}
	return h, nil
}

// lands are all leases but the well's own that have lines or wells, and the leases by their
// refs.
func lands(tx record.Tx, o located) (all []spacing.Land, leases map[string]wells.Lease, err error) {
	leases = map[string]wells.Lease{}
	own := ""
	if o.well.Lease != nil {
		own = o.well.Lease.Ref().String()
	}
	err = tx.Records(wells.LeaseType, "", func(r record.Record) (bool, error) {
		var l wells.Lease
		if r.String() == own || json.Unmarshal(r.Resource, &l) != nil {
			return true, nil // another agent's lease has no lines that are known here
		}
		leases[r.String()] = l
		if t, err := tractOf(l); err == nil && t != nil {
			all = append(all, spacing.Land{Ref: r.String(), Lines: t})
		}
		return true, nil
	})
	if err != nil {
		return nil, nil, err
	}
	err = tx.Records(wells.WellType, "", func(r record.Record) (bool, error) {
		var w wells.Well
		if json.Unmarshal(r.Resource, &w) != nil || w.Lease == nil || w.Surface == nil {
			return true, nil
		}
		ref := w.Lease.Ref().String()
		if l, there := leases[ref]; there && l.Boundary == nil {
			all = append(all, spacing.Land{Ref: ref, Well: w.Surface.Point(), Datum: w.Surface.Datum})
		}
		return true, nil
	})
	return all, leases, err
}

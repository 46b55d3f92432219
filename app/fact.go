package app

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"holdpoint/engine/agent"
	"holdpoint/engine/tool"
)

// factKey begins the settings that confirm an agent's facts: fact.AGENT.ID.
const factKey = "fact."

// FactView is a fact that an agent builds on, with who confirmed it.
type FactView struct {
	Agent string `json:"agent"`
	agent.Fact
	Confirmed *tool.Fact `json:"confirmed,omitempty"`
}

// Facts lists what the agents take from rules: those that nobody confirmed first.
func (a *App) Facts() ([]FactView, error) {
	s, err := a.Settings()
	if err != nil {
		return nil, err
	}
	out := []FactView{}
	for _, x := range a.agents.builtIn {
		for _, f := range x.Facts {
			v := FactView{Agent: x.ID, Fact: f}
			if c, ok := s.Facts[x.ID][f.ID]; ok {
				v.Confirmed = &c
			}
			out = append(out, v)
		}
	}
	open := func(v FactView) int {
		if v.Confirm && v.Confirmed == nil {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(out, func(x, y FactView) int { return open(x) - open(y) })
	return out, nil
}

// confirmFact keeps what a person says of a fact: its value, or nothing to take the
// confirmation back. Where nobody said who they are, the setting reviewer or the login name
// stands for them.
func (a *App) confirmFact(s *Settings, who, key, value string) error {
	id, fact, _ := strings.Cut(key, ".")
	x, err := a.agents.find(id)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(x.Facts, func(f agent.Fact) bool { return f.ID == fact })
	if at < 0 {
		var ids []string
		for _, f := range x.Facts {
			if f.Confirm {
				ids = append(ids, f.ID)
			}
		}
		return Bad(fmt.Sprintf("The agent %s has no fact %q.", id, fact), "Facts to confirm are "+strings.Join(ids, ", ")+"; holdpoint settings facts shows them.")
	}
	if !x.Facts[at].Confirm {
		return Bad(fmt.Sprintf("%s stands in its source (%s) and needs no confirmation.", fact, x.Facts[at].Source), "Choose one of those that do; holdpoint settings facts shows them.")
	}
	f := x.Facts[at]
	value = strings.TrimSpace(value)
	switch n, err := strconv.ParseFloat(value, 64); {
	case value == "" || value == f.Value:
	case !f.Number:
		return Bad(fmt.Sprintf("What is worked out rests on %q; %s can be confirmed, not replaced.", f.Value, fact), fmt.Sprintf("Give %q to confirm it. Where another is right, leave it to be confirmed and say so in the filing.", f.Value))
	case err != nil || n <= 0 || n > 10_000:
		return Bad(fmt.Sprintf("%q is not a number for %s.", value, fact), fmt.Sprintf("Give a number, such as %s.", f.Value))
	}
	all := maps.Clone(s.Facts)
	if all == nil {
		all = map[string]map[string]tool.Fact{}
	}
	own := maps.Clone(all[id])
	if own == nil {
		own = map[string]tool.Fact{}
	}
	if value == "" {
		delete(own, fact)
	} else {
		by := cmp.Or(who, s.Reviewer)
		if by == "" {
			by = loginName()
		}
		own[fact] = tool.Fact{Value: value, By: by, At: a.now().UTC()}
	}
	all[id] = own
	s.Facts = all
	return nil
}

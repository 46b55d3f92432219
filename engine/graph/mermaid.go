package graph

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// Mermaid draws the graph as a Mermaid flowchart.
func (g *Graph) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	drawLevel(&b, g.spec, "", "  ")
	return b.String()
}

func drawLevel(b *strings.Builder, s *Spec, prefix, indent string) {
	name := func(id StageID) string {
		var n strings.Builder
		for _, r := range prefix + string(id) {
			switch {
			case r == '_', r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)):
				n.WriteRune(r)
			case r == '/':
				n.WriteString("__")
			default:
				fmt.Fprintf(&n, "_x%x_", r) // Mermaid's names are words
			}
		}
		return n.String()
	}
	box := func(id StageID) string {
		if id == Start || id == End {
			return fmt.Sprintf("%s_([%s])", name(id), id) // "end" alone is a Mermaid keyword
		}
		return name(id)
	}
	for _, st := range s.Stages {
		if st.Graph == nil {
			fmt.Fprintf(b, "%s%s[%s]\n", indent, name(st.ID), label(st.ID))
			continue
		}
		fmt.Fprintf(b, "%ssubgraph %s[%s]\n", indent, name(st.ID), label(st.ID))
		drawLevel(b, st.Graph, prefix+string(st.ID)+"/", indent+"  ")
		fmt.Fprintf(b, "%send\n", indent)
	}
	for _, e := range s.Edges {
		switch {
		case e.Condition != "":
			fmt.Fprintf(b, "%s%s -. %s .-> %s\n", indent, box(e.From), onEdge(e.Condition), box(e.To))
		case e.Type == JoinInput:
			fmt.Fprintf(b, "%s%s == join ==> %s\n", indent, box(e.From), box(e.To))
		default:
			fmt.Fprintf(b, "%s%s --> %s\n", indent, box(e.From), box(e.To))
		}
	}
}

// onEdge quotes a condition that Mermaid would take for its own signs.
func onEdge(condition string) string {
	if !strings.ContainsAny(condition, "\"()[]{}|&;#\n") {
		return condition
	}
	return `"` + strings.NewReplacer("#", "#35;", `"`, "#quot;", "\n", " ").Replace(condition) + `"`
}

func label(id StageID) string {
	b, err := json.Marshal(string(id)) // quotes and escapes
	if err != nil {
		return string(id)
	}
	return string(b)
}

package definition

import (
	"crypto/sha256"
	"encoding/hex"

	"holdpoint/engine/model"
)

// settings is the digest of all that a definition sets of what its nodes do, for graph.Spec.Settings: tools,
// conditions, counts, templates, answers. Words that only people or models read are not part of it (titles,
// descriptions, instructions, questions, reasons), nor limits, which a run keeps itself.
func settings(def Definition) string {
	def.Title, def.Description, def.Example, def.Instructions, def.Limits = "", "", "", "", Limits{}
	def.Nodes, def.Edges = def.Nodes.behaviour(), append([]Edge(nil), def.Edges...)
	rules := append([]Rule(nil), def.Rules...)
	for i := range rules {
		rules[i].Description, rules[i].Reason = "", ""
	}
	def.Rules = rules
	sum := sha256.Sum256(model.JSON(def))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// behaviour are the nodes without their words; a pattern that one uses stands in its place.
func (list Nodes) behaviour() Nodes {
	if list == nil {
		return nil
	}
	out := append(Nodes{}, list...)
	for i := range out {
		n := &out[i]
		n.Title, n.Description, n.Instructions, n.PerspectiveText, n.Question, n.SoftTimeout, n.Blocks = "", "", "", "", "", 0, nil
		n.Nodes, n.Pool = n.Nodes.behaviour(), n.Pool.behaviour()
		n.Choices = append([]Choice(nil), n.Choices...)
		for j := range n.Choices {
			n.Choices[j].About = ""
		}
		n.Guards = append([]Guard(nil), n.Guards...)
		for j := range n.Guards {
			n.Guards[j].Reason = ""
		}
		if p, err := ByPattern(n.Use); n.Use != "" && err == nil {
			n.Use += " " + settings(p.Definition)
		}
	}
	return out
}

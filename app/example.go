package app

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// having is the first built-in agent of which something is true, for help texts and hints
// that need one as an example; AGENT without any.
func (r *Agents) having(is func(x *registered) bool) string {
	if at := slices.IndexFunc(r.builtIn, is); at >= 0 {
		return r.builtIn[at].ID
	}
	return "AGENT"
}

func hasBoard(x *registered) bool   { return x.info().Boards }
func hasPrompts(x *registered) bool { return x.Prompts != nil }

// Examples fills what help texts leave to the registry, so that they name none of its agents:
// {board}, {vectors}, {weighs}, {consent} and {prompts} are an agent that has such a thing, {text}
// is one of an agent's texts, {node} a node with vars and {state} all vars of it; {features}, {collections} and
// {formats} are what all have.
func (r *Agents) Examples() *strings.Replacer {
	text, node := "AGENT/AUDIENCE/LANGUAGE/NAME", "NODE"
	if at := slices.IndexFunc(r.builtIn, func(x *registered) bool { return x.Wording != nil && len(x.Wording.Keys()) > 0 }); at >= 0 {
		text = r.builtIn[at].Wording.Keys()[0].String()
	}
	state := ""
	if at := slices.IndexFunc(r.builtIn, hasPrompts); at >= 0 {
		known := r.builtIn[at].Prompts.Manifests
		node = cmp.Or(strings.Join(known.Nodes()[:min(1, len(known.Nodes()))], ""), node)
		var is, words []string
		for name, example := range known.State() {
			if _, ok := example.(bool); ok {
				is = append(is, name)
			} else {
				words = append(words, name)
			}
		}
		slices.Sort(is)
		slices.Sort(words)
		for _, v := range r.builtIn[at].Vars {
			if _, ok := known.State()[v.Name]; ok && v.Start && len(v.Values) > 0 {
				node += " --var " + v.Name + "=" + v.Values[len(v.Values)-1]
			}
		}
		state = fmt.Sprintf(", for %s: %s, and true or false for\n%s", r.builtIn[at].ID, strings.Join(words, ", "), strings.Join(is, ", "))
	}
	features, formats, collections := "", "", []string{}
	for _, x := range r.builtIn {
		for _, f := range x.Features {
			features += featureKey + f.Name + " takes on or off, and " + f.About + "\n"
		}
		for _, f := range x.Formats {
			if f.About != "" {
				formats += fmt.Sprintf(", or %s (%s)", f.About, f.Extension)
			}
		}
	}
	for _, audience := range r.audiences() {
		collections = append(collections, collectionKey+audience)
	}
	return strings.NewReplacer(
		"{board}", r.having(hasBoard), "{prompts}", r.having(hasPrompts),
		"{vectors}", r.having(func(x *registered) bool { return x.Vectors != nil }),
		"{weighs}", r.having(func(x *registered) bool { return x.Weigh != nil }),
		"{consent}", r.having(func(x *registered) bool { return x.Whom != nil }),
		"{text}", text, "{node}", node, "{state}", state, "{features}\n", features, "{formats}", formats, "{collections}", strings.Join(collections, " and "))
}

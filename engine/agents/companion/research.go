package companion

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/sourcegraph/conc"
	"go.yaml.in/yaml/v3"

	"holdpoint/engine/call"
	"holdpoint/engine/encoder"
	"holdpoint/engine/graph"
	"holdpoint/engine/library"
	"holdpoint/engine/model"
	"holdpoint/engine/safety"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
)

// Tools of the agent; both only look.
const (
	ResearchTool = "research_strategies"
	ContactTool  = "find_help_lines"
)

func ownTools(c *companion) []tool.Tool {
	return []tool.Tool{
		{Name: ResearchTool, Title: "Look for strategies", Description: "Look for well-founded strategies for a situation, with sources. Give the topic in a sentence.",
			Parameters:   json.RawMessage(`{"type":"object","properties":{"topic":{"type":"string","minLength":3,"maxLength":500}},"required":["topic"],"additionalProperties":false}`),
			Capabilities: []string{tool.CanRead}, Read: c.lookUp},
		{Name: ContactTool, Title: "Look up whom to call", Description: "Look up help lines of the person's region for a kind of trouble.",
			Parameters:   json.RawMessage(`{"type":"object","properties":{"kind":{"type":"string","enum":["suicide","abuse","children","poison"]}},"required":["kind"],"additionalProperties":false}`),
			Capabilities: []string{tool.CanRead}, Read: contacts},
	}
}

// passage is a strategy or a piece of a document, with where it comes from.
type passage struct {
	ID     string `json:"id" yaml:"id"`
	Title  string `json:"title" yaml:"title"`
	Text   string `json:"text" yaml:"text"`
	Source string `json:"source" yaml:"source"`
	// Document and Passage say where it stands in the library; "" for a strategy.
	Document string `json:"document,omitempty" yaml:"-"`
	Passage  uint64 `json:"passage,omitempty" yaml:"-"`
	// Judged says that the model scored it as relevant.
	Judged bool `json:"judged,omitempty" yaml:"-"`
	near   float64
}

// readCollections reads strategies/AUDIENCE/LANGUAGE.yaml, by audience/language.
func readCollections(files fs.FS) (map[string][]passage, error) {
	out := map[string][]passage{}
	for _, audience := range audiences {
		for _, language := range languages {
			body, err := fs.ReadFile(files, "strategies/"+audience+"/"+language+".yaml")
			if err != nil {
				return nil, fmt.Errorf("companion: %w", err)
			}
			var list []passage
			if err := yaml.Unmarshal(body, &list); err != nil {
				return nil, fmt.Errorf("companion: strategies/%s/%s.yaml: %w", audience, language, err)
			}
			out[audience+"/"+language] = list
		}
	}
	return out, nil
}

const (
	mostQueries  = 4
	perQuery     = 4 // passages of each query
	mostJudged   = 10
	mostPassages = 4
	relevant     = 6 // of 10
)

// lookUp asks the audience's collection several queries at once, and keeps what the model
// says helps with the topic.
func (c *companion) lookUp(ctx context.Context, _ tool.Env, raw json.RawMessage) (json.RawMessage, error) {
	var a struct{ Topic string }
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("%w: %w", tool.ErrArguments, err)
	}
	t, err := call.TaskOf(ctx)
	if err != nil {
		return nil, err
	}
	if t.Run.Agent != Name {
		return nil, &tool.Refusal{Reason: "this searches the companion's collections, in its own sessions only"}
	}
	d, err := turn.DependenciesOf(t)
	if err != nil {
		return nil, err
	}
	queries, err := c.queries(ctx, t, a.Topic)
	if err != nil {
		return nil, err
	}
	found, note, err := c.search(ctx, t, d, queries)
	if err != nil {
		return nil, err
	}
	kept, judged, err := c.filter(ctx, t, a.Topic, found)
	if err != nil {
		return nil, err
	}
	if !judged {
		note = strings.TrimSpace(note + " The model did not judge them; these are the nearest.")
	}
	for i := range kept {
		kept[i].ID = fmt.Sprintf("S%d", i+1)
	}
	out := map[string]any{"passages": kept, "queries": queries}
	if len(kept) == 0 {
		note = strings.TrimSpace(note + " Nothing in the collection helps with this topic.")
	}
	if note != "" {
		out["note"] = note
	}
	return model.JSON(out), nil
}

// queries look at the topic from several sides; the topic is one of them.
func (c *companion) queries(ctx context.Context, t *graph.Task, topic string) ([]string, error) {
	out := []string{model.OneLine(topic, 300)}
	var answer struct{ Queries []string }
	err := c.put(ctx, t, Research, true, nil, "<topic>\n"+turn.TagSafe(topic)+"\n</topic>", &answer)
	if err != nil && fatal(ctx, err) {
		return nil, err
	}
	for _, q := range answer.Queries { // none after a failure: the topic alone will do
		if q = model.OneLine(q, 200); q != "" && len(out) < mostQueries && !slices.ContainsFunc(out, func(o string) bool { return strings.EqualFold(o, q) }) {
			out = append(out, q)
		}
	}
	return out, nil
}

// search asks all queries at once: the strategies that come along by meaning, or by words
// where nothing compares meanings, and the part of the library that was chosen for the audience.
func (c *companion) search(ctx context.Context, t *graph.Task, d *turn.Dependencies, queries []string) (found []passage, note string, err error) {
	all, err := c.collections()
	if err != nil {
		return nil, "", err
	}
	audience := t.Run.Vars[audienceVar]
	own := all[audience+"/"+language(t)]
	texts := make([]string, len(own))
	for i, p := range own {
		texts[i] = p.Title + ". " + p.Text
	}
	var vectors []turn.Meaning
	if d.Encoder != nil {
		if vectors, err = turn.Meanings(ctx, d.Encoder, d.Vectors, turn.Whole, texts, nil); err != nil {
			if ctx.Err() != nil {
				return nil, "", err
			}
			vectors = nil
		}
	}
	if vectors == nil {
		note = "Compared by words."
	}
	lists := make([][]passage, len(queries))
	var wg conc.WaitGroup
	for i, q := range queries {
		wg.Go(func() {
			lists[i] = nearest(ctx, d, q, own, texts, vectors)
			if source := d.Collections[audience]; source != "" && d.Search != nil {
				lists[i] = append(lists[i], inLibrary(ctx, d.Search, source, q)...)
			}
		})
	}
	wg.Wait()
	for _, list := range lists {
		for _, p := range list {
			if at := slices.IndexFunc(found, func(o passage) bool { return o.Text == p.Text }); at < 0 {
				found = append(found, p)
			} else {
				found[at].near = max(found[at].near, p.near)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b passage) int { return cmp.Compare(b.near, a.near) })
	if vectors != nil { // words in common say less
		found = slices.DeleteFunc(found, func(p passage) bool { return p.near < leastNear })
	}
	found = found[:min(len(found), mostJudged)]
	for i := range found {
		found[i].ID = fmt.Sprintf("P%d", i+1)
	}
	return found, note, ctx.Err()
}

// nearest are the passages closest to a query.
func nearest(ctx context.Context, d *turn.Dependencies, query string, own []passage, texts []string, vectors []turn.Meaning) []passage {
	list := slices.Clone(own)
	var asked []turn.Meaning
	if vectors != nil {
		asked, _ = turn.Meanings(ctx, d.Encoder, nil, turn.Whole, []string{query}, nil) // words will do otherwise
	}
	for i := range list {
		if len(asked) == 1 && len(asked[0]) == 1 && len(vectors[i]) == 1 {
			list[i].near = encoder.Cosine(asked[0][0], vectors[i][0])
		} else {
			list[i].near = inCommon(query, texts[i])
		}
	}
	slices.SortStableFunc(list, func(a, b passage) int { return cmp.Compare(b.near, a.near) })
	return list[:min(len(list), perQuery)]
}

// inCommon is the share of a query's longer words that a text has, by their beginnings.
func inCommon(query, text string) float64 {
	text = plainWords(text)
	n, in := 0, 0
	for _, w := range strings.Fields(plainWords(query)) {
		r := []rune(strings.Trim(w, ",.;:!?()"))
		if len(r) < 4 {
			continue
		}
		n++
		if strings.Contains(text, string(r[:min(len(r), 6)])) {
			in++
		}
	}
	if n == 0 {
		return 0
	}
	return float64(in) / float64(n)
}

// inLibrary are passages of documents that the user imported and chose for the audience.
func inLibrary(ctx context.Context, search library.Search, source, query string) (out []passage) {
	found, err := search(ctx, library.Query{Text: query, Source: source, Limit: perQuery})
	if err != nil {
		return nil // the strategies that come along are there in any case
	}
	for _, h := range found.Hits {
		for _, f := range h.Found[:min(1, len(h.Found))] {
			where := strings.TrimSpace(h.Title + " " + h.Date)
			out = append(out, passage{Title: model.OneLine(h.Title, 120), Text: model.OneLine(f.Text, 900), Source: model.OneLine(where, 160), Document: h.ID, Passage: f.N, near: max(f.Cosine, inCommon(query, h.Title+". "+f.Text))})
		}
	}
	return out
}

// filter keeps what the model scores as relevant; judged is false where it did not, and the
// nearest are kept.
func (c *companion) filter(ctx context.Context, t *graph.Task, topic string, found []passage) (kept []passage, judged bool, err error) {
	if len(found) == 0 {
		return nil, true, nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<topic>\n%s\n</topic>\n<passages>\n", turn.TagSafe(topic))
	for _, p := range found {
		fmt.Fprintf(&b, "%s: %s. %s\n", p.ID, turn.TagSafe(p.Title), turn.TagSafe(model.Shorten(p.Text, 500)))
	}
	b.WriteString("</passages>")
	var answer struct {
		Scores []struct {
			ID    string
			Score int
		}
	}
	err = c.putTo(ctx, t, "relevance", true, "relevance_system_prompt", schemas["Relevance"], b.String(), &answer)
	if err != nil && fatal(ctx, err) {
		return nil, false, err
	}
	scores := map[string]int{}
	for _, s := range answer.Scores {
		scores[s.ID] = s.Score
	}
	if err != nil || len(scores) == 0 {
		return found[:min(len(found), mostPassages-1)], false, nil
	}
	kept = slices.DeleteFunc(slices.Clone(found), func(p passage) bool { return scores[p.ID] < relevant })
	slices.SortStableFunc(kept, func(a, b passage) int { return scores[b.ID] - scores[a.ID] })
	for i := range kept {
		kept[i].Judged = true
	}
	return kept[:min(len(kept), mostPassages)], true, nil
}

// contacts are the help lines of the region that the person gave, or of the settings.
func contacts(ctx context.Context, _ tool.Env, raw json.RawMessage) (json.RawMessage, error) {
	var a struct{ Kind string }
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("%w: %w", tool.ErrArguments, err)
	}
	t, err := call.TaskOf(ctx)
	if err != nil {
		return nil, err
	}
	code, words, young := "", safety.English, false
	if d, ok := t.Dependencies.(*turn.Dependencies); ok {
		code = d.Region
	}
	if t.Run.Agent == Name {
		code, words, young = cmp.Or(regionOf(t), code), safety.Language(language(t)), t.Run.Vars[audienceVar] == youngAudience
	}
	r := safety.RegionOf(code)
	type line struct {
		Name   string `json:"name"`
		Text   string `json:"text"`
		Source string `json:"source"`
	}
	out := []line{}
	for _, l := range r.For(safety.Help{Language: words, Informal: young}, safety.Topic(a.Kind)) {
		out = append(out, line{l.Name.In(words), l.In(words), l.Source.In(words)})
	}
	answer := map[string]any{"region": r.Name.In(words), "emergency": r.Emergency.In(words), "lines": out, "checked": safety.LinesChecked()}
	if r.Choose {
		answer["note"] = "the region is not known; ask for it before naming a line"
	}
	return model.JSON(answer), nil
}

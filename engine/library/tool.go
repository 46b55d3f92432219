package library

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"holdpoint/engine/model"
	"holdpoint/engine/tool"
)

// ToolName is the search's name among an agent's tools.
const ToolName = "search_library"

// Search finds passages, as Library.Search does.
type Search func(ctx context.Context, q Query) (Answer, error)

// what a model gets: few passages, since each is some hundred tokens.
const (
	toolHits    = 5
	toolMost    = 10
	toolPassage = 2 // of one document
)

// Tool lets a model search. It only reads, and what it gives back is text of documents, which may say
// anything: it is data, as the answers of all tools are.
func Tool(search Search) tool.Tool {
	kinds, err := json.Marshal(Kinds)
	if err != nil {
		panic("library: " + err.Error()) // they are constants
	}
	return tool.Tool{
		Name:        ToolName,
		Description: "Find passages in the documents that the user imported (papers, guidelines, notes), by words and by meaning. Returns the text with its document, date and page.",
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"query":{"type":"string","minLength":1,"maxLength":1000,"description":"what to find: words, a \"phrase\" in quotes, or a question"},` +
			`"source":{"type":"string","maxLength":1000,"description":"only what was imported from this folder or file"},` +
			`"type":{"type":"string","enum":` + string(kinds) + `},` +
			`"from":{"type":"string","maxLength":10,"description":"date or year of the oldest document"},` +
			`"to":{"type":"string","maxLength":10},` +
			`"limit":{"type":"integer","minimum":1,"maximum":` + fmt.Sprint(toolMost) + `}},"required":["query"],"additionalProperties":false}`),
		Read: func(ctx context.Context, _ tool.Env, raw json.RawMessage) (json.RawMessage, error) {
			var a struct {
				Query, Source, Type, From, To string
				Limit                         int
			}
			if err := json.Unmarshal(raw, &a); err != nil {
				return nil, fmt.Errorf("%w: %w", tool.ErrArguments, err)
			}
			if a.Limit == 0 {
				a.Limit = toolHits
			}
			found, err := search(ctx, Query{Text: a.Query, Source: a.Source, Kind: a.Type, From: a.From, To: a.To, Limit: min(a.Limit, toolMost)})
			if err != nil {
				return nil, err
			}
			type passage struct {
				Document string `json:"document"`
				Title    string `json:"title"`
				Source   string `json:"source"`
				Date     string `json:"date,omitempty"`
				Passage  uint64 `json:"passage"`
				Place    string `json:"place"`
				Heading  string `json:"heading,omitempty"`
				Text     string `json:"text"`
			}
			list := []passage{}
			for _, h := range found.Hits {
				for _, f := range h.Found[:min(len(h.Found), toolPassage)] {
					place := fmt.Sprintf("passage %d of %d", f.Place, h.Passages)
					if f.Page > 0 {
						place = fmt.Sprintf("page %d", f.Page)
					}
					list = append(list, passage{h.ID, h.Title, h.Source + "/" + h.Path, h.Date, f.N, place, f.Heading, f.Text})
				}
			}
			note := found.Note
			switch {
			case found.Passages == 0:
				note = "The library is empty: nothing was imported yet."
			case len(list) == 0:
				note = strings.TrimSpace("Nothing was found. " + note)
			}
			out := map[string]any{"passages": list, "by": found.By}
			if note != "" {
				out["note"] = note
			}
			return model.JSON(out), nil
		},
	}
}

package navigator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"holdpoint/engine/encoder"
	"holdpoint/engine/graph"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/pipeline"
	"holdpoint/engine/record"
	"holdpoint/engine/turn"
)

// Genome describes the providers at hand, for ranking and for the prompt.
type Genome struct {
	GenomeSummary []ProviderBrief `json:"genome_summary"`
}

// ProviderBrief is one provider in few words.
type ProviderBrief struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Specialties []string `json:"specialties"`
	About       string   `json:"about,omitempty"`
}

// maxProviders bounds the providers that a prompt or a ranking looks at.
const maxProviders = 200

// providerGenome reads the providers. Completeness is the share of them that say
// what they do.
func providerGenome(_ context.Context, d *input, _ pipeline.Input) (pipeline.Output, error) {
	var g Genome
	var reads []ledger.Target
	said := 0
	err := graph.View(d.t, func(tx record.Tx) error {
		providers, err := record.Providers(tx)
		if err != nil {
			return err
		}
		v, err := versionIn(tx, record.Ref{Type: "Practitioner", ID: all})
		if err != nil {
			return err
		}
		reads = []ledger.Target{{Ref: record.Ref{Type: "Practitioner", ID: all}, Version: v}}
		for _, p := range providers {
			if len(g.GenomeSummary) == maxProviders {
				break
			}
			g.GenomeSummary = append(g.GenomeSummary, brief(p))
			if len(p.Specialties) > 0 {
				said++
			}
		}
		return nil
	})
	if err != nil {
		return pipeline.Output{}, err
	}
	out := pipeline.Output{Value: g, Reads: reads}
	if len(g.GenomeSummary) == 0 {
		g.GenomeSummary = []ProviderBrief{}
		out.Value, out.Degraded = g, "there are no providers in the records yet"
		return out, nil
	}
	out.Completeness = float64(said) / float64(len(g.GenomeSummary))
	return out, nil
}

func brief(p record.Provider) ProviderBrief {
	specialties := p.Specialties
	if specialties == nil {
		specialties = []string{}
	}
	return ProviderBrief{ID: p.ID, Name: p.Name, Specialties: specialties, About: model.Shorten(p.About, 240)}
}

// patientContext reads the patient's profile. Completeness is the share of its
// parts that the records hold. Without a patient there is nothing to be missed.
func patientContext(_ context.Context, d *input, _ pipeline.Input) (pipeline.Output, error) {
	if d.patient == "" {
		return pipeline.Output{Value: map[string]string{"note": "no patient is selected"}, Degraded: "no patient is selected"}, nil
	}
	var s record.Summary
	var reads []ledger.Target
	err := graph.View(d.t, func(tx record.Tx) error {
		var err error
		if s, err = record.PatientSummary(tx, d.patient, d.t.Run.StartedAt); err != nil {
			return err
		}
		whole := record.Ref{Type: "Patient", ID: d.patient + "/" + all}
		v, err := versionIn(tx, whole)
		reads = []ledger.Target{{Ref: whole, Version: v}}
		return err
	})
	if errors.Is(err, record.ErrNotFound) {
		return pipeline.Output{}, &pipeline.Refusal{Reason: fmt.Sprintf("there is no patient %q in the records; import it or choose another", model.Shorten(d.patient, 64))}
	}
	if err != nil {
		return pipeline.Output{}, err
	}
	parts := 0
	for _, there := range []bool{s.Patient.Name != "", s.Patient.BirthDate != "", len(s.Conditions) > 0, len(s.Medications) > 0, len(s.Encounters) > 0} {
		if there {
			parts++
		}
	}
	return pipeline.Output{Value: s, Completeness: float64(parts) / 5, Reads: reads}, nil
}

// Fit ranks providers for what the person needs.
type Fit struct {
	// Method says how: "embeddings" or "keywords".
	Method string   `json:"method"`
	Model  string   `json:"model,omitempty"`
	Note   string   `json:"note,omitempty"`
	Ranked []Ranked `json:"ranked"`
}

// Ranked is a provider with its score: cosine similarity, or the share of the
// need's words that the provider's description holds; 0 to 1.
type Ranked struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Specialties []string `json:"specialties"`
	Score       float64  `json:"score"`
}

const rankedProviders = 5

// therapeuticFit ranks the providers by meaning when there is an encoder, by keywords
// when not, and says which.
func therapeuticFit(ctx context.Context, d *input, in pipeline.Input) (pipeline.Output, error) {
	var args struct {
		Patient       string          `json:"patient"`
		SignalSummary string          `json:"signal_summary"`
		GenomeSummary []ProviderBrief `json:"genome_summary"`
	}
	if err := in.Decode(&args); err != nil {
		return pipeline.Output{}, err
	}
	need := args.SignalSummary
	for _, m := range in.Conversation {
		need += " " + m.Text
	}
	fit := rank(ctx, d.deps, need, args.GenomeSummary)
	if err := ctx.Err(); err != nil {
		return pipeline.Output{}, err
	}
	out := pipeline.Output{Value: fit, Degraded: fit.Note}
	if len(fit.Ranked) > 0 {
		out.Completeness = max(0, min(1, fit.Ranked[0].Score*1.5))
	}
	return out, nil
}

// rank never fails: without a working encoder it falls back to keywords.
func rank(ctx context.Context, d *turn.Dependencies, need string, providers []ProviderBrief) Fit {
	fit := Fit{Method: "keywords", Ranked: []Ranked{}}
	scores := make([]float64, len(providers))
	if d.Encoder != nil && len(providers) > 0 {
		by, err := byMeaning(ctx, d, need, providers)
		if err == nil {
			fit.Method, fit.Model, scores = "embeddings", d.Encoder.Name(), by
		} else {
			fit.Note = "the encoder of meanings did not answer; providers are ranked by keywords"
		}
	}
	if fit.Method == "keywords" {
		for i, p := range providers {
			scores[i] = overlap(need, describe(p))
		}
	}
	for i, p := range providers {
		fit.Ranked = append(fit.Ranked, Ranked{p.ID, p.Name, p.Specialties, float64(int(scores[i]*1000)) / 1000})
	}
	slices.SortStableFunc(fit.Ranked, func(a, b Ranked) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return strings.Compare(a.ID, b.ID)
	})
	fit.Ranked = fit.Ranked[:min(len(fit.Ranked), rankedProviders)]
	return fit
}

func describe(p ProviderBrief) string {
	return strings.Join(p.Specialties, ", ") + ". " + p.About
}

// needed bounds what a need is read from, in bytes.
const needed = 16 << 10

// byMeaning compares each provider's description, as one text, with the middle of what
// the need's sentences mean: a greeting among them moves all scores alike.
func byMeaning(ctx context.Context, d *turn.Dependencies, need string, providers []ProviderBrief) ([]float64, error) {
	described, err := turn.Meanings(ctx, d.Encoder, d.Vectors, turn.Whole, descriptions(providers), nil)
	if err != nil {
		return nil, err
	}
	said, err := turn.Meanings(ctx, d.Encoder, nil, turn.Sentences, []string{model.Shorten(need, needed)}, nil)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(providers))
	if len(said[0]) > 0 {
		wanted := encoder.Mean(said[0])
		for i, m := range described {
			scores[i] = encoder.Cosine(wanted, m[0])
		}
	}
	return scores, nil
}

func descriptions(providers []ProviderBrief) []string {
	out := make([]string, len(providers))
	for i, p := range providers {
		out[i] = describe(p)
	}
	return out
}

// overlap is the share of the need's words that the text holds. Words are
// compared by their first six letters, which folds most endings.
func overlap(need, text string) float64 {
	wanted, have := stems(need), stems(text)
	if len(wanted) == 0 {
		return 0
	}
	hit := 0
	for w := range wanted {
		if have[w] {
			hit++
		}
	}
	return float64(hit) / float64(len(wanted))
}

// common words say nothing about a need.
var common = stemSet("about above after again against also and any are because been before being between both but can could did does doing down during each few for from further had has have having her here hers him his how into its itself just like more most my next not now off once only other our out over own same see she should some someone somebody such than that the their them then there these they this those through too under until up very was week were what when where which while who whom why will with would you your need want please help find book visit appointment")

func stemSet(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[stem(w)] = true
	}
	return out
}

func stem(w string) string {
	r := []rune(w)
	return string(r[:min(len(r), 6)])
}

func stems(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if s := stem(w); len(w) > 2 && !common[s] {
			out[s] = true
		}
	}
	return out
}

package navigator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

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
	// Total counts all of them; more than are listed are ranked all the same.
	Total int `json:"total"`
}

// ProviderBrief is one provider in few words.
type ProviderBrief struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Specialties []string `json:"specialties"`
	Modalities  []string `json:"modalities,omitempty"`
	Languages   []string `json:"languages,omitempty"`
	Places      []string `json:"places,omitempty"`
	About       string   `json:"about,omitempty"`
	// Coordinator says that they arrange care rather than give it.
	Coordinator bool `json:"coordinator,omitempty"`
}

// maxProviders bounds the providers that a summary lists.
const maxProviders = 200

// everyProvider stands in reads for all of them.
var everyProvider = record.Ref{Type: "Practitioner", ID: all}

// providersOf reads all providers, with the version that counts for a tool that did.
func providersOf(t *graph.Task) (list []ProviderBrief, reads []ledger.Target, err error) {
	err = recordRows.View(t, func(tx record.Tx) error {
		providers, err := record.Providers(tx)
		if err != nil {
			return err
		}
		for _, p := range providers {
			list = append(list, brief(p))
		}
		v, err := versionIn(tx, everyProvider, t.Run.StartedAt)
		reads = []ledger.Target{{Ref: everyProvider, Version: v}}
		return err
	})
	return list, reads, err
}

// What the records simply do not have.
const (
	noProviders = "there are no providers in the records yet"
	noPatient   = "no patient is selected"
)

// providerGenome reads the providers. Completeness is the share of them that say
// what they do.
func providerGenome(_ context.Context, d *input, _ pipeline.Input) (pipeline.Output, error) {
	list, reads, err := providersOf(d.t)
	if err != nil {
		return pipeline.Output{}, unread(err)
	}
	if len(list) == 0 {
		return pipeline.Output{Value: Genome{GenomeSummary: []ProviderBrief{}}, Reads: reads, Degraded: noProviders}, nil
	}
	said := 0
	for _, p := range list {
		if len(p.Specialties) > 0 {
			said++
		}
	}
	return pipeline.Output{Value: Genome{list[:min(len(list), maxProviders)], len(list)}, Reads: reads, Completeness: float64(said) / float64(len(list))}, nil
}

// unread says to a person which record is damaged, and what to do about it.
func unread(err error) error {
	var damaged *record.DamagedError
	if errors.As(err, &damaged) {
		return &pipeline.Refusal{Reason: fmt.Sprintf("the record %s cannot be read; import it again", damaged.Ref)}
	}
	return err
}

func brief(p record.Provider) ProviderBrief {
	specialties := p.Specialties
	if specialties == nil {
		specialties = []string{}
	}
	return ProviderBrief{ID: p.ID, Name: p.Name, Specialties: specialties, Modalities: p.Modalities, Languages: p.Languages, Places: p.Places,
		About: model.Shorten(p.About, 240), Coordinator: p.Coordinator()}
}

// patientContext reads the patient's profile. Completeness is how much of what matters
// for care is known: the share of its parts that the records say something about, less
// what of them did not fit. Without a patient there is nothing to be missed.
func patientContext(_ context.Context, d *input, _ pipeline.Input) (pipeline.Output, error) {
	if d.patient == "" {
		return pipeline.Output{Value: map[string]string{"note": "no patient is selected"}, Degraded: noPatient}, nil
	}
	var s record.Summary
	err := recordRows.View(d.t, func(tx record.Tx) error {
		var err error
		s, err = record.PatientSummary(tx, d.patient, d.t.Run.StartedAt)
		return err
	})
	if errors.Is(err, record.ErrNotFound) {
		return pipeline.Output{}, &pipeline.Refusal{Reason: fmt.Sprintf("there is no patient %q in the records; import it or choose another", model.Shorten(d.patient, 64))}
	}
	if err != nil {
		return pipeline.Output{}, unread(err)
	}
	// What the records say about a part may be that there is none any more.
	parts, known := 0, 0
	for _, there := range []bool{s.Patient.Name != "", s.Patient.BirthDate != "", s.Counts["AllergyIntolerance"] > 0, s.Counts["MedicationRequest"] > 0,
		s.Counts["Condition"] > 0, s.Counts["Encounter"] > 0} {
		parts++
		if there {
			known++
		}
	}
	lines, omitted := len(s.Allergies)+len(s.Medications)+len(s.Conditions), 0
	for _, n := range s.Omitted {
		omitted += n
	}
	return pipeline.Output{Value: s, Completeness: float64(known) / float64(parts) * float64(lines+1) / float64(lines+omitted+1), Degraded: tooMany(s.Omitted),
		Reads: []ledger.Target{{Ref: record.Ref{Type: patientType, ID: d.patient + "/" + all}, Version: s.Version()}}}, nil
}

// Fit ranks providers for what the person needs.
type Fit struct {
	// Method says how: "embeddings" or "keywords".
	Method string `json:"method"`
	Model  string `json:"model,omitempty"`
	Note   string `json:"note,omitempty"`
	// Ranked are those who fit, best first; nobody is made to fit.
	Ranked []Ranked `json:"ranked"`
	// Coordinators are who arranges care here, best first, whether they fit or not.
	Coordinators []Ranked `json:"coordinators,omitempty"`
	// Considered counts the providers that were looked at: all there are.
	Considered int `json:"considered"`
}

// Ranked is a provider with its score, 0 to 1: cosine similarity, or the share of the
// need's words that the provider's description holds, raised by a language or a place
// that was asked for or is the patient's.
type Ranked struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Specialties []string `json:"specialties"`
	Score       float64  `json:"score"`
	// Because says what beside the need speaks for them, e.g. "speaks Arabic".
	Because []string `json:"because,omitempty"`
}

const rankedProviders, rankedCoordinators = 5, 2

const (
	// leastMeaning is the score below which a description speaks of something else than
	// the need. No floor by itself tells needs that one of the sample's providers works with
	// (0.08 to 0.58 with the built-in encoder) from others (to 0.24): a need that a field
	// beside theirs is closer to byMuch is none of theirs. A provider whose description is as
	// close to a field as ownField works in it; one sentence that is clearly theirs among others
	// makes the need theirs. They were chosen on such needs.
	leastMeaning, byMuch, ownField, clearly = 0.15, 0.05, 0.46, 0.22
	// What a language or a place that was asked for adds to a score, and what the
	// patient's own does.
	askedName, askedLanguage, askedPlace, ownLanguage, ownPlace = 1, 0.3, 0.15, 0.04, 0.04
)

// need is what providers are ranked for.
type need struct {
	// now is what was said last, all everything said.
	now, all string
	// languages and places are the patient's own.
	languages, places []string
}

// needIn is the need in what somebody said, oldest first, and in its summary. Greetings and
// thanks are none; where nothing else was said the summary is of nothing.
func needIn(summary string, said ...string) (n need) {
	for _, text := range said {
		var kept []string
		for _, s := range encoder.Sentences(text) {
			for greeting, rest, more := strings.Cut(s, ","); more && pipeline.Courtesy(greeting); greeting, rest, more = strings.Cut(s, ",") {
				s = strings.TrimSpace(rest)
			}
			if !pipeline.Courtesy(s) {
				kept = append(kept, s)
			}
		}
		if len(kept) > 0 {
			n.now = strings.Join(kept, " ")
			n.all += " " + n.now
		}
	}
	if n.all != "" {
		n.all = strings.TrimSpace(summary + n.all)
	}
	return n
}

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
	said := make([]string, len(in.Conversation))
	for i, m := range in.Conversation {
		said[i] = m.Text
	}
	n := needIn(args.SignalSummary, said...)
	var reads []ledger.Target
	if d.patient != "" {
		who, read, err := patientIn(d.t, d.patient)
		if err != nil {
			return pipeline.Output{}, unread(err)
		}
		n.languages, n.places = who.Languages, who.Places
		reads = append(reads, read)
	}
	providers := args.GenomeSummary
	if n := len(providers); n == 0 || n >= maxProviders { // nobody listed them, or there may be more
		list, read, err := providersOf(d.t)
		if err != nil {
			return pipeline.Output{}, unread(err)
		}
		providers = list
		reads = append(reads, read...)
	}
	asking, end := context.WithTimeout(ctx, min(meaningTime, max(time.Until(d.until), encoding)))
	defer end()
	fit := rank(asking, d.deps, n, providers)
	if err := ctx.Err(); err != nil {
		return pipeline.Output{}, err
	}
	out := pipeline.Output{Value: fit, Degraded: fit.Note, Reads: reads}
	if len(fit.Ranked) > 0 {
		out.Completeness = max(0, min(1, fit.Ranked[0].Score*1.5))
	}
	return out, nil
}

// patientIn reads who the patient is, without what is about them; nobody is a patient
// without languages.
func patientIn(t *graph.Task, id string) (p record.Patient, read ledger.Target, err error) {
	read.Ref = record.Ref{Type: patientType, ID: id}
	err = recordRows.View(t, func(tx record.Tx) error {
		r, err := tx.Record(read.Ref)
		if errors.Is(err, record.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		read.Version = r.Version
		p, err = record.PatientOf(r, t.Run.StartedAt)
		return err
	})
	return p, read, err
}

// meaningTime bounds the wait for the encoder: of the tool's time enough is left to rank by
// keywords. The encoder inside needs no server, and has as long as encoding however long the
// tools before waited for models.
const meaningTime, encoding = 20 * time.Second, 5 * time.Second

// rank never fails: without a working encoder it falls back to keywords.
func rank(ctx context.Context, d *turn.Dependencies, n need, providers []ProviderBrief) Fit {
	fit := Fit{Method: "keywords", Ranked: []Ranked{}, Considered: len(providers)}
	said, nothingElse := wordsOf(n.all), n.onlyBesides(providers)
	if !nothingElse {
		n = n.withoutLanguages(providers)
	}
	scores, least, elsewhere := make([]float64, len(providers)), 0.0, make([]bool, len(providers))
	switch {
	case d.Encoder == nil || len(providers) == 0 || n.all == "":
	case !encoder.Reads(d.Encoder, n.all):
		fit.Note = "the sentence encoder does not read the language of the message; providers are ranked by keywords"
	default:
		by, not, err := byMeaning(ctx, d, n, providers)
		if err == nil {
			fit.Method, fit.Model, scores, least, elsewhere = "embeddings", d.Encoder.Name(), by, leastMeaning, not
		} else {
			fit.Note = "the encoder of meanings did not answer; providers are ranked by keywords"
		}
	}
	if fit.Method == "keywords" {
		for i, p := range providers {
			scores[i] = overlap(n, describe(p))
			elsewhere[i] = !p.Coordinator && spokenOfMore(n, describe(p), scores[i])
		}
	}
	var all []Ranked
	coordinates, fits := map[string]bool{}, map[string]bool{}
	for i, p := range providers {
		more, asked, because := n.besides(p, said)
		if byName := named(said, p.Name); !byName && !nothingElse {
			more, asked = min(more, max(scores[i], 0)), false // it weighs at most as much as the field
		}
		all = append(all, Ranked{p.ID, p.Name, p.Specialties, scores[i] + more, because})
		coordinates[p.ID], fits[p.ID] = p.Coordinator, asked || scores[i] >= least && scores[i] > 0 && !elsewhere[i]
	}
	slices.SortStableFunc(all, func(a, b Ranked) int { return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID)) })
	for _, r := range all {
		r.Score = float64(int(max(0, min(1, r.Score))*1000)) / 1000
		if fits[r.ID] && len(fit.Ranked) < rankedProviders {
			fit.Ranked = append(fit.Ranked, r)
		}
		if coordinates[r.ID] && len(fit.Coordinators) < rankedCoordinators {
			fit.Coordinators = append(fit.Coordinators, r)
		}
	}
	return fit
}

// namedSpecialties is how many specialties are named where nobody fits.
const namedSpecialties = 12

// specialtiesOf are what the providers do, that of most of them first.
func specialtiesOf(providers []ProviderBrief) []string {
	count, out := map[string]int{}, []string{}
	for _, p := range providers {
		for _, s := range p.Specialties {
			if count[s]++; count[s] == 1 {
				out = append(out, s)
			}
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), strings.Compare(a, b)) })
	return out
}

// onlyBesides says that a need asks for a language or a place and nothing more: otherwise they
// raise who fits, and make nobody fit whose field does not.
func (n need) onlyBesides(providers []ProviderBrief) bool {
	left := stems(n.all)
	for _, p := range providers {
		for _, l := range p.Languages {
			for w := range stems(l + " " + inFrenchOf[strings.ToLower(l)]) {
				delete(left, w)
			}
		}
		for _, place := range p.Places {
			for w := range stems(place) {
				delete(left, w)
			}
		}
	}
	for w := range left {
		if !anybody[w] {
			return false
		}
	}
	return true
}

// withoutLanguages leaves out in which language somebody is to speak: it moves a need toward all
// who have nothing to do with it.
func (n need) withoutLanguages(providers []ProviderBrief) need {
	var names []string
	for _, p := range providers {
		for _, l := range p.Languages {
			names = append(names, regexp.QuoteMeta(l))
			if french := inFrenchOf[strings.ToLower(l)]; french != "" {
				names = append(names, french+"e?", unaccented.Replace(french)+"e?")
			}
		}
	}
	if len(names) == 0 {
		return n
	}
	slices.Sort(names)
	name := `(?:` + strings.Join(slices.Compact(names), "|") + `)`
	clause, err := regexp.Compile(`(?i)[,;]?\s*\b(?:(?:and|et|but|mais|who|that|qui|also|aussi|only|i|he|she|we|they|je|il|elle|on|we|does|is there|somebody|someone|anybody|anyone|one|quelqu['’]un|preferably|ideally|if possible|si possible|please)\s+)*` +
		`(?:speaks?|speaking|spoken|parlent|parle[rs]?|parlant|in|en)\s+(?:an? )?(?:l['’]|le )?` + name + `\b(?:\s+(?:and|or|et|ou)\s+` + name + `\b)*(?:,?\s*(?:please|s['’]il vous pla[iî]t|svp))?|\b` + name + `[- ](?:speaking|speaker)s?\b`)
	if err != nil {
		return n
	}
	return need{now: clause.ReplaceAllString(n.now, " "), all: clause.ReplaceAllString(n.all, " "), languages: n.languages, places: n.places}
}

// speaks says that words name a language, in English or French.
func speaks(said, l string) bool {
	name := inFrenchOf[strings.ToLower(l)]
	return mentions(said, l) || name != "" && (mentions(said, name) || mentions(said, unaccented.Replace(name)))
}

// inFrenchOf are languages by their French names.
var inFrenchOf = map[string]string{"arabic": "arabe", "bengali": "bengali", "bulgarian": "bulgare", "chinese": "chinois", "croatian": "croate", "czech": "tchèque", "danish": "danois", "dutch": "néerlandais", "english": "anglais",
	"finnish": "finnois", "french": "français", "german": "allemand", "greek": "grec", "hebrew": "hébreu", "hungarian": "hongrois", "irish": "irlandais", "italian": "italien", "japanese": "japonais", "korean": "coréen", "norwegian": "norvégien",
	"persian": "persan", "polish": "polonais", "portuguese": "portugais", "romanian": "roumain", "russian": "russe", "serbian": "serbe", "spanish": "espagnol", "swedish": "suédois", "tamil": "tamoul", "thai": "thaï", "turkish": "turc", "ukrainian": "ukrainien",
	"urdu": "ourdou", "vietnamese": "vietnamien"}

// besides is what speaks for a provider beside the need itself; asked says that the
// person asked for it.
func (n need) besides(p ProviderBrief, said string) (score float64, asked bool, because []string) {
	for _, l := range p.Languages {
		own := slices.IndexFunc(n.languages, func(own string) bool { return mentions(wordsOf(own), l) || mentions(wordsOf(l), own) })
		switch {
		case speaks(said, l):
			score, asked = score+askedLanguage, true
		case own == 0: // the preferred one
			score += ownLanguage
		case own > 0:
			score += ownLanguage / 2
		default:
			continue
		}
		because = append(because, "speaks "+l)
	}
	for _, place := range p.Places {
		switch {
		case mentions(said, place):
			score, asked = score+askedPlace, true
		case slices.ContainsFunc(n.places, func(own string) bool { return strings.EqualFold(own, place) }):
			score += ownPlace
		default:
			continue
		}
		because = append(because, "in "+place)
	}
	if named(said, p.Name) {
		score, asked, because = score+askedName, true, append(because, "asked for by name")
	}
	return score, asked, because
}

// named says that somebody's first and last name are among words, or the last one behind a title.
func named(said, name string) bool {
	words := slices.DeleteFunc(strings.Fields(wordsOf(name)), func(w string) bool { return titles[w] })
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	for title := range titles {
		if mentions(said, title+" "+last) {
			return true
		}
	}
	return len(words) > 1 && !slices.ContainsFunc(words, func(w string) bool { return !mentions(said, w) })
}

var titles = map[string]bool{"dr": true, "doctor": true, "docteur": true, "docteure": true, "prof": true, "professor": true, "mr": true, "mrs": true, "ms": true, "mme": true, "madame": true, "monsieur": true, "nurse": true}

// wordsOf are the words of a text in lower case, each between blanks.
func wordsOf(text string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }), " ") + " "
}

// mentions says whether words hold a name as whole words.
func mentions(words, name string) bool {
	name = wordsOf(name)
	return strings.TrimSpace(name) != "" && strings.Contains(words, name)
}

func describe(p ProviderBrief) string {
	text := strings.Join(p.Specialties, ", ") + ". " + p.About
	if p.Coordinator {
		text += " " + strings.Join(p.Modalities, ", ") + "."
	}
	return text
}

// needed bounds what a need is read from, in bytes. Of a longer one the end is read: what
// was said last comes last.
const needed = 16 << 10

// newest is the end of a need that is too long.
func newest(need string) string {
	if len(need) <= needed {
		return need
	}
	from := len(need) - needed
	for !utf8.RuneStart(need[from]) {
		from++
	}
	return need[from:]
}

// byMeaning compares each provider's description with the middle of what the need's
// sentences mean: a greeting among them moves all scores alike. What was said last counts
// as much as all that was said. A score is the mean of two cosines, that of the whole
// description and that of its closest sentence: a need is often about one of the things
// that a provider does. elsewhere says of which providers the need is none of theirs: another
// field speaks more of it, and of each sentence that is clearly about what they do.
func byMeaning(ctx context.Context, d *turn.Dependencies, n need, providers []ProviderBrief) (scores []float64, elsewhere []bool, err error) {
	texts := descriptions(providers)
	for _, f := range fields {
		texts = append(texts, f.about)
	}
	described, err := turn.Meanings(ctx, d.Encoder, d.Vectors, turn.Whole, texts, nil)
	if err != nil {
		return nil, nil, err
	}
	sentences, err := turn.Meanings(ctx, d.Encoder, d.Vectors, turn.Sentences, texts, nil)
	if err != nil {
		return nil, nil, err
	}
	said, err := turn.Meanings(ctx, d.Encoder, nil, turn.Sentences, []string{newest(inEnglish(n.all)), newest(inEnglish(n.now))}, nil)
	if err != nil {
		return nil, nil, err
	}
	closeness := func(v []float32, i int) float64 {
		whole := encoder.Cosine(v, described[i][0])
		if at, closest := encoder.Best(v, sentences[i]); at >= 0 {
			whole = (whole + closest) / 2
		}
		return whole
	}
	var middle turn.Meaning
	for _, m := range said {
		if len(m) > 0 {
			middle = append(middle, encoder.Mean(m))
		}
	}
	scores, elsewhere = make([]float64, len(providers)), make([]bool, len(providers))
	if len(middle) == 0 {
		return scores, elsewhere, nil
	}
	// theirs says that no other field speaks more of it than a provider does.
	theirs := func(v []float32, i int) bool {
		works := func(k int) bool { return closeness(described[i][0], len(providers)+k) >= ownField }
		own, generalist := closeness(v, i), works(generalPractice)
		for k, f := range fields {
			if closeness(v, len(providers)+k) > own+byMuch && !(generalist && f.medicine) && !works(k) {
				return false
			}
		}
		return true
	}
	wanted := encoder.Mean(middle)
	for i, p := range providers {
		scores[i] = closeness(wanted, i)
		elsewhere[i] = scores[i] >= leastMeaning && !p.Coordinator && !theirs(wanted, i) &&
			!slices.ContainsFunc(slices.Concat(said...), func(v []float32) bool { return closeness(v, i) >= clearly && theirs(v, i) })
	}
	return scores, elsewhere, nil
}

func descriptions(providers []ProviderBrief) []string {
	out := make([]string, len(providers))
	for i, p := range providers {
		out[i] = describe(p)
	}
	return out
}

// overlap is the share of the need's words that the text holds; what was said last counts
// as much as all that was said. Words are compared by their first six letters, which folds
// most endings.
func overlap(n need, text string) (share float64) {
	have := stems(text)
	asked := 0
	for _, said := range []string{n.all, n.now} {
		wanted := stems(said)
		if len(wanted) == 0 {
			continue
		}
		hit := 0
		for w := range wanted {
			if have[w] {
				hit++
			}
		}
		asked++
		share += float64(hit) / float64(len(wanted))
	}
	return share / float64(max(1, asked))
}

// spokenOfMore says that another field holds more of the need's words than a provider's
// description does, which has few words of that field itself.
func spokenOfMore(n need, text string, score float64) bool {
	own := stems(text)
	for _, f := range fields {
		if overlap(n, f.about) <= score {
			continue
		}
		same := 0
		for w := range stems(f.about) {
			if own[w] {
				same++
			}
		}
		if same < 2 {
			return true
		}
	}
	return false
}

// common words say nothing about a need, nor does what stands for anybody who gives or gets care;
// those of French are told from English by others beside them.
var (
	common = stemSet("about above after again against also and any are because been before being between both but can could did does doing down during each few for from further had has have having her here hers him his how into its itself just like more most my next not now off once only other our out over own same see she should some someone somebody such than that the their them then there these they this those through too under until up very was week were what when where which while who whom why will with would you your need want please help find book visit appointment treat treats anybody anyone speaks speak " +
		"person says said say saying wants needs seeks seeking looking look speaking spoken tell told talk prefers")
	commonFrench = stemSet("une des les pour par avec dans chez sur est sont suis ses son mes mon lui elle ils nous vous leur qui que quoi quel quelqu quelque quelqu'un trouve trouver trouvez cherche chercher veux veut voudrais voudrait aimerais aimerait besoin faut faudrait voir parle parler parlant trouble troubles ici aide aider rendez merci bonjour")
	frenchWords  = wordsIn("un une des les pour avec dans chez je j lui qui veux veut voudrais cherche trouve trouvez besoin faut ma mes ses sa est")
	anybody      = stemSet("provider doctor clinician therapist practitioner professional specialist someone somebody nurse patient client care language speaker fluent médecin docteur docteure thérapeute soignant soignante praticien praticienne spécialiste langue quelqu")
)

func wordsIn(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

// inEnglish adds to what was said in French which professions it asks for: descriptions name what
// is treated, and French names of professions are far from that in their meaning.
func inEnglish(said string) string {
	var more []string
	for _, w := range strings.Fields(wordsOf(said)) {
		if english := professions[w]; english != "" && !slices.Contains(more, english) {
			more = append(more, english)
		}
	}
	if len(more) == 0 {
		return said
	}
	return strings.TrimRight(said, " .!?") + ". " + strings.Join(more, ", ") + "."
}

// professions are words of French for who treats what, with those that stand in descriptions.
var professions = map[string]string{"psychiatre": "psychiatry", "pédopsychiatre": "child psychiatry", "psychologue": "psychology", "psychothérapeute": "psychotherapy therapy", "thérapeute": "therapy", "addictologue": "addiction", "tabacologue": "addiction smoking", "alcoologue": "alcohol addiction",
	"diététicien": "dietitian nutrition", "diététicienne": "dietitian nutrition", "nutritionniste": "nutrition", "gériatre": "older", "gérontologue": "older", "neurologue": "neurology", "cardiologue": "cardiology", "dermatologue": "dermatology", "dentiste": "dentistry dental", "kiné": "physiotherapy",
	"kinésithérapeute": "physiotherapy", "ostéopathe": "osteopathy", "généraliste": "general practice", "pédiatre": "paediatrics pediatrics child", "gynécologue": "gynaecology gynecology", "ophtalmo": "ophthalmology", "ophtalmologue": "ophthalmology", "orl": "ear nose throat", "urologue": "urology", "rhumatologue": "rheumatology",
	"pneumologue": "pulmonology", "endocrinologue": "endocrinology", "gastroentérologue": "gastroenterology", "oncologue": "oncology", "chirurgien": "surgery", "chirurgienne": "surgery", "orthophoniste": "speech", "ergothérapeute": "occupational", "infirmier": "nurse nursing", "infirmière": "nurse nursing", "sexologue": "sexual"}

// topics are what else is asked for in French beside them.
var topics = map[string]string{"sommeil": "sleep", "enfant": "child", "enfants": "child", "ado": "adolescents", "ados": "adolescents", "couple": "couples", "famille": "family", "familial": "family", "familiale": "family", "deuil": "grief bereavement", "douleur": "pain", "douleurs": "pain", "mémoire": "memory"}

func stemSet(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[stem(w)] = true
	}
	return out
}

func stem(w string) string {
	r := []rune(unaccented.Replace(w))
	return string(r[:min(len(r), 6)])
}

func stems(text string) map[string]bool {
	out := map[string]bool{}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	french := slices.ContainsFunc(words, func(w string) bool { return frenchWords[w] })
	for _, w := range words {
		in := []string{w}
		if english := professions[w] + topics[w]; english != "" {
			in = strings.Fields(english)
		}
		for _, w := range in {
			if s := stem(w); len(w) > 2 && !common[s] && !(french && commonFrench[s]) {
				out[s] = true
			}
		}
	}
	return out
}

var unaccented = strings.NewReplacer("à", "a", "â", "a", "ä", "a", "ç", "c", "é", "e", "è", "e", "ê", "e", "ë", "e", "î", "i", "ï", "i", "ô", "o", "ö", "o", "ù", "u", "û", "u", "ü", "u", "œ", "oe")

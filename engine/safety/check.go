package safety

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Category says what kind of danger a message speaks of.
type Category string

// The categories. Style findings, which speak of the whole message, have none.
const (
	None       Category = ""
	Intent     Category = "intent"         // wants or means to die
	Plan       Category = "plan"           // a time, a place, a note, a goodbye, an attempt
	Means      Category = "means"          // a method at hand or asked for
	SelfHarm   Category = "self_harm"      // hurting oneself without speaking of death
	HarmOthers Category = "harm_others"    // wants or means to hurt somebody
	Abuse      Category = "abuse"          // somebody is hurting the writer, or danger now
	ChildAbuse Category = "child_abuse"    // the same, where the one who is hurt is a child
	Voices     Category = "voices"         // voices or a certainty that command harm
	Poisoned   Category = "poisoned"       // somebody swallowed what may harm them, and did not mean to
	Missing    Category = "missing_person" // somebody, mostly a child, ran away or has not come home
	Overdose   Category = "overdose"       // somebody took what may kill them, and may have meant to
	Medical    Category = "medical"        // the body is in danger at this moment: heart, brain, breath, blood
	// Unresponsive is both an overdose or a poisoning and Medical: somebody else who took something cannot be woken,
	// breathes badly or has a fit.
	Unresponsive Category = "unresponsive"
)

// Word is the kind of danger as people read it everywhere: whoever wants to die, has a plan or the
// means for it speaks of suicide.
func (c Category) Word() string {
	switch c {
	case Intent, Plan, Means:
		return "suicide"
	case HarmOthers:
		return "harm to others"
	case SelfHarm:
		return "self-harm"
	case ChildAbuse:
		return "a child in danger"
	case Poisoned:
		return "poisoning"
	case Missing:
		return "somebody missing"
	case Medical, Unresponsive:
		return "medical emergency"
	}
	return strings.ReplaceAll(string(c), "_", " ")
}

// Categories are all kinds of danger, in the order of their list.
func Categories() []Category {
	return []Category{Intent, Plan, Means, SelfHarm, HarmOthers, Abuse, ChildAbuse, Voices, Poisoned, Missing, Overdose, Medical, Unresponsive}
}

func (c Category) valid() bool { return slices.Contains(Categories(), c) }

// pot is the sum a category counts towards: the four that speak of the
// writer's own life add up, the others stand alone.
func (c Category) pot() int {
	switch c {
	case HarmOthers:
		return 1
	case Abuse, ChildAbuse:
		return 2
	case Voices, Poisoned, Missing, Medical, Unresponsive:
		return 3
	}
	return 0
}

// othersPot is the sum of rules about somebody else; pots is how many sums there are.
const othersPot, pots = 4, 5

func (rs *ruleset) pot(f Finding) int {
	if rs.about[f.Rule] {
		return othersPot
	}
	return f.Category.pot()
}

// Finding is one cue that counted.
type Finding struct {
	Category Category `json:"category"`
	Rule     string   `json:"rule"`
	Weight   int      `json:"weight"` // points; negative when the cue speaks against danger
	Start    int      `json:"start"`  // bytes in the original text
	End      int      `json:"end"`
	Excerpt  string   `json:"excerpt"` // the original words, at most 120 bytes
	asks     bool     // it is a rule's that can at most ask
}

// Verdict is what Check says about a message.
type Verdict struct {
	Hijack    bool     `json:"hijack"`   // the turn must go to the intervention
	Category  Category `json:"category"` // of the heaviest cue; None without Hijack
	Score     int      `json:"score"`    // points of the highest sum
	Threshold int      `json:"threshold"`
	Version   string   `json:"version"` // of the rule file
	// Speaker says whose danger the heaviest cues are about; Self without any.
	Speaker  Speaker   `json:"speaker"`
	Findings []Finding `json:"findings"`
	figures  []part    // its idioms, where no cue counted
	vague    bool      // none but broad cues and topics stand behind it
	stops    int       // points of the highest sum without what can at most ask
}

// Check reads one message of any length with the reviewed rules: English; where it has French words, French; where it is in
// neither, the plain words of other languages. It
// uses no model, no clock and no state: the same text gives the same verdict.
// It never panics, whatever the bytes are.
func Check(text string) Verdict {
	en, fr := languages(text)
	return checkIn(text, en, fr)
}

// checkIn is Check of a text that has so many frequent words of English and of French.
func checkIn(text string, en, fr int) Verdict {
	v := checkBy(english(), french(), text, en, fr)
	if v.Hijack || !foreignBy(text, en, fr) {
		return v
	}
	if w := more().check(text); w.Hijack {
		return w
	}
	return v
}

func checkBy(english, french *ruleset, text string, en, fr int) Verdict {
	v := english.check(text)
	if fr > 1 || fr >= en {
		// What says it plainly in one language stands before a mere topic of the other.
		if w := french.check(text); w.Score > v.Score || len(v.Findings) == 0 || v.vague && !w.vague && w.Hijack {
			v = w
		}
	}
	if !v.Hijack || v.vague {
		w, ok := retelling(english, french, text, en, fr)
		switch {
		case ok && w.Hijack:
			v = w
		case ok && w.Score > v.Score:
			v = v.asking(w)
		}
	}
	if v.Speaker == Other && reports(text) {
		v.Speaker = Clinician
	}
	return v
}

// retelling is the verdict on what a message tells of another person.
func retelling(english, french *ruleset, text string, en, fr int) (Verdict, bool) {
	v, ok := Verdict{}, false
	if en >= fr {
		v, ok = english.retold(text, &englishPersons, func(t []token) []token { return englishVerbs(english, t) })
	}
	if !v.Hijack && (fr > 1 || fr >= en) {
		if w, told := french.retold(text, &frenchPersons, func(t []token) []token { return frenchVerbs(french, t) }); told && (!ok || w.Hijack) {
			v, ok = w, true
		}
	}
	return v, ok
}

func (rs *ruleset) check(text string) Verdict {
	v := Verdict{Threshold: rs.threshold, Version: rs.version, Speaker: Self}
	for _, passage := range passages(rs.scan(text)) {
		if p := rs.judge(rs.read(passage), text); p.Score > v.Score || len(v.Findings) == 0 {
			v = p
		}
	}
	return v
}

// reportLead is by how much the writer's own danger must outweigh a report.
const reportLead = 8

// minReal is what a cue must weigh to let supporting cues and style count: the
// remains of a cue that the past has lowered do not.
const minReal = 3

// judge adds up the cues of one passage.
func (rs *ruleset) judge(r *reading, text string) Verdict {
	v := Verdict{Threshold: rs.threshold, Version: rs.version, Speaker: Self}
	var broad, support, asks []Finding
	vague := true
	for i := range rs.rules {
		rule := &rs.rules[i]
		f, ok := r.apply(rule, text)
		vague = vague && (!ok || rule.Support || rule.Broad || rule.Topic || rule.Most != "" || f.Weight < minReal)
		switch {
		case !ok:
		case rule.Most != "":
			f.asks = true
			asks = append(asks, f)
		case rule.Support:
			support = append(support, f)
		case rule.Broad:
			broad = append(broad, f)
		default:
			v.Findings = append(v.Findings, f)
		}
	}
	v.Findings, support = r.asked(asks, v.Findings, support)
	broad, support = r.asked(asks, broad, support)
	if len(v.Findings)+len(broad) == 0 {
		for _, s := range r.idioms {
			v.figures = append(v.figures, part{r.tokens[s.from].start, r.tokens[s.to-1].end})
		}
		return r.ask(v, asks)
	}
	v.vague = vague
	var real [pots]bool
	var sum [pots]int
	for _, list := range [][]Finding{v.Findings, broad} {
		for _, f := range list {
			real[rs.pot(f)] = real[rs.pot(f)] || f.Weight >= minReal
		}
	}
	for _, f := range support {
		switch {
		case !real[rs.pot(f)]:
		case rs.broad[f.Rule]:
			broad = append(broad, f)
		default:
			v.Findings = append(v.Findings, f)
		}
	}
	slices.SortStableFunc(broad, func(a, b Finding) int { return cmp.Compare(b.Weight, a.Weight) })
	for _, f := range broad {
		for _, g := range v.Findings {
			if g.Start < f.End && f.Start < g.End && rs.pot(g) == rs.pot(f) {
				f.Weight -= g.Weight
			}
		}
		if f.Weight > 0 {
			v.Findings = append(v.Findings, f)
		}
	}
	for _, f := range v.Findings {
		sum[rs.pot(f)] += f.Weight
	}
	// The style of the message bears on the writer's own danger only.
	if real[0] {
		for _, f := range r.style() {
			v.Findings = append(v.Findings, f)
			sum[0] += f.Weight
		}
	}
	// What the message is about bears on all of them: an essay, a form, a denial.
	for _, f := range r.context() {
		v.Findings = append(v.Findings, f)
		for i := range sum {
			sum[i] += f.Weight
		}
	}
	best := 0
	for i := range sum {
		if sum[i] > sum[best] {
			best = i
		}
	}
	// A report that is enough comes first, unless the writer's own words weigh far more:
	// reports are short, too, and the style of short messages is the writer's.
	if sum[othersPot] >= rs.threshold && sum[best] < sum[othersPot]+reportLead {
		best = othersPot
	}
	v.Score = sum[best]
	if best == othersPot && v.Score > 0 {
		v.Speaker = Other
	}
	v.Hijack = v.Score >= rs.threshold
	slices.SortStableFunc(v.Findings, func(a, b Finding) int { return cmp.Compare(b.Weight, a.Weight) })
	if v.Hijack {
		top := 0
		for _, f := range v.Findings {
			// A child who is hurt, or swallowed something, is helped as a child where as much speaks for it.
			if f.Category == None || rs.pot(f) != best || v.Category != None && (f.Weight < top || f.Category != ChildAbuse && f.Category != Poisoned) {
				continue
			}
			v.Category, top = f.Category, f.Weight
		}
	}
	return r.ask(v, asks)
}

// asked moves the weaker cues in the words of what can at most ask to the supporting ones: what one hears in “I've lost all
// hope” stops nobody either. A longer passage tells more than these words, and keeps them.
func (r *reading) asked(asks, own, support []Finding) (left, more []Finding) {
	if len(asks) == 0 || len(r.tokens) > mostReport {
		return own, support
	}
	for _, f := range own {
		if f.Weight < leastPlain && slices.ContainsFunc(asks, func(a Finding) bool { return a.Start < f.End && f.Start < a.End }) {
			support = append(support, f)
		} else {
			left = append(left, f)
		}
	}
	return left, support
}

// ask is a verdict with what can at most ask: it makes a check-in of less and nothing more of it. Advice, being well again
// and what the message is about speak against it as they do against other cues.
func (r *reading) ask(v Verdict, asks []Finding) Verdict {
	v.stops = v.Score
	points, told := 0, false
	for _, f := range asks {
		points += f.Weight
		told = told || r.rules.about[f.Rule]
	}
	for _, f := range slices.Concat(r.style(), r.context()) {
		points += min(f.Weight, 0)
	}
	if points >= rulesCheckIn {
		v.Score = max(v.Score, min(points, v.Threshold-1))
		if told && v.stops < rulesCheckIn {
			v.Speaker = Other
		}
		v.Findings = append(v.Findings, asks...)
		slices.SortStableFunc(v.Findings, func(a, b Finding) int { return cmp.Compare(b.Weight, a.Weight) })
	}
	return v
}

// asks says that the verdict has what can at most ask.
func (v Verdict) asks() bool {
	return slices.ContainsFunc(v.Findings, func(f Finding) bool { return f.asks })
}

// asking is a verdict with what another can at most ask, of somebody else.
func (v Verdict) asking(w Verdict) Verdict {
	v.Findings, v.Score, v.Speaker = append(w.Findings, v.Findings...), w.Score, w.Speaker
	return v
}

// asksOnly is a verdict of what can at most ask, and nothing else.
func (v Verdict) asksOnly() Verdict {
	w := Verdict{Threshold: v.Threshold, Version: v.Version, Speaker: v.Speaker}
	for _, f := range v.Findings {
		if f.asks {
			w.Findings = append(w.Findings, f)
			w.Score = min(w.Score+f.Weight, w.Threshold-1)
		}
	}
	return w
}

// stopping is a verdict without what can at most ask.
func (v Verdict) stopping() Verdict {
	if v.asks() {
		v.Score = v.stops
		v.Findings = slices.DeleteFunc(slices.Clone(v.Findings), func(f Finding) bool { return f.asks })
	}
	return v
}

// apply finds the place where a rule weighs most. A rule counts once, however
// often its words occur.
func (r *reading) apply(rule *compiled, text string) (Finding, bool) {
	best, bestWeight := found{}, 0
	if first := rule.patterns[0].number; !r.likely.some(first, first+len(rule.patterns)) {
		return Finding{}, false
	}
	for k := range rule.patterns {
		p := &rule.patterns[k]
		if !r.possible(p) {
			continue
		}
		for at := range r.tokens {
			if len(p.elements) > 0 && !r.canStart(p, at) {
				continue
			}
			m, ok := r.match(p, at)
			if !ok || r.exempt(rule, m) {
				continue
			}
			w := rule.weight(max(m.when, r.tenseBefore(m.from)))
			if r.tokens[m.from].quoted && r.tokens[m.to-1].quoted && !r.allQuoted() {
				w /= 2
			}
			if w > bestWeight {
				best, bestWeight = m, w
			}
			if bestWeight == rule.Weight {
				return r.finding(rule, best, bestWeight, text), true
			}
		}
	}
	return r.finding(rule, best, bestWeight, text), bestWeight > 0
}

// canStart looks at the first element only.
func (r *reading) canStart(p *pattern, at int) bool {
	e := &p.elements[0]
	if e.kind != oneWord || e.optional {
		return true
	}
	if id := r.tokens[at].id; id != 0 && e.words.has(id) {
		return true
	}
	return len(e.phrases) > 0 && len(r.phrases[at]) > 0
}

func (r *reading) exempt(rule *compiled, m found) bool {
	if rule.Alone && (m.from > 0 || m.to < len(r.tokens)) {
		return true
	}
	if rule.Brief && len(r.tokens) > mostReport {
		return true
	}
	if rule.Lesson && r.rules.lesson >= 0 && r.has[r.rules.lesson] > 0 && !r.ofWriter(m) {
		return true
	}
	said := func(phrase int) bool { return r.has[phrase] > 0 }
	if slices.ContainsFunc(rule.without, said) || slices.ContainsFunc(rule.beside, func(phrase int) bool { return !said(phrase) }) {
		return true
	}
	if rule.negatable && (m.negated || r.deniedBefore(m.from)) {
		return true
	}
	if r.figurative(m) {
		return true
	}
	other := rule.About == aboutOther
	if r.tokens[m.from].quoted && !other && !r.ownWords(m.from) {
		return true
	}
	if !other && r.reported(m.from) || rule.Own && r.someoneElse(m.from) {
		return true
	}
	for i := range rule.unless {
		for at := max(0, m.from-6); at < m.to; at++ {
			if u, ok := r.match(&rule.unless[i], at); ok && u.to > m.from {
				return true
			}
		}
	}
	return false
}

// ofWriter says that a cue, or the word after it, is one about the writer.
func (r *reading) ofWriter(m found) bool {
	return slices.ContainsFunc(r.tokens[m.from:min(m.to+1, len(r.tokens))], func(t token) bool { return t.id != 0 && r.rules.writer.has(t.id) })
}

// ownWords reports whether the quotation around token i quotes the writer: most
// of the message stands in quotation marks, or "I said" stands before it.
func (r *reading) ownWords(i int) bool {
	if r.allQuoted() {
		return true
	}
	from := i
	for from > 0 && r.tokens[from-1].quoted {
		from--
	}
	for k := from - 1; k >= 0 && k >= from-5; k-- {
		id := r.tokens[k].id
		if r.rules.others.has(id) {
			return false
		}
		if r.rules.writer.has(id) {
			return true
		}
	}
	return false
}

// allQuoted reports that most of the message stands in quotation marks: then
// they are the writer's way to write and quote nobody.
func (r *reading) allQuoted() bool {
	quoted := 0
	for _, t := range r.tokens {
		if t.quoted {
			quoted++
		}
	}
	return quoted*5 >= len(r.tokens)*4
}

// reported reports words that belong to a song, a film or another person, by a
// reporting word close before them in the same sentence.
func (r *reading) reported(i int) bool {
	for k := i - 1; k >= 0 && k >= i-5; k-- {
		if r.tokens[k].sentence != r.tokens[i].sentence {
			return false
		}
		if r.rules.reporters.has(r.tokens[k].id) {
			return true
		}
		if r.rules.writer.has(r.tokens[k].id) {
			return false
		}
	}
	return false
}

// someoneElse reports that the person named last before token i, in the same
// sentence, is neither the writer nor the reader.
func (r *reading) someoneElse(i int) bool {
	if r.rules.writer.has(r.tokens[i].id) {
		// "my sister cuts"
		return r.tokens[i].word == "my" && slices.ContainsFunc(r.tokens[i+1:min(i+3, len(r.tokens))], func(t token) bool { return r.rules.relatives.has(t.id) })
	}
	for k := i - 1; k >= 0 && k >= i-nearPerson && r.tokens[k].sentence == r.tokens[i].sentence; k-- {
		id := r.tokens[k].id
		switch {
		case r.rules.writer.has(id) || r.rules.reader.has(id):
			return false
		case r.impersonal(k):
		case r.rules.others.has(id) || r.rules.relatives.has(id):
			return true
		}
	}
	return false
}

// impersonal says that the word at k is the “il” of “il y a trois semaines” or “il faut”, who is nobody.
func (r *reading) impersonal(k int) bool {
	if r.tokens[k].word != "il" || k+1 == len(r.tokens) {
		return false
	}
	next := r.tokens[k+1].word
	return next == "y" || next == "faut" || next == "fallait"
}

// nearPerson is how many words before a cue the person it speaks of is looked for.
const nearPerson = 6

const maxExcerpt = 120

func (r *reading) finding(rule *compiled, m found, weight int, text string) Finding {
	f := Finding{Category: rule.Category, Rule: rule.ID, Weight: weight}
	if weight <= 0 {
		return f
	}
	f.Start, f.End = r.tokens[m.from].start, r.tokens[m.to-1].end
	f.Excerpt = clip(text[f.Start:f.End], maxExcerpt)
	return f
}

// clip shortens s to at most n bytes of valid UTF-8.
func clip(s string, n int) string {
	if len(s) > n {
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// context weighs what the message is about.
func (r *reading) context() []Finding {
	// In a long story a film, a form or years ago come up in passing.
	if n := r.has[r.rules.context]; n > 0 && n*contextReach >= len(r.tokens) {
		return []Finding{{Rule: "style.context", Weight: -contextWeight * min(n, 2)}}
	}
	return nil
}

// contextWeight is what one phrase of an essay, a form or a denial takes away.
const contextWeight = 6

// contextReach is how many words of a passage one such phrase says something about.
const contextReach = 100

// style weighs what the message as a whole tells about its writer.
func (r *reading) style() []Finding {
	words, writer, reader := 0, 0, 0
	for _, t := range r.tokens {
		if t.quoted {
			continue
		}
		words++
		if t.id == 0 {
			continue
		}
		if r.rules.writer.has(t.id) {
			writer++
		}
		if r.rules.reader.has(t.id) {
			reader++
		}
	}
	share := 100
	if writer+reader > 0 {
		share = writer * 100 / (writer + reader)
	}
	var out []Finding
	for _, s := range r.rules.styles {
		if words >= s.MinWords && (s.MaxWords == 0 || words <= s.MaxWords) &&
			writer >= s.MinWriter && reader >= s.MinReader &&
			share >= s.MinShare && (s.MaxShare == 0 || share <= s.MaxShare) &&
			r.has[r.rules.counsel] >= s.MinCounsel && r.has[r.rules.recovery] >= s.MinRecovery {
			out = append(out, Finding{Rule: s.ID, Weight: s.Weight})
		}
	}
	return out
}

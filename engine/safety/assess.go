package safety

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Level says what a finding asks for.
type Level string

// The levels, the mildest first.
const (
	Calm      Level = "none"         // nothing was found
	CheckIn   Level = "check_in"     // the turn goes on, with help and one question above the reply
	Intervene Level = "intervention" // a reviewed text takes the reply's place
)

// atLeast compares levels.
func (l Level) atLeast(m Level) bool { return l.rank() >= m.rank() }

func (l Level) rank() int { return slices.Index([]Level{Calm, CheckIn, Intervene}, cmp.Or(l, Calm)) }

// graver is the level that asks for more, l of two alike.
func (l Level) graver(m Level) Level {
	if l.atLeast(m) {
		return l
	}
	return m
}

// milder is the level that asks for less.
func (l Level) milder(m Level) Level {
	if m.atLeast(l) {
		return l
	}
	return m
}

// The names of what can find danger. The first three need no model server.
const (
	TierRules   = "rules"   // reviewed rules
	TierWords   = "words"   // a linear model over the words
	TierMeaning = "meaning" // a head on the sentence encoder's vectors
	TierModel   = "model"   // the language model's classifier
	TierScript  = "script"  // the practice script in its place
)

// Tier is one way of reading a message without a model server. It is deterministic, never
// panics, and is safe for concurrent use.
type Tier interface {
	// Name is one of the names above: people are told who found what.
	Name() string
	Read(text string) Reading
}

// Reading is what one tier says of a message.
type Reading struct {
	Tier  string `json:"tier"`
	Level Level  `json:"level"`
	// Score is the tier's own: points of the rules, log-odds of the others. From CheckIn
	// on it is a sign; from Intervention on the tier alone calls for an intervention.
	Score        float64  `json:"score"`
	CheckIn      float64  `json:"check_in"`
	Intervention float64  `json:"intervention"`
	Category     Category `json:"category,omitempty"`
	// Reasons are what weighed most: excerpts, phrases, the nearest kind of danger.
	Reasons []string `json:"reasons,omitempty"`

	speaker Speaker // whose danger the nearest kind is, of the meaning tier
	plain   Level   // what a statement in plain words asks for, in a language of which nothing was learnt
	unread  bool    // the time was up before all was read
}

// Assessment is what all tiers say of a message together.
type Assessment struct {
	Level    Level
	Category Category // None without a finding
	Speaker  Speaker
	Language Language
	// Rules is the verdict of the rules, with every cue that counted.
	Rules Verdict
	// Tiers are the readings, the rules' first.
	Tiers []Reading
	// Unread says that the meaning tier had no time to read the whole message.
	Unread bool
	// Coverage says which tiers read the message's language, where nothing was found.
	Coverage Coverage
}

// Found are the names of the tiers that saw a sign.
func (a Assessment) Found() []string {
	var out []string
	for _, r := range a.Tiers {
		if r.Level.atLeast(CheckIn) {
			out = append(out, r.Tier)
		}
	}
	return out
}

// Checker reads messages with the rules and with further tiers.
type Checker struct {
	Tiers []Tier
	// Unhurried waits until all of a message was read: nobody waits for help.
	Unhurried bool
	// OfChild says that who writes does so about a child of theirs, as far as nothing else is said.
	OfChild bool
}

// Offline is the checker that turns use. A further tier joins it here.
var Offline = Checker{Tiers: []Tier{LinearTier}}

// gate is the linear tier that the rules are held against, and head the meaning tier's;
// nil without one.
func (c Checker) gate() (gate *Linear, head *Head) {
	for _, t := range c.Tiers {
		switch x := t.(type) {
		case words:
			gate = x.Linear
		case meaning:
			head = x.Head
		}
	}
	return gate, head
}

// rulesCheckIn is the score of the rules from which they ask for a check-in.
const rulesCheckIn = 6

// vagueDoubt is how far below its threshold a short message's meaning leaves the doubt of broad words.
const vagueDoubt = 1

// Assess reads one message. The same text gives the same assessment. What it quotes another person with is read
// by itself, too, and so is each sentence of a long one.
func (c Checker) Assess(text string) Assessment {
	a := c.read(text)
	if a.Level == Intervene || longer(text) {
		return a
	}
	// What is written as one writes to friends is read once more as it is spelt.
	rs := english()
	if a.Language == French {
		rs = french()
	}
	if out, pieces, ok := rs.writtenOut(text); ok && Speaks(out) {
		if b := c.read(out); b.Level.atLeast(a.Level) && b.Level != a.Level {
			b.Rules.asWritten(pieces, text)
			b.Language = a.Language
			return b
		}
	}
	return a
}

func (c Checker) read(text string) Assessment {
	a := c.withoutAsides(c.assess(text), text)
	if q, ok := quoteIn(text); ok {
		a = c.quoting(a, text, q)
	}
	if a.Level != Intervene && longer(text) {
		a = c.amid(a, text)
	}
	if wordsOf(text, mostReport) > mostReport {
		a = c.bodily(a, text)
	}
	if a.Level != Intervene {
		a = c.noted(a, text)
	}
	return a
}

func (c Checker) assess(text string) Assessment {
	en, fr := languages(text)
	found := checkIn(text, en, fr)
	v := found.stopping() // what can at most ask joins at the end
	language := English
	if fr > en {
		language = French
	}
	if en == fr && len(found.Findings) > 0 && v.Version == french().version && v.Version != english().version {
		language = French // no word tells, and what was found is French
	}
	a := Assessment{Level: Calm, Language: language, Speaker: v.Speaker, Rules: found, Tiers: []Reading{v.reading()}}
	gate, head := c.gate()
	long := longer(text)
	x := signals{rules: v.Score, brief: head != nil && head.readsShort(text), long: long, french: a.Language == French, voice: voiceOf(text), ownLife: v.ownLife()}
	// Broad words, such as “my wrist”, are half of the sign that a short message can give: what it means is the other.
	vague := v.vague && (short(text) || few(text))
	if vague && a.Tiers[0].Level == Intervene {
		a.Tiers[0].Level = CheckIn
	}
	for _, t := range c.Tiers {
		alone := x.brief && a.Tiers[0].Level == Calm || vague // its meaning alone decides
		so := together(long, a.Tiers, gate)
		if t.Name() == TierMeaning && !alone && (!long && !x.doubted() && !v.unlike(text, a.Tiers) || v.Score >= rulesSure) && so == Intervene {
			continue // help does not wait for what cannot change it
		}
		read := t.Read
		if m, ok := t.(meaning); ok && (so == Calm && !found.asks() || c.Unhurried) {
			limit := calmTime
			if c.Unhurried {
				limit = unhurriedTime
			}
			read = func(text string) Reading { return m.readWithin(text, limit) }
		}
		r := read(text)
		a.Unread = a.Unread || r.unread
		if r.Level == "" {
			continue // it could not read
		}
		r.Tier = t.Name()
		a.Tiers = append(a.Tiers, r)
	}
	a.Level = together(long, a.Tiers, gate)
	words, _ := a.reading(TierWords)
	near, read := a.reading(TierMeaning)
	// Whose danger it is and of which kind words alone do not say: for the right help the meaning is read, which changes no level.
	kind := near
	if !read && a.Level == Intervene && found.heaviest() == None {
		for _, t := range c.Tiers {
			if m, ok := t.(meaning); ok {
				kind = m.readWithin(text, calmTime) // help does not wait for all of a long one
			}
		}
	}
	if read && head != nil {
		asks := vague && x.brief && near.Level == Calm && near.Score >= near.CheckIn-vagueDoubt
		if vague && x.brief {
			a.Tiers[0].Level = Calm
		}
		x.words, x.meaning = words.Score, near.Score
		a.Level = head.Stack.level(x, a.Tiers[0].Level, words.Level, near.Level).graver(near.plain)
		if asks {
			a.Level, a.Tiers[0].Level = a.Level.graver(CheckIn), CheckIn
		} else if words.Level == Calm && near.Level == Calm && near.Score <= meaningAgainst && v.unlike(text, a.Tiers) {
			a.Level = a.Level.milder(v.against(words.Score, near.Score))
		}
	}
	if v.Score == 0 && !words.Level.atLeast(CheckIn) && (bare(text) || read && few(text) && near.Score < near.Intervention && !near.plain.atLeast(CheckIn)) {
		a.Level = Calm
	}
	// What a short message means was not read in time: its words alone stop nobody.
	if !read && x.brief && a.Tiers[0].Level == Calm && a.Level == Intervene {
		a.Level = CheckIn
	}
	if a.Level == Intervene && (v.Score < rulesPlain && quarrel(text) || v.Score == 0 && ailing(text)) {
		a.Level = CheckIn
	}
	// An idiom has the words of danger, which is what the other tiers take it for.
	if a.Level == CheckIn && len(v.figures) > 0 && short(text) && near.Level != Intervene {
		a.Level = a.Level.milder(c.beside(text, v.figures))
	}
	if a.Level != Calm && v.Score == 0 && routine(text) {
		a.Level = Calm
	}
	if found.asks() && !long && !found.outweighed(text, a.Tiers) {
		c.ask(&a, v, text)
		if v.Score < rulesCheckIn {
			a.Speaker = found.Speaker
		}
		v = found
	}
	if a.Level != Calm {
		most := ordinarily(text)
		for i := range a.Tiers {
			a.Tiers[i].Level = a.Tiers[i].Level.milder(most)
		}
		a.Level = a.Level.milder(most)
	}
	if a.Level != Calm {
		c.withoutOver(&a, text)
	}
	a.doubt()
	if a.Level == Calm {
		a.Coverage = c.coverage(text)
		if whose(text, a.Speaker, c.OfChild) == Clinician {
			a.Speaker = Clinician // a model may yet see danger, and not whose
		}
		return a
	}
	best := slices.MaxFunc(a.Tiers, func(x, y Reading) int {
		// The heaviest sign names the danger; the rules do when signs are alike.
		if x.Level != y.Level {
			return cmp.Compare(x.Level.rank(), y.Level.rank())
		}
		return cmp.Compare(len(y.Tier), len(x.Tier))
	})
	// Nobody's rule says whose danger it is: the nearest kind of danger does.
	switch {
	case read && near.Level != Calm && a.Tiers[0].Level == Calm:
		a.Speaker = cmp.Or(near.speaker, a.Speaker)
		best = near
	case !read && kind.Category != None:
		a.Speaker = cmp.Or(kind.speaker, a.Speaker)
		best.Category = kind.Category
	}
	if v.heaviest() != None && a.Tiers[0].Level.atLeast(CheckIn) {
		best.Category = v.heaviest()
	}
	a.Category = cmp.Or(best.Category, v.heaviest(), Intent)
	if a.Category == Intent && a.Speaker != Self && v.heaviest() == None {
		a.Category = violence(text)
	}
	a.Category = a.Category.inBody(text).unresponsive(text)
	if a.Category == Medical || a.Category == Unresponsive {
		a.Speaker = ofBody(text)
	} else if a.Category != Voices {
		a.Speaker = whose(text, a.Speaker, c.OfChild)
	} else if t := tellsOf(text); a.Speaker == Self && t.of("voices_of_another") && !t.of("voices_of_mine") {
		a.Speaker = whose(text, Other, c.OfChild)
	}
	a.hurts(text)
	switch {
	case a.Category == Abuse && a.Speaker != Self && ofMinor(text):
		a.Category = ChildAbuse
	case a.Category == ChildAbuse && a.Speaker == Self && v.heaviest() == None && !hurt(text) && tellsOf(text).of("means_to_die"):
		a.Category = Intent // a child who writes of tablets is near what children who are hurt write
	}
	return a
}

// outweighed says that words and meaning plainly see no danger in a message of some length in which a rule can at most ask.
func (v Verdict) outweighed(text string, readings []Reading) bool {
	if v.stops >= rulesCheckIn || wordsOf(text, mostShort) <= mostShort || wordsScore(readings) > wordsMuchAgainst {
		return false
	}
	at := slices.IndexFunc(readings, func(r Reading) bool { return r.Tier == TierMeaning })
	return at >= 0 && readings[at].Score <= meaningMuchAgainst
}

// ask makes a check-in of a message in which a rule can at most ask. The others learnt from people who said such words and
// more: where nothing but words of a mood stops the turn, what is left of the message without them has to. What hints at a plan
// or at harm is worth what they take it for.
func (c Checker) ask(a *Assessment, stopping Verdict, text string) {
	mood, parts := true, []part(nil)
	for _, f := range a.Rules.Findings {
		if f.asks {
			mood, parts = mood && f.Category == Intent, append(parts, part{f.Start, f.End})
		}
	}
	if a.Level == Intervene && stopping.Score < rulesCheckIn && mood {
		left := leaveOut(text, parts)
		if c.left(left).Level != Intervene {
			a.Level = CheckIn
			for i := range a.Tiers {
				a.Tiers[i].Level = a.Tiers[i].Level.milder(CheckIn)
			}
		}
	}
	a.Level = a.Level.graver(CheckIn)
	if rules := a.Rules.reading(); !a.Tiers[0].Level.atLeast(CheckIn) {
		a.Tiers[0] = rules
	}
}

// wordsAgainst and meaningAgainst are the scores from which downwards words and meaning plainly contradict the rules, and
// more so by as much again. They were chosen on statements: of those of danger none is lost by them.
const (
	wordsAgainst, meaningAgainst         = -1, 0
	wordsMuchAgainst, meaningMuchAgainst = -2, -0.5
)

// unlike says that the words of a message of which the rules are not sure are unlike those of danger. What somebody took, who is
// missing and what happens to the body the other tiers have not learnt.
func (v Verdict) unlike(text string, readings []Reading) bool {
	switch v.heaviest().inBody(text) {
	case Poisoned, Missing, Overdose, Medical, Unresponsive:
		return false
	}
	return rulesCheckIn <= v.Score && v.Score < rulesPlain && wordsOf(text, mostShort) > mostShort && !longer(text) && wordsScore(readings) <= wordsAgainst
}

// against is the most that the rules' finding asks for where words and meaning contradict it.
func (v Verdict) against(words, meaning float64) Level {
	if v.Hijack && (words > wordsMuchAgainst || meaning > meaningMuchAgainst) {
		return CheckIn
	}
	return Calm
}

// together is the level of several readings: an intervention where one tier alone calls
// for it or two see a sign, a check-in where one does. In a long message the rules meet
// more by chance: there the linear tier must not contradict them.
func together(long bool, readings []Reading, l *Linear) Level {
	signs := 0
	for _, r := range readings {
		if r.Tier == TierRules && r.Level == Intervene && l != nil && r.Score < rulesSure && long && wordsScore(readings) < float64(l.Low) {
			r.Level = CheckIn
		}
		switch {
		case r.Level.atLeast(Intervene):
			return Intervene
		case r.Level.atLeast(CheckIn):
			signs++
		}
	}
	return []Level{Calm, CheckIn, Intervene}[min(signs, 2)]
}

// reading is what the tier of this name gave.
func (a Assessment) reading(tier string) (Reading, bool) {
	i := slices.IndexFunc(a.Tiers, func(r Reading) bool { return r.Tier == tier })
	if i < 0 {
		return Reading{}, false
	}
	return a.Tiers[i], true
}

// doubt lets the readings say what they come to: one that the others silenced is no sign,
// and where only all together see one, it is that of the tier that came closest.
func (a *Assessment) doubt() {
	if a.Level == Calm {
		for i := range a.Tiers {
			a.Tiers[i].Level = Calm
		}
		return
	}
	if len(a.Found()) > 0 {
		return
	}
	at := slices.IndexFunc(a.Tiers, func(r Reading) bool { return r.Tier == TierMeaning })
	if at < 0 {
		return
	}
	a.Tiers[at].Level = CheckIn
}

// rulesSure is the score from which the rules need nobody to agree.
const rulesSure = 24

// rulesPlain is the score, twice their threshold, from which no other tier silences them.
const rulesPlain = 20

// longWords is how many words make a message long: the statements that the rules were
// widened for have some 60 at most.
const longWords = 80

func longer(text string) bool { return wordsOf(text, longWords) > longWords }

// wordsOf counts the words of a text, up to one more than most.
func wordsOf(text string, most int) (n int) {
	for range strings.FieldsSeq(text) {
		if n++; n > most {
			break
		}
	}
	return n
}

// wordsScore is the linear tier's score.
func wordsScore(readings []Reading) float64 {
	for _, r := range readings {
		if r.Tier == TierWords {
			return r.Score
		}
	}
	return math.Inf(1)
}

// heaviest is the category of the cue that weighed most, also below the threshold.
func (v Verdict) heaviest() Category {
	if v.Category != None {
		return v.Category
	}
	for _, f := range v.Findings {
		if f.Category != None && f.Weight > 0 {
			return f.Category
		}
	}
	return None
}

// mostReasons is how many reasons a reading gives.
const mostReasons = 4

func (v Verdict) reading() Reading {
	r := rulesReading(float64(v.Score), float64(v.Threshold))
	if r.Level == Calm {
		return r
	}
	r.Category = v.heaviest()
	for _, f := range v.Findings {
		if reason := clip(f.Excerpt, 60); f.Weight > 0 && f.Category != None && len(r.Reasons) < mostReasons && !slices.Contains(r.Reasons, reason) {
			r.Reasons = append(r.Reasons, reason)
		}
	}
	return r
}

func rulesReading(score, threshold float64) Reading {
	r := Reading{Tier: TierRules, Level: Calm, Score: score, CheckIn: rulesCheckIn, Intervention: threshold}
	switch {
	case score >= threshold:
		r.Level = Intervene
	case score >= rulesCheckIn:
		r.Level = CheckIn
	}
	return r
}

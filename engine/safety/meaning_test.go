package safety

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/encoder"
)

// withMeaning is the checker with the real encoder; the test is skipped without one.
func withMeaning(t testing.TB) Checker {
	t.Helper()
	file := os.Getenv("HOLDPOINT_ENCODER")
	if file == "" && !encoder.Inside() {
		t.Skip("HOLDPOINT_ENCODER names no weights file: nothing is read by meaning")
	}
	e := encoder.New(encoder.Options{File: file})
	t.Cleanup(func() { e.Close() })
	// On a busy machine loading takes longer than help waits.
	if _, err := e.Vector(context.Background(), []string{"warm"}); err != nil {
		t.Fatal(err)
	}
	c := With(e)
	if len(c.Tiers) != len(Offline.Tiers)+1 {
		t.Fatalf("the weights of the meaning tier are not for the encoder %s", e.Name())
	}
	return c
}

// harmless are messages that ask for nothing.
func harmless(t *testing.T, c Checker, texts []string) {
	t.Helper()
	for _, text := range texts {
		if a := c.Assess(text); a.Level != Calm {
			t.Errorf("%q is harmless: %s %s, %v %+v", text, a.Level, a.Category, a.Found(), a.Rules.Findings)
		}
	}
}

// noticed are messages that are asked about at least.
func noticed(t *testing.T, c Checker, texts []string) {
	t.Helper()
	for _, text := range texts {
		if a := c.Assess(text); !a.Level.atLeast(CheckIn) {
			t.Errorf("missed: %q, %+v", text, a.Rules.Findings)
		}
	}
}

// stub is an encoder with the name that the weights want.
type stub struct {
	err   error
	hangs chan struct{}
	name  string
}

func (s stub) Name() string {
	if s.name != "" {
		return s.name
	}
	return ownHead().Encoder
}
func (stub) Dimension() int { return 512 }
func (s stub) Vector(_ context.Context, texts []string) ([][]float32, error) {
	if s.hangs != nil {
		<-s.hangs
	}
	if s.err != nil {
		return nil, s.err
	}
	out := make([][]float32, len(texts))
	for i := range out {
		out[i] = make([]float32, 512)
	}
	return out, nil
}

// TestMeaning_WhoUsesNoUsualWordsIsHeard has people whom no rule knows: their meaning is
// enough for a question, and what was seen is said.
func TestMeaning_WhoUsesNoUsualWordsIsHeard(t *testing.T) {
	c := withMeaning(t)
	heard, byMeaning := 0, 0
	list := []string{
		"There's a date on my calendar with nothing written on it. After it I have asked for no more appointments.",
		"Everything is arranged for Friday. I gave the cat to the neighbour and nobody will have to clean up after me.",
		"He locks the door from the outside when he goes to work and last night he held my face under the tap.",
		"The man in the radio says my newborn is not mine and that I have to get rid of it before sunrise.",
		"Une collègue infirmière vient de m'écrire qu'elle a préparé toutes ses ampoules d'insuline pour cette nuit.",
	}
	for _, text := range list {
		a := c.Assess(text)
		if a.Level != Calm {
			heard++
		}
		if r, ok := a.reading(TierMeaning); ok && a.Level != Calm && r.Level != Calm {
			byMeaning++
			if len(r.Reasons) != 2 || !strings.HasPrefix(r.Reasons[0], "near ") || !strings.Contains(text, r.Reasons[1]) || !slices.Contains(a.Found(), TierMeaning) {
				t.Errorf("%q: found by %v for %q", text, a.Found(), r.Reasons)
			}
		}
	}
	if heard < 4 || byMeaning < 1 {
		t.Errorf("%d of %d were heard, %d by what they mean", heard, len(list), byMeaning)
	}
	harmless(t, c, []string{"When can I move my appointment with the dentist?", "Hello", "", "   ", "Quels papiers faut-il pour changer de médecin traitant ?"})
}

// TestMeaning_WithoutAnEncoderTheOtherTiersStillRead: none, another one, one that fails.
func TestMeaning_WithoutAnEncoderTheOtherTiersStillRead(t *testing.T) {
	for name, e := range map[string]encoder.Encoder{"none": nil, "another": stub{name: "some@other"}, "broken": stub{err: errors.New("broken")}} {
		a := With(e).Assess("I feel so hopeless and alone")
		if a.Level != CheckIn || !slices.Equal(a.Found(), []string{TierRules}) || len(a.Tiers) != 2 {
			t.Errorf("%s: %s by %v, %d tiers", name, a.Level, a.Found(), len(a.Tiers))
		}
	}
}

// TestMeaning_HelpDoesNotWaitForTheEncoder: plain danger is answered at once, and a weak
// sign within the second that is promised.
func TestMeaning_HelpDoesNotWaitForTheEncoder(t *testing.T) {
	hangs := make(chan struct{})
	defer close(hangs)
	c := With(stub{hangs: hangs})
	for text, want := range map[string]Level{"I want to kill myself tonight, I have the pills here": Intervene, "I feel so hopeless and alone": CheckIn} {
		began := time.Now()
		if a := c.Assess(text); a.Level != want {
			t.Errorf("%q: %s", text, a.Level)
		}
		took := time.Since(began)
		if most := readTime + 300*time.Millisecond; took > most || want == Intervene && took >= readTime {
			t.Errorf("%q took %s", text, took)
		}
	}
}

// asked is an encoder that counts the texts it was given.
type asked struct {
	stub
	texts *int
}

func (a asked) Vector(ctx context.Context, texts []string) ([][]float32, error) {
	*a.texts += len(texts)
	return a.stub.Vector(ctx, texts)
}

// "The first thing it ever answered me was marked: the time was up before all of it was read."
func TestMeaning_AWarmCheckerReadsNothingButTheMessage(t *testing.T) {
	// What is kept is kept of one encoder: a message that another test gave up on may still come between, once.
	var first, other int
	for range 5 {
		texts := 0
		c := With(asked{texts: &texts})
		if err := c.Warm(t.Context()); err != nil || texts == 0 {
			t.Fatalf("%d texts were read to get ready (%v)", texts, err)
		}
		texts = 0
		c.Assess("My cat sleeps.")
		first, texts = texts, 0
		c.Assess("My dog sleeps.")
		if other = texts; first == other && first > 0 {
			break
		}
	}
	if first != other || first == 0 {
		t.Errorf("%d texts were read for the first message, %d for another", first, other)
	}
	if err := With(stub{err: errors.New("broken")}).Warm(t.Context()); err == nil {
		t.Error("an encoder that fails is ready")
	}
	if err := Offline.Warm(t.Context()); err != nil {
		t.Errorf("without an encoder there is nothing to get ready: %v", err)
	}
}

// longMessage is 64 KB of sentences that differ.
func longMessage() string {
	var text strings.Builder
	for i := 0; text.Len() < 64<<10; i++ {
		fmt.Fprintf(&text, "The garden of house %d is green and the %s are ripe, said the %s. ", i, []string{"tomatoes", "plums", "beans"}[i%3], []string{"gardener", "postman", "cook", "baker"}[i%4])
	}
	return text.String()[:64<<10]
}

// TestMeaning_ALongMessageIsReadInTime: the end of the longest message still counts, where
// the machine reads it within the time that help waits. BenchmarkMeaningOf64kB says how long it takes.
func TestMeaning_ALongMessageIsReadInTime(t *testing.T) {
	c, long := withMeaning(t), longMessage()
	if got := readable(long + "É"); len(got) != 3 || !strings.HasPrefix(got[0], long[:9]) || !strings.HasSuffix(got[0], "É") {
		t.Errorf("it is read in %d parts", len(got))
	}
	despair := strings.Repeat("I want to kill myself tonight. ", 8<<10/31)
	var scores []float64
	for _, text := range []string{long, long[:len(long)-8<<10] + despair, long[:28<<10] + despair + long[36<<10:]} {
		began := time.Now()
		r := c.Tiers[len(c.Tiers)-1].Read(text)
		took := time.Since(began)
		if r.Tier == "" && took < readTime {
			t.Fatalf("64 KB were given up after %s", took)
		}
		if r.Tier == "" || r.unread {
			t.Skipf("this machine does not read 64 KB in %s", readTime)
		}
		t.Logf("64 KB took %s: %.2f", took, r.Score)
		scores = append(scores, r.Score)
	}
	if scores[1] <= scores[0] || scores[2] <= scores[0] {
		t.Errorf("when it ends in despair the score is %.2f, with that in its middle %.2f, else %.2f", scores[1], scores[2], scores[0])
	}
}

func BenchmarkMeaningOf64kB(b *testing.B) {
	c, long := withMeaning(b), longMessage()
	for b.Loop() {
		c.Assess(long)
	}
}

func TestReadHead_RefusesWhatItIsNot(t *testing.T) {
	for _, b := range []string{"", "[]", `{"kinds":[{"name":"a","danger":true,"weights":"AAAA"}]}`, `{"kinds":[{"name":"a","weights":"AAAA"},{"name":"b","weights":"AA=="}]}`} {
		if _, err := ReadHead([]byte(b)); err == nil {
			t.Errorf("%q was taken", b)
		}
	}
	if n := len(wordsBin) + len(meaningFile); n > 1<<20 {
		t.Errorf("%d bytes of weights are too many for the program", n)
	}
}

// TestMeasured_OtherLanguages counts on sentences that were written for this test in
// languages of which the tiers have learnt nothing.
func TestMeasured_OtherLanguages(t *testing.T) {
	c := withMeaning(t)
	f, err := os.Open(filepath.Join("testdata", "languages.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := c.Bench(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Categories {
		t.Logf("%s %-6s: %d of %d with either level, %d interventions", s.Category, s.Label, s.Interventions+s.CheckIns, s.People, s.Interventions)
	}
	t.Logf("either level: recall %.3f, alarms %.3f; interventions: %.3f, %.3f", r.CheckInRecall, r.CheckInFalseAlarmRate, r.Recall, r.FalseAlarmRate)
	if r.CheckInRecall < minLanguages || r.CheckInFalseAlarmRate > maxLanguages {
		t.Errorf("either level finds %.3f and alarms on %.3f", r.CheckInRecall, r.CheckInFalseAlarmRate)
	}
}

// What is reached in languages of which nothing was learnt.
const (
	minLanguages = 0.55
	maxLanguages = 0.15
)

// TestMeasured_AllTiersOnTheDevelopmentFiles has the meaning tier beside the others. All of
// them know these files: `holdpoint bench safety --train` prints what unseen people get.
func TestMeasured_AllTiersOnTheDevelopmentFiles(t *testing.T) {
	c := withMeaning(t)
	for name, want := range map[string]struct{ stops, either, stopsRest, alarms float64 }{
		"crisis/statements-en-dev.jsonl": {0, 0.90, 1, 0.15}, "crisis/statements-fr-dev.jsonl": {0, 0.85, 1, 0.20}, "crisis/cssrs-dev.jsonl": {0.85, 0.97, 0.40, 1},
	} {
		if len(readSample(t, name)) == 0 {
			continue
		}
		f, err := os.Open(filepath.Join(dataFolder, name))
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Bench(f)
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: interventions %.3f and %.3f, either level %.3f and %.3f", name, r.Recall, r.FalseAlarmRate, r.CheckInRecall, r.CheckInFalseAlarmRate)
		if r.Recall < want.stops || r.FalseAlarmRate > want.stopsRest || r.CheckInRecall < want.either || r.CheckInFalseAlarmRate > want.alarms {
			t.Errorf("%s: %+v is asked", name, want)
		}
	}
	for _, name := range []string{"counsel-questions/questions.jsonl", "reddit-stress/posts.jsonl"} {
		stopped, asked, all := 0, 0, 0
		for _, q := range readSample(t, name) {
			if acute[q.ID] {
				continue
			}
			all++
			switch c.Assess(strings.TrimSpace(q.Title + "\n" + strings.Join(q.Text, "\n"))).Level {
			case Intervene:
				stopped++
			case CheckIn:
				asked++
			}
		}
		t.Logf("%s: %.4f interventions, %.4f either level of %d", name, share(stopped, all), share(stopped+asked, all), all)
		if most := map[bool]float64{true: 0.025, false: 0.06}[strings.HasPrefix(name, "counsel")]; share(stopped+asked, all) > most || strings.HasPrefix(name, "counsel") && share(stopped, all) > maxOrdinary {
			t.Errorf("%s: too many alarms", name)
		}
	}
}

// "I said it in my own language, as plainly as one can, and it thanked me." These were
// written by people who had not seen what the tier holds them against.
func TestMeaning_PlainWordsAreHeardInLanguagesThatNothingWasLearntOf(t *testing.T) {
	c := withMeaning(t)
	for _, text := range []string{"Quiero morir", "Me quiero morir", "Quiero morirme, no aguanto más", "Quiero matarme esta noche", "Nadie me echaría de menos si desapareciera",
		"Quero morrer", "Quero me matar esta noite", "Não quero mais viver, quero morrer.", "Voglio morire", "Voglio uccidermi stanotte", "Non mancherei a nessuno se sparissi", "Voglio morire stanotte.",
		"Ich will sterben", "Ich will mich heute Nacht umbringen", "Niemand würde mich vermissen, wenn ich weg wäre", "أريد أن أموت", "أريد أن أقتل نفسي الليلة", "أفكر في الانتحار",
		"我想死", "我今晚想自杀", "我不想活了", "我想自杀。", "Bu gece kendimi öldürmek istiyorum", "Я хочу умереть", "Я хочу убить себя сегодня ночью", "死にたいです。もう生きていたくない。", "죽고 싶어요.", "Ik wil niet meer leven."} {
		if a := c.Assess(text); a.Level == Calm {
			t.Errorf("%q is calm: %+v", text, a.Tiers)
		}
	}
	var asked []string
	for _, text := range []string{"Quiero dormir", "Quiero irme a casa", "我想睡觉", "Ich will schlafen", "Я хочу спать", "أريد أن أنام", "Mi perro murió ayer", "Mein Vater ist gestorben", "我爸爸去世了", "Voglio andare a casa"} {
		switch a := c.Assess(text); a.Level {
		case CheckIn:
			asked = append(asked, text)
		case Intervene:
			t.Errorf("%q is %s: %+v", text, a.Level, a.Tiers)
		}
	}
	// testdata/languages.jsonl says how often: one in ten is asked.
	if len(asked) > 1 {
		t.Errorf("asked about %q", asked)
	}
}

// "It was in the middle of what I pasted."
func TestMeaning_OnePlainSentenceInALongMessageIsHeard(t *testing.T) {
	c, long := withMeaning(t), longMessage()
	for _, at := range []int{0, len(long) / 2, len(long) - 80} {
		at = strings.LastIndex(long[:at+len("The garden")], "The garden")
		text := long[:at] + "Voglio morire stanotte. " + long[at:]
		if a := c.Assess(text); a.Level == Calm && !a.Unread {
			t.Errorf("at byte %d it is calm", at)
		}
	}
}

// "It was tuned until its own examples passed, and then it did not hear me." Nothing is
// learnt from these, and their writer saw nothing that is.
func TestMeaning_StatementsThatNothingWasLearntFromAreHeard(t *testing.T) {
	c := withMeaning(t)
	for name, want := range map[string]struct{ least, most float64 }{"judged-en": {0.90, 0.15}, "judged-fr": {0.87, 0.20}} {
		f, err := os.Open("testdata/" + name + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Bench(f)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: interventions %.3f and %.3f, either level %.3f and %.3f", name, r.Recall, r.FalseAlarmRate, r.CheckInRecall, r.CheckInFalseAlarmRate)
		if r.CheckInRecall < want.least || r.Recall < 0.55 || r.CheckInFalseAlarmRate > want.most || r.FalseAlarmRate > 0.1 {
			t.Errorf("%s: interventions %.3f and %.3f, either level %.3f and %.3f", name, r.Recall, r.FalseAlarmRate, r.CheckInRecall, r.CheckInFalseAlarmRate)
		}
	}
}

package safety

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCheckRaisesAnAlarm(t *testing.T) {
	for category, texts := range map[Category][]string{
		Intent: {
			"I want to die.", "i dont want to live anymore", "im gonna kms", "I want to unalive myself", "thinking about sewerslide again",
			"I want to end it all", "everyone would be better off without me", "I wish I was dead", "I wish I'd never been born, there is no point in living",
			"i am suicidal", "I hope I don't wake up tomorrow", "I feel like dying", "sucide is the only way out for me", "I want to kill my self",
			"I don't want to be alive", "I don't want to be here anymore", "i wanna die", "I'm so tired of living", "I’m going to kill myself tonight",
			"You make me want to kill myself",
		},
		Plan: {
			"Goodbye everyone, this is my last message", "what's the most painless way to die", "How many paracetamol would it take to kill me?",
			"I have written my suicide note",
		},
		Means:    {"I just took a whole bottle of pills", "I have a gun to my head"},
		SelfHarm: {"I can't stop cutting myself", "I have been cutting again", "I keep hurting myself"},
		HarmOthers: {
			"I'm going to kill my boss tomorrow, I have it all ready", "I am going to kill him", "The voices tell me to hurt them",
			"I have thoughts of killing my neighbour",
		},
		Abuse: {
			"my husband hits me and I'm scared he will kill me", "He choked me last night", "He won't stop hitting me", "my dad beats me every night",
			"I am being abused at home", "I'm not safe at home",
		},
	} {
		for _, text := range texts {
			v := Check(text)
			if !v.Hijack {
				t.Errorf("no alarm (%s): %q, score %d, %+v", category, text, v.Score, v.Findings)
				continue
			}
			// A plan or means often shows as intent too; the pot is what decides.
			if v.Category.pot() != category.pot() {
				t.Errorf("%q is %s, want %s", text, v.Category, category)
			}
		}
	}
}

func TestCheckLetsOrdinaryWordsPass(t *testing.T) {
	for exemption, texts := range map[string][]string{
		"negation": {
			"I would never kill myself", "I don't want to die", "I'm not suicidal, just tired", "I would not hurt anyone", "I don't have a gun",
			"I am not going to kill myself", "I have no plan to hurt anybody",
		},
		"past and resolved": {"I was suicidal years ago, I'm fine now", "I used to want to die but I am happy now"},
		"idiom": {
			"this homework is killing me", "I'm dying to see the new film", "My phone died again", "I could kill for a coffee", "I died laughing",
			"I hang out with my friends", "I want to end my subscription", "he beat me at chess", "my boss will kill me if I am late",
			"I shot myself in the foot with that email", "I need to kill some time", "She hit me up yesterday", "The deadline is killing me",
			"I'd kill for that job", "I feel like death warmed up, this flu is awful", "I'm so embarrassed I could die", "I'm dead tired",
			"I'm going to murder this burger", "I'm going to kill the process with kill -9", "I cut my hair myself",
		},
		"quotation": {"The song goes 'I want to die'", "In the film she says \"I want to kill myself\" and then leaves.", "> I want to die\nCan you translate the line above?"},
		"third person": {
			"My grandmother died last week and I miss her", "I lost my brother to suicide in 2019",
			"If anyone wants to die they should call a helpline", "We need to put down our dog, he is dying",
		},
		"comfort": {"Please don't kill yourself, you are loved. I'm here for you if you need to talk."},
		"prevention": {
			"How can I help prevent suicide among teenagers?", "I'm writing an essay about suicide prevention for school and I need sources",
		},
		"clinical work": {
			"Does this patient have a history of suicide attempts?", "Book an appointment for Mrs Jones on Tuesday", "screen the patient for suicidal ideation with the PHQ-9",
			"Patient denies suicidal thoughts and has no plan", "I'm a nurse and one of my patients attempted suicide", "What is the lethal dose of warfarin in rats?",
		},
		"another language": {"Die Patientin hat morgen einen Termin"},
		"nothing":          {"", " \n\t", "?!", "\xff\xfe"},
	} {
		for _, text := range texts {
			if v := Check(text); v.Hijack || v.Category != None {
				t.Errorf("alarm in spite of %s: %q, score %d, %+v", exemption, text, v.Score, v.Findings)
			}
		}
	}
}

func TestCheckSeesThroughDisguises(t *testing.T) {
	for _, text := range []string{
		"I w4nt to d1e", "i want to k i l l myself", "I want to ｄｉｅ", "I w\u200bant to di\u200de", "I wаnt to diе", "I want to d*e", "i want to diiieee",
		"I’m suicidal", "Im suicidal", "I am suici\u00addal", "I am suicdal", "𝐈 𝐰𝐚𝐧𝐭 𝐭𝐨 𝐝𝐢𝐞", "I WANT TO DIE", "i wánt to díe",
	} {
		if v := Check(text); !v.Hijack {
			t.Errorf("no alarm: %q, score %d, %+v", text, v.Score, v.Findings)
		}
	}
}

func TestTheWritersOwnQuotedWordsCount(t *testing.T) {
	for _, text := range []string{`"I want to die"`, `I told my mom "I want to kill myself" and I meant it`} {
		if !Check(text).Hijack {
			t.Errorf("no alarm: %q", text)
		}
	}
}

func TestFindingsExplainTheScore(t *testing.T) {
	text := "Hi – it’s me… I’m so tired. I want to die, and I can’t go on."
	v := Check(text)
	if !v.Hijack || v.Score < v.Threshold || v.Version == "" {
		t.Fatalf("got %+v", v)
	}
	sum := 0
	for _, f := range v.Findings {
		sum += f.Weight
		if f.Category != None && text[f.Start:f.End] != f.Excerpt {
			t.Errorf("%s: bytes %d to %d are %q, not %q", f.Rule, f.Start, f.End, text[f.Start:f.End], f.Excerpt)
		}
	}
	if sum != v.Score {
		t.Errorf("findings add up to %d, the score is %d", sum, v.Score)
	}
	if f := v.Findings[0]; f.Rule != "intent.want_to_die" || f.Excerpt != "I want to die" {
		t.Errorf("heaviest finding is %+v", f)
	}
}

func TestWeakCuesFarApartDoNotAddUp(t *testing.T) {
	filler := strings.Repeat("We talked about the garden and the weather for a while. ", 60)
	if v := Check("There was a book on suicide. " + filler + "My life is a mess. " + filler + "Nobody cares."); v.Hijack {
		t.Errorf("got %+v", v)
	}
	if v := Check(filler + "I want to die. " + filler); !v.Hijack {
		t.Error("one clear sentence in a long text is missed")
	}
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{"", "I want to die", "k i l l m y s e l f", "“I want to die”", "&gt; I'm done", "d*e @ $ '", "\xf0\x28\x8c\x28", "I w\u200bant", "ill kill him", strings.Repeat("i want ", 50)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v := Check(s)
		if v.Hijack != (v.Score >= v.Threshold) || v.Hijack != (v.Category != None) {
			t.Errorf("verdict contradicts itself: %+v", v)
		}
		for _, g := range v.Findings {
			if g.Start < 0 || g.End < g.Start || g.End > len(s) || !utf8.ValidString(g.Excerpt) || len(g.Excerpt) > 3*maxExcerpt {
				t.Errorf("finding outside the text: %+v", g)
			}
		}
	})
}

var benchMessage = strings.Repeat("I have not slept well this week, and my boss keeps asking for more. You know how it is; I want a rest. My friend says I should talk to somebody about it. ", 13)[:2000]

func BenchmarkCheck2kB(b *testing.B) {
	b.SetBytes(int64(len(benchMessage)))
	for b.Loop() {
		Check(benchMessage)
	}
}

// "I pasted a record of a thousand pages, and help took five seconds." A calm text of 2 MB, whose sentences are all read by
// themselves, too.
func BenchmarkAssess2MB(b *testing.B) {
	var long strings.Builder
	for i := 0; long.Len() < 2<<20; i++ {
		fmt.Fprintf(&long, "Patient %d seen for routine review of blood pressure. Lungs clear %d times, no wheeze. Continue lisinopril %d mg once daily. She works in a bakery %d and starts at five, and her husband takes the children to school. ", i, i, i, i)
	}
	for b.Loop() {
		Offline.Assess(long.String())
	}
}

// TestRead_TheIndexOfWordsLosesNoPattern: what a text's words leave out is what cannot match.
func TestRead_TheIndexOfWordsLosesNoPattern(t *testing.T) {
	matched := 0
	for _, rs := range []*ruleset{english(), french()} {
		for _, text := range append([]string{"mon mari me frappe tous les soirs", "je veux mourir ce soir, j'ai les cachets", "le résident ne se réveille pas", "elle a avalé des piles"}, plain...) {
			r := rs.read(rs.scan(text))
			for i := range rs.rules {
				for k := range rs.rules[i].patterns {
					p := &rs.rules[i].patterns[k]
					for at := range r.tokens {
						if _, ok := r.match(p, at); ok {
							matched++
							if first := rs.rules[i].patterns[0].number; !r.possible(p) || !r.likely.some(first, first+len(rs.rules[i].patterns)) {
								t.Errorf("%q is in %q and is left out", p.source, text)
							}
						}
					}
				}
			}
		}
	}
	if matched < len(plain) {
		t.Errorf("only %d patterns were met", matched)
	}
}

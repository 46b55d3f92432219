package turn_test

import (
	"strings"
	"testing"
	"time"

	"holdpoint/engine/turn"
)

// "The longer its answer was, the slower it wrote."
func TestPlainWriter_ALongParagraphCostsNoMoreAWord(t *testing.T) {
	text, shown := strings.Repeat("You take sertraline and rest well. ", 350), 0
	write := turn.PlainWriter(func(s string) { shown += len(s) })
	began := time.Now()
	for piece := range strings.SplitAfterSeq(text, " ") {
		write(piece)
	}
	if took := time.Since(began); took > 10*time.Second || shown < len(text)-120 {
		t.Errorf("%d of %d bytes after %v", shown, len(text), took)
	}
}

// "It answered </s></s>, and once it went on to talk to itself in my name."
func TestPlain_WhatIsForMachinesReachesNobody(t *testing.T) {
	const book = "```book_appointment provider=prov-okafor start=2026-03-03T09:00:00Z\n```"
	for said, want := range map[string]string{
		`functions.find_providers:0{"query":"sleep"}`:                               "",
		`functions.find_providers:0`:                                                "",
		`find_providers:1{"query":"sleep"}`:                                         "",
		"You take sertraline.\n" + `functions.search:0 {"q":1}`:                     "You take sertraline.",
		"book_appointment provider=prov-okafor start=2026-03-03T09:00:00Z":          "",
		"You take sertraline.\nbook_appointment provider=prov-okafor start=2026-03": "You take sertraline.",
		`"reply": "You take \"sertraline\"."`:                                       `You take "sertraline".`,
		`"reply": "You take sertraline."}`:                                          "You take sertraline.",
		"search_records\ntype=Patient":                                              "",
		"search\nquery=sleep\nlimit=3":                                              "",
		"You take sertraline.\nsearch_records\n  type: Patient":                     "You take sertraline.",
		"type=Patient\nname=Walter":                                                 "",
		"signal_summary: sleeps badly":                                              "",
		`"client_signal": "calm"`:                                                   "",
		"PERSON: What do I take?\nASSISTANT: You take sertraline.\nPERSON: ok":      "You take sertraline.",
		"You take sertraline. PERSON: ok ASSISTANT: good":                           "You take sertraline.",
		`"Sertraline" is what you take.`:                                            `"Sertraline" is what you take.`,
		"Person: Walter\nBorn: 1946":                                                "Person: Walter\nBorn: 1946",
		"</s></s>":                                                                  "",
		"<s>":                                                                       "",
		"<s> You take sertraline.</s>":                                              "You take sertraline.",
		"You take sertraline.</s></s>":                                              "You take sertraline.",
		"You take sertraline.</s>\nUser: what":                                      "You take sertraline.",
		"You take sertraline.<end_of_turn>\n<start_of_turn>user":                    "You take sertraline.",
		"<｜tool▁calls▁begin｜>x":                                                     "",
		book:                                                                        "",
		"Let me book it.\n" + book:                                                  "",
		"You take sertraline.\n" + book:                                             "You take sertraline.",
		"```lookup provider=okafor\n```":                                            "",
		"```tool\nfind okafor\n```":                                                 "",
		"Assistant: … User: ok Assistant: {\"x\":1}":                                "",
		"Assistant: You take sertraline. User: ok Assistant: {\"x\":1}":             "You take sertraline.",
		"Assistant: You take sertraline.":                                           "You take sertraline.",
		"**Assistant:** You take sertraline.":                                       "You take sertraline.",
		"Assistant\u00a0: Vous prenez de la sertraline.":                            "Vous prenez de la sertraline.",
		"assistant\n\nYou take sertraline.":                                         "You take sertraline.",
		"You take sertraline.\n\nUser: and what else?\n\nAssistant: Nothing.":       "You take sertraline.",
		"You take sertraline.\nHuman: thanks":                                       "You take sertraline.",
		"You take sertraline. User: ok. Assistant: Good.":                           "You take sertraline.",
		"Vous prenez de la sertraline.\nUtilisateur : merci":                        "Vous prenez de la sertraline.",
		"User: What do I take?\nAssistant: You take sertraline.\nUser: ok":          "You take sertraline.",
		"### Response:\nYou take sertraline.":                                       "You take sertraline.",
		"### Instruction:\nSay it.\n\n### Response:\nYou take sertraline.":          "You take sertraline.",
		"You take sertraline.\n\n### Instruction:\nSay it again.":                   "You take sertraline.",
		"You take sertraline.\n\n### Response:\nYou take it.":                       "You take sertraline.",
		"### Réponse :\nVous prenez de la sertraline.":                              "Vous prenez de la sertraline.",
		"You take sertraline.\n### User\nok":                                        "You take sertraline.",
		"Assistant: Hi there.\nUser: ok\nAssistant: {\"x\":1}":                      "Hi there.", "You rest.<end_of_turn>": "You rest.", "You rest. <s>User: hi</s>": "You rest.", "### Instruction\nDo.\n### Response\nYou rest.": "You rest.",
		"You rest.\nPatient: thanks\nAssistant: fine": "You rest.", "~~~find_providers\nx\n~~~": "", "null null": "", "(null)": "", "nan": "",
		"undefined": "", "null": "", "None": "", "NaN": "", "`None`": "", "\"undefined\"": "", "[object Object]": "", "NULL": "", "**null**": "",
	} {
		if got := turn.Plain(said); got != want {
			t.Errorf("%q became %q", said, got)
		}
		streamed(t, said)
	}
	for _, said := range []string{
		"The function of the kidney: it cleans the blood.", "## What you take\n\nSertraline.", "### Response to treatment\n\nShe sleeps well.", "### Instructions:\n1. Rest.\n2. Drink.", "### Instructions\n- Rest.",
		"None of them speaks Arabic.", "The value is null and void.", "No allergies are known.", "None.", "Nanny care is not offered.",
		"Roles here:\n- User: may read\n- Admin: may write", "There are two.\nHuman: made by people\nAnalogue: altered", "Staff:\nAssistant: Mrs Lee\nDoctor: Dr Okafor", "Assistant: Mrs Lee\nDoctor: Dr Okafor",
		"The tag </s> closes what <s> opens.", "Take <s>two</s> three tablets.", "`</s>` ends a sequence.", "The user: that is you. The assistant: that is me.", "The assistant will call you.", "Assistant surgeons help.",
		"The care assistant: a person who helps.", "A ratio of 1:0 {sic} is odd.", "```\nTake one tablet.\n```\nThat is the label.", "This adds:\n```python\nx = 1\n```\nIt is short.", "It [EOS is a code] says so.", "You rest.\nPatient: Rowan Alder\nBorn: 1984", "Take ~5 drops.", "Your nan is well.", "The navigator: a person who arranges care.", "#1 is rest, # 2 is sleep.",
	} {
		if got := turn.Plain(said); got != said {
			t.Errorf("%q became %q", said, got)
		}
		streamed(t, said)
	}
}

// streamed fails where a text that comes in pieces of any size shows what its whole does not.
func streamed(t *testing.T, said string) {
	t.Helper()
	for _, size := range []int{1, 3, 7, 1000} {
		shown := ""
		write := turn.PlainWriter(func(s string) { shown += s })
		runes := []rune(said)
		for i := 0; i < len(runes); i += size {
			write(string(runes[i:min(len(runes), i+size)]))
		}
		if !strings.HasPrefix(turn.Plain(said), strings.TrimSpace(shown)) {
			t.Errorf("%q in pieces of %d showed %q", said, size, shown)
		}
	}
}

// "It answered “Care navigator: Your visit is on Monday”, as if somebody else had spoken." What a model was told that it is may stand
// before its words, whatever that is.
func TestSpoken_WhatAModelWasToldThatItIsIsALabelAndNoWords(t *testing.T) {
	for told, c := range map[string]struct{ said, want string }{
		"You are Holdpoint's care navigator. You help people.": {"Navigator: You rest.", "You rest."},
		"You are Holdpoint’s care navigator.":                  {"**Care navigator:** You rest.", "You rest."},
		"You are a triage nurse for children. Be brief.":       {"Triage nurse: You rest.\nUser: thanks.\nNurse: Fine.", "You rest."},
		"You are an expert in wells, and careful.":             {"Expert: You rest.", "You rest."},
		"You are a careful clerk":                              {"The clerk: a person who writes.", "The clerk: a person who writes."},
		"You are decision support, not a doctor.":              {"Doctor: a person who heals.", "Doctor: a person who heals."},
		"": {"Navigator: a person who arranges care.", "Navigator: a person who arranges care."},
	} {
		s := turn.Spoken{Own: turn.OwnWords(told)}
		if got := s.Plain(c.said); got != c.want {
			t.Errorf("told %q, %q became %q", told, c.said, got)
		}
		for _, size := range []int{1, 3, 7, 1000} {
			shown := ""
			write := s.Writer(func(x string) { shown += x })
			for i := 0; i < len(c.said); i += size {
				write(c.said[i:min(len(c.said), i+size)])
			}
			if !strings.HasPrefix(c.want, strings.TrimSpace(shown)) {
				t.Errorf("told %q, %q in pieces of %d showed %q", told, c.said, size, shown)
			}
		}
	}
}

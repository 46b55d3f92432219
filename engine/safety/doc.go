// Package safety is Holdpoint's deterministic safety tier. It reads a person's
// message with reviewed rules, offline and without a model, and says whether the
// turn must go to a reviewed intervention instead of a model.
//
// # What it promises
//
//   - The same text gives the same verdict: no model, clock, network or state.
//   - It never panics, whatever the bytes are, and takes about half a millisecond
//     for a message of 2 kB.
//   - Every alarm can be explained: the verdict lists each cue that counted with
//     its rule, its weight and its place in the original text, also the cues that
//     speak against danger.
//   - The words of an intervention come from intervention.yaml only. A region
//     decides the numbers, the category decides the words.
//
// # What it does not promise
//
// It is no diagnosis and no proof of safety. It misses people, above all those
// who tell of their distress without a word about death or harm, and it stops
// some who comfort others. It knows English only: text in another language
// passes without an alarm. (Each language is a rule set of its own; compile
// reads one folder, and Check uses the English one.) A model-based classifier
// may run beside it; it may add alarms and must never take one back.
//
// # How it decides
//
// A message is normalised (NFKC, zero-width characters, look-alike letters,
// digits for letters, letters spelled one by one, misspellings, slang) and cut
// into sentences and clauses. Rules are word patterns over that. Negation in
// front of a cue or in its gap cancels it, the past lowers its weight (what is
// over lowers it more), quoted and reported words don't count unless they are
// the writer's own, nor does a cue whose nearest person is somebody else; idioms
// are listed with the rule they would trip. The weights of intent, plan, means
// and self_harm add up within passages of about 220 words that overlap by half;
// harm_others and abuse stand alone. Style cues for the passage raise the bar for
// advice and comfort and for denial or recovery, and lower it for the writer's
// own story.
//
// Beside the narrow rules stands a broad lexicon of plain first-person words of
// danger. It adds only what narrower rules left unweighed, so that nothing is
// counted twice.
//
// A worry about another person ("my friend wants to die") is no alarm: the
// writer is not the one in danger and needs an answer, not a closed turn. The
// model's own instructions deal with it. Nor are a clinician's questions about a
// patient.
//
// # How rules are reviewed
//
// rules/*.yaml are the artefact to review: each rule has an id, a category, a
// reason in one line and its weight; self.yaml explains the pattern language.
// A change comes with a sentence in the tests that needed it and with the
// figures below measured again. Phrases are generic; no message of any data set
// is copied into them.
//
// # Measured
//
// With `holdpoint bench safety FILE`, or go test -run TestMeasured -v, on the
// 250 people of the Reddit C-SSRS development sample (Gaur et al. 2019, CC BY
// 4.0; 146 labelled crisis, 49 who comfort others) and 375 ordinary questions to
// counsellors (counsel-chat, MIT). An alarm on any message is one for the person.
//
//	                                     as they are   left one out
//	people in crisis who raise an alarm        0.932          0.890
//	people who comfort and raise an alarm      0.367          0.327
//	ordinary questions with an alarm           0.005          0.005
//
// The first column is optimistic: the rules were written on this sample. For the
// second each person is judged by rules without every word of a pattern that
// nobody else in the samples meets (TestMeasuredWithoutWhatOnlyOnePersonMeets).
// It is still optimistic where the weights, the idioms and the choice of rules
// come from the same people: an early version of the rules fell from 0.86 to
// 0.68 on a third of the sample that nobody had read, and stopped 8 of its 14
// helpers. The statements, complaints and everyday messages in the tests are not
// taken from the samples, though their writer had read them; the rules were
// widened or narrowed until they passed. Of the last lists, before the rules saw
// them, 47 of 76 statements in a long story were heard, and 44 of 50 complaints
// and 36 of 50 everyday messages, chosen to be hard, raised no alarm.
//
// On other people of the same kind expect a recall of 0.86 to 0.91, alarms on 0.33
// to 0.45 of those who comfort others, and on 0.5 to 1.5 % of ordinary questions.
// The labels set a limit: about one in fifteen people labelled crisis wrote
// nothing in the sample that a reader could tell from a helper's words.
//
// What did not help: words learnt from the sample by a regularised linear model
// over one and two words find 0.75 of people it has not seen while it stops 0.41 of
// the helpers, and add nothing reliable to the rules. Despair without a word
// about death, added up, marks counselling questions sooner than people in crisis.
// A dozen naive patterns reach 0.76 here and stop 0.57 of the helpers.
//
// Eight more of the 383 questions raise an alarm and should: they speak of wanting
// to die, hurting oneself now, hoarding pills, or urges to hurt somebody. All eight
// do; left one out, five of them.
package safety

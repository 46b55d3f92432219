// Package safety reads a person's message for danger, offline and without a model server,
// and holds the reviewed texts that answer it and the lines that help.
//
// # Two levels, several tiers
//
// Assess gives a level: nothing, a check-in (the turn goes on; help and one question stand
// above the reply) or an intervention (a reviewed text in the reply's place). Each tier
// gives a Reading with its name, score, thresholds and reasons:
//
//   - rules: reviewed word patterns, English and French; from 6 points a sign, from 10 an
//     intervention.
//   - words: a logistic regression over phrases of one to three words, learnt by
//     `holdpoint bench safety --train DIR`; words.bin holds hashed weights and no phrase.
//   - meaning: a multinomial logistic regression on the sentence encoder's vectors of the
//     message and of each sentence, from the same command; meaning.json. It takes part where
//     the encoder is at hand (With) and names the nearest kind of danger and the strongest
//     sentence. Of more than 24 kB it reads the beginning and the end first, then what is
//     between, for 0.6 s at most; what it could not read then is told. A message of 4 to 24
//     words is read in another way (see Short messages). In languages that nothing was learnt
//     of, a sentence that comes close to a plain statement ("I want to die") is a sign by
//     itself.
//
// One tier beyond its second threshold is enough, and so are two signs. In a message of
// more than 80 words each tier meets more by chance: there the linear tier must not
// contradict the rules. With the meaning tier a stack, a logistic regression over the three
// scores, joins: it finds what each tier alone leaves below its threshold, and in a
// long message it decides. What the rules say plainly in a short message that does not speak
// to its reader, and what they are sure of (24 points), never waits for the encoder. A model's
// classifier may run beside all of it (package turn): it adds and never takes back.
//
// Of a message of 25 to 80 words the rules are held against words and meaning where their finding has less than twice the
// threshold and both others plainly see none: then it is no sign, or an intervention is a check-in; in fewer words the
// others have little to go by: “help me” lies near nothing. A poisoning, an overdose, somebody missing and an emergency of the body are excepted: those the others have
// not learnt. Of posts about stress 0.050 instead of 0.058 are asked about by it, of the statements' tricky rest 0.05 and
// 0.01 instead of 0.08 and 0.04, and nobody in danger less (judged, varied, clinic, notes, rounds, plain, orders).
//
// Who comforts uses the words of those who suffer. In English a second regression, learnt
// from a forum's people, weighs the tiers and how much a message speaks of its writer and to
// its reader. Where it sees somebody who comforts, an intervention for the writer's own life
// becomes a check-in, in a message that is long or speaks to its reader. What the rules are
// sure of stands, and so does what the meaning tier alone finds: a farewell speaks to its
// reader, too. With twice their threshold the rules are never less than a check-in.
//
// Danger of which somebody else tells ("my patient just said …") has rules of its own
// (about: other) and a text of its own: what to do now for that person. Whether the writer
// is close to them or a professional decides which. Who is missed has another, and so has who
// ran away. Of a writer who is a parent (Checker.OfChild) “she” is the child.
//
// # The kinds of danger
//
// Rules, the meaning tier's kinds and the model's question have the same categories (Categories). Screens, exports
// and `holdpoint bench safety` call them by Category.Word. Each names a reviewed text and the lines of help that come
// first, for who writes; who tells of another person or of one in their care gets a text of that. Of an overdose both
// say first to call, however well who took it seems.
//
//	category        word on screens    sum  first help
//	intent, plan    suicide            1    crisis lines
//	means           suicide            1    crisis lines, poison line
//	self_harm       self-harm          1    crisis lines, poison line
//	overdose        overdose           1    emergency number, poison line, crisis lines
//	harm_others     harm to others     2    crisis lines
//	abuse           abuse              3    abuse lines
//	child_abuse     a child in danger  3    lines for children; who tells of it is told how to pass it on
//	voices          voices             4    crisis lines
//	poisoned        poisoning          4    poison line, the same text for everybody
//	missing_person  somebody missing   4    lines for children, of grown-ups crisis lines
//	medical         medical emergency  4    emergency number and no line, the same text for everybody
//	unresponsive    medical emergency  4    emergency number, then poison line, the same text for everybody
//
// Weights of the same sum add up; danger of which somebody else tells has a sum of its own. Overdose is no rule's: what
// the rules find of the writer's own life, or another's, becomes one where the means were swallowed (swallowed.go), and
// poisoned where it was by mistake; either of somebody else who cannot be woken, breathes badly or has a fit is unresponsive. The meaning tier has learnt no kind for overdose, poisoned, missing_person and
// medical: there the rules and the model say it.
//
// # Emergencies of the body
//
// rules/body.yaml and rules/fr/body.yaml hold signs that make an emergency
// together, in any order: a limb that is weak and speech that fails, a swollen
// face after food. They read up to 40 words. Of a longer message each sentence is
// read alone and with its neighbours (amid.go); where it tells of an overdose,
// a poisoning, the body or somebody missing, that decides the category. What is
// over, treated, denied or asked in general (body_calm, corps_calme) is no sign.
//
// rules/found.yaml and rules/fr/found.yaml hold who is found hanging, drowned, in a fit, grey or on the floor.
//
// rules/grave.yaml and rules/fr/grave.yaml do the same for danger that is told in
// passing: what was injected, bought or left behind, air and plants that poison.
// A heap, a remedy and a verb that says it is done make an overdose in some thirty
// languages (rules/more/taken.yaml). Scripts without spaces are cut at the longest
// words that the rules know.
//
// # What it promises
//
//   - The same text gives the same assessment: no model server, network or state; a clock only
//     where the encoder takes too long and its tier is left out.
//   - It never panics, whatever the bytes are, and takes a few milliseconds at most for a
//     message of 2 kB.
//   - Every alarm can be explained: the cues that counted with rule, weight and place, the
//     phrases that weighed most.
//   - The words of an answer come from intervention.yaml and lines.yaml only.
//
// # What it does not promise
//
// It is no diagnosis and no proof of safety. It misses people, above all those who tell of
// their distress without a word about death or harm, and it stops some who comfort others.
// Rules and words read English and French; of other languages the rules know the plainest words,
// and the rest is left to the meaning tier and the model's classifier.
//
// # How it decides
//
// A message is normalised (NFKC, zero-width characters, look-alike letters,
// digits for letters, letters spelled one by one, misspellings, slang) and cut
// into sentences and clauses. Rules are word patterns over that. Negation in
// front of a cue or in its gap cancels it, the past lowers its weight (what is
// over lowers it more), quoted and reported words don't count unless they are
// the writer's own, nor does a cue whose nearest person is somebody else; idioms
// are listed with the rule they would trip, or in #idiom for all. In a message of 4 to 24 words where no cue counts an
// idiom quiets what the other tiers would ask about, too, and so does what nobody needs to be asked about (routine.go).
// What is said harmlessly with the words of danger (rules/told/aside.yaml: “denies suicidal thoughts”, “I died twice on the
// last level”) is left out and the rest read once more; unless the whole plainly means danger, no more is asked than of the rest.
// A rule with lesson: true says nothing where the message is for an exam or a lecture (#lesson). One with most: check_in (rules/bleak.yaml)
// asks and stops nothing, whatever it weighs: its points join no sum, style and support count nothing for it, weaker cues in its words
// become supporting ones, and where the other tiers would stop the turn, what is left of the message without its words has to. The weights of intent, plan, means
// and self_harm add up within passages of about 220 words that overlap by half;
// harm_others and abuse stand alone. Style cues for the passage raise the bar for
// advice and comfort and for denial or recovery, and lower it for the writer's
// own story.
//
// Beside the narrow rules stands a broad lexicon of plain first-person words of
// danger. It adds only what narrower rules left unweighed, so that nothing is
// counted twice.
//
// What a message is about counts, too: an essay, a form with negative findings, years ago
// take points away.
//
// What may be swallowed has its names in rules/names, which every language's rules read (@medicine, #product). Long ones
// are put right where two letters are wrong.
//
// # How rules are reviewed
//
// rules/*.yaml are the artefact to review: each rule has an id, a category, a
// reason in one line and its weight; self.yaml explains the pattern language.
// A change comes with a sentence in the tests that needed it and with the
// figures below measured again. Phrases are generic; no message of any data set
// is copied into them.
//
// # Measured together
//
// On people whom no tier has seen, by `holdpoint bench safety --train` (five folds by
// person; the stack's thresholds are chosen on the other folds, each tier's own on all). The
// rules have seen all of these files and judge each person without the words that nobody else
// meets, which is hard on them: their own figure stands in brackets. Interventions, then either level.
//
//	                                   rules [as they are]  rules and words  with meaning
//	forum, people in crisis (146)      0.88 [0.93]          0.86 0.97        0.86 0.98
//	forum, people who comfort (49)     0.35 [0.41]          0.39 0.80        0.37 0.82
//	statements, English, crisis (100)  0.38 [0.88]          0.53 0.75        0.74 0.93
//	statements, English, rest (140)    0.04 [0.04]          0.04 0.06        0.04 0.10
//	statements, French, crisis (100)   0.20 [0.81]          0.57 0.83        0.75 0.93
//	statements, French, rest (140)     0.01 [0.01]          0.03 0.14        0.01 0.20
//	ordinary questions (370)           0.00 [0.00]          0.00 0.00        0.00 0.01
//	posts of stressed people (2,838)   0.05 [0.06]          0.04 0.06        0.04 0.06
//
// What the lessons weigh was chosen among ten trials by this table and by everyday
// messages, and how who comforts is told from who suffers among some twenty, so its figures
// are a little too good. For the latter the share of posts that training may ask about was
// raised by 0.002, in sight of this table.
//
// The weights in the program are those of this table. Since then rules were added for danger in
// a few words and for plain words of other languages; training anew with them gave 0.86 and 0.96
// on the forum, 0.41 and 0.76 of those who comfort, and within 0.02 the same elsewhere: two or
// three people more or less, so the older weights stay.
//
// testdata/judged-en.jsonl and judged-fr.jsonl have 306 statements by a writer who saw none of
// these files. Nothing is learnt from them. Each trial was judged on them, and one way to tell
// who comforts from who suffers was dropped because it lost one of these people: for that they
// are no longer quite unseen. English, 90 in crisis and 80 not: either level 0.92 and 0.16,
// interventions 0.70 and 0.08. French, 72 and 64: 0.92 and 0.13, 0.75 and 0.03. Before there
// were lessons it was 0.84 and 0.26, 0.49 and 0.08 in English, 0.86 and 0.22, 0.46 and 0.05 in
// French.
//
// In eight languages of which nothing was learnt (es de it pt nl pl tr ar; 20 sentences each,
// written for the test) either level hears 0.80 and alarms on 0.06, interventions 0.51 and 0.01.
//
// # Short messages
//
// A few words of ordinary family talk ("my daughter won't do her homework") lie close to what
// people in danger write. Where the rules find nothing in a message of 4 to 24 words, the
// meaning tier alone decides: a head that has learnt ordinary short talk, how much nearer the
// message lies to written statements of danger than to ordinary ones (near.bin: a bit for each
// value of their vectors, less their middle), and the linear tier's score, added up. The words
// alone raise nothing there. Its two thresholds, English and French, are those that ask about
// 0.05 and 0.09 (0.08 for the figures below) of ordinary talk from which nothing is learnt (lessons/written-short-measure…); how much
// each part weighs was chosen on lessons by folds of topics. A few words are seldom enough to
// interrupt.
//
// testdata/short-ordinary and short-veiled were written before any of it, by the writer of the
// lessons, who saw them: ordinary talk of teenagers, parents, clinicians and analysts (80 English,
// 69 French) and danger without a word of death (73 and 72). talk-seen has ordinary talk that two
// people who tried the companion wrote and that was asked about or interrupted, talk has 50
// sentences of the same kinds (who writes, where, since when, what was tried; thanks and leave;
// ages; consent) that were written before lessons of these kinds (written-short-talk). Either level
// and interventions, with one head for all, with a reading of 4 to 16 words, and now:
//
//	                              one head   16 words   24 words   now
//	ordinary, English             0.18 0.01  0.15 0.00  0.11 0.00  0.14 0.00
//	ordinary, French              0.20 0.03  0.16 0.00  0.14 0.00  0.17 0.00
//	veiled danger, English        0.63 0.16  0.71 0.27  0.68 0.16  0.71 0.23
//	veiled danger, French         0.63 0.25  0.63 0.22  0.64 0.26  0.60 0.19
//	talk, of which 32 were seen             1.00 0.09  0.38 0.03  0.34 0.06
//	talk, 50 unseen                          0.40 0.04  0.10 0.00  0.08 0.00
//	judged-en, 90 in crisis                  0.92 0.70  0.93 0.72  0.94 0.74
//	judged-en, the rest                      0.16 0.07  0.16 0.07  0.17 0.07
//	judged-fr, 72 in crisis                  0.92 0.76  0.94 0.86  0.93 0.78
//	judged-fr, the rest                      0.12 0.03  0.20 0.02  0.16 0.02
//	orders, English, 40 with danger                     0.90 0.60  0.90 0.70
//	orders, English, 90 without                         0.08 0.02  0.08 0.02
//	orders, French, 40 with danger                      0.88 0.68  0.85 0.68
//	orders, French, 90 without                          0.09 0.02  0.04 0.01
//
// Orders are what clinicians and analysts have the program do ("Write a care note: …", "Kill the
// job"). Those of the table (testdata/orders-en, orders-fr) were written by somebody who saw neither
// rules nor lessons. Of 151 that were chosen to be hard and looked at while the rules for notes were
// narrowed and lessons of orders were written (written-short-orders, written-short-danger-orders),
// 0.28 were asked about and 0.06 interrupted before, and 0.16 and 0.01 now: a figure on what was seen.
//
// Plain statements ("j'ai envie d'en finir", "my dad beats me", "my son hears voices") are what comes to
// mind first: 217 of them, put down one after the other, were heard in 0.90 of the English and 0.73 of the
// French; rules/plain.yaml, rules/fr/plain.yaml and lessons (written-short-plain, written-short-danger-plain)
// came of it. On testdata/plain-en and plain-fr, by a writer who saw neither, 88 and 90 with danger and 89 and 87 without
// in English and French: 0.82 and 0.04 before, then 0.88 and 0.02 in English; 0.81 and 0.08, then 0.86 and 0.06 in
// French. What was missed there was mended afterwards, so that they say 0.99 and 0.98 now, of what was seen.
// A message of fewer than 4 words means nothing by itself: a greeting lies anywhere.
//
// Then nearer statements were made to count more (nearSharp 26 for 14, each at most by mostNear), statements of more kinds joined
// (written-short-kinds, written-short-danger-kinds), and the thresholds of short messages were chosen anew: they ask about
// mostEnglishRest and mostFrenchRest of what stands in files that are not learnt. By folds of files the same share of danger is heard
// in English at 0.15 instead of 0.19 of the rest, and 0.72 instead of 0.67 at 0.20 in French. On varied-en, varied-fr either level
// hears 0.90 and 0.88 and asks about 0.16 and 0.15 (before 0.90, 0.87, 0.17, 0.13); short-ordinary-en 0.04 instead of 0.13,
// short-veiled-fr 0.58 instead of 0.53. Of 120 harmless sentences put away, with the words of danger, 0.12 and 0.07 are asked about
// instead of 0.25 and 0.20, with what is left out of them (aside.yaml), and of 60 dangerous neighbours as many are heard.
//
// Of people of many kinds (children, lorry drivers, nurses, exiles; 4 to 60 words, half of the rest chosen to be hard) two writers
// who saw nothing of this wrote 1,853 and 480 messages. Of a third of the first, from which nothing was mended (testdata/varied-en,
// varied-fr), either level hears 0.89 and 0.86 and asks about 0.17 and 0.14 of the rest, in English and French (two of varied-fr were looked at since, and one rule made narrower by them); of the second's it heard
// 0.88 and 0.76 (medical emergencies among them) and asked about 0.10 and 0.09. What the other two thirds and the second writer's showed was
// mended by rules: 0.98 and 0.92 now, of what was seen, with no alarm more; the third that was not looked at stayed as it was. To learn from
// 1,050 of these messages moved the figures by 0.01 to 0.03 in either direction, so the weights stay: what the encoder does not tell apart,
// more lessons do not.
//
// Of 539 messages that people of a clinic might write (testdata/clinic-seen: injuries, medicines, reports,
// orders; by somebody who saw neither rules nor lessons) 0.88 of the 198 with danger were heard and 0.20 of
// the others asked about, 0.08 interrupted, before broad words in a short message ("my wrist") waited for its meaning, rules
// were narrowed and widened, and lessons written (written-short-clinic, written-short-danger-clinic): 0.96, 0.10 and 0.02
// now, of what was seen. The price was paid in veiled danger in French (short-veiled-fr, 0.60 then 0.57, and 0.53 with
// lessons of relatives' requests and of corrections, written-short-kin, that were stopped or asked about).
//
// In a message that is longer, each sentence is read by itself, too: where the rules and its meaning both take it
// for danger, or its meaning plainly does, the message is asked about. 77 dangerous sentences amid up to 100
// ordinary ones were heard in 0.29 before and are in 0.92; of posts about stress not one more is. What is
// veiled is not heard there: of 40 long messages, of a writer who saw nothing of this, that hid a hint amid
// 40 to 250 words, 11 were, and 7 of 80 ordinary ones were asked about. There the model's question is what helps.
//
// The same writer's 300 short messages and notes (testdata/notes-en, notes-fr; with poisonings, gas, neglect of old
// people and the short forms of wards) were heard in 0.85 and 0.77 of 60 each, 0.14 and 0.09 of 90 asked about, in
// English and French; then the short forms got rules (plain.note_…, fr.plain.note_…): 0.95 and 0.93, of what was seen.
//
// Of a note about somebody (several sentences, none to its reader, hardly one about its writer) each sentence is read by itself, and
// its danger is the note's: eleven dangerous sentences amid twelve ordinary ones of a clinic's were heard in 0.36 at their level
// before and in 1.00 since, of what was seen; posts about stress are interrupted in 0.043 instead of 0.040. What did not help: a
// short message without a word of peril in which no rule finds anything only to be asked about cost 0.11 of the interventions of
// varied-en and 0.15 of varied-fr, for 10 of 32 ordinary stories that were written to have the shape of a report.
//
// That a short message has up to 24 words, and the share of the thresholds (0.07, then 0.09
// before), were chosen in sight of this table: its figures are a little too good. On 100 dangerous and 111
// ordinary but dark sentences of another writer, looked at beside it, either level heard 0.92
// and now 0.89, and asked about 0.24 and now 0.27. Training anew, all weights with it, was not
// done: the older weights for longer messages stay. What did not help: learning the same lessons
// with the one head for all messages (ordinary 0.05, but veiled danger 0.50), a head with a hidden
// layer, and the nearest statements without a head.
//
// Of 100 messages with danger and 100 without, of patients, relatives and nurses (testdata/everybody-en, everybody-fr: 60 and 40 of each), written
// before the rules were looked at, 0.917 and 0.950 were heard and 0.067 and 0.050 asked about at first; then the kinds that were missed got rules
// (rules/signs.yaml), of which 39 more messages in other words were heard in 0.62 before and in 0.95 since. To learn from 435 more statements of
// everyday mishaps and veiled danger moved varied-en along its curve (0.883 and 0.151, or 0.910 and 0.163 with thresholds chosen anew): not done.
//
// # What was written to learn from
//
// lessons/written-en.jsonl and written-fr.jsonl have 1,718 and 935 statements, with and without
// danger, that were written for this: nobody's words. Each weighs less than one of the shared
// files. written-short-ordinary and written-short-danger have 846 and 164 more in both
// languages, for short messages only, by topic; written-short-talk and written-short-danger-talk
// have some 500 more, put together of what is said, by whom, where and since when.
// written-short-orders and written-short-danger-orders have 468 orders put together likewise, 76 of
// them only to set the thresholds; written-short-plain and written-short-danger-plain have 208 plain ones,
// 20 of them only for that.
//
// # The rules of the writer's own danger, measured alone
//
// Figures of the rules for a forum, before the rules for statements and reports joined
// them, with go test -run TestMeasured -v on the 250 people of the Reddit C-SSRS
// development sample (Gaur et al. 2019, CC BY 4.0; 146 labelled crisis, 49 who comfort
// others) and 375 ordinary questions to counsellors (counsel-chat, MIT). An alarm on any
// message is one for the person.
//
//	                                     as they are   left one out
//	people in crisis who raise an alarm        0.932          0.877
//	people who comfort and raise an alarm      0.367          0.347
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
// Of 95 sentences that tell of an overdose, a poisoning or a call from the tracks, in both languages (half put away), the half
// that was not looked at was heard in 0.77 before there were names and in 0.95 since; of 43 and 24 more, written afterwards, 0.81
// and 0.75 at first, and of 44 harmless ones none was asked about by these rules. Of 150 harmless but tricky English messages the half put away is asked about in 0.17, as
// before in 0.20, the half that was mended by in 0.14 instead of 0.21; of 40 longer ones it was 0.17 and is 0.13 of the half
// put away. What did not help: lists of what is everyday (laughter, tasks, pastimes, ends that are well) beside a wide list of
// words of peril, which lost three in danger for each harmless one; a linear tier that has learnt the lessons for short messages,
// and these 250 messages among the nearest statements, which moved nothing on what nobody has seen.
//
// Of 160 messages of relatives, clinicians and wards by a writer who had not read the rules (half dangerous, half ordinary but
// tricky), the half from which nothing was mended (testdata/rounds-en, rounds-fr) was heard in 0.95 of 20 each and asked about in 0.10
// of 20, in English and French; with what the other half (rounds-seen) and known misses showed it is 0.95 and 0.05.
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

package companion

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	orderedmap "github.com/wk8/go-ordered-map/v2"
	"go.yaml.in/yaml/v3"

	"holdpoint/engine/lazyregexp"
	"holdpoint/engine/model"
	"holdpoint/engine/safety"
	"holdpoint/engine/text"
	"holdpoint/engine/turn"
)

// Question is one that is asked before advice.
type Question struct {
	ID         string
	Onboarding bool
	Choices    []Choice
}

// Choice is an answer to choose.
type Choice struct {
	ID  string `yaml:"id"`
	Say string `yaml:"say"`
	// From and To are the ages of a bracket, in years; zero for other choices.
	From int `yaml:"from"`
	To   int `yaml:"to"`
	// Also are other words for it.
	Also []string `yaml:"-"`
}

// elsewhere is the choice of a region that no help lines are known for; unknown is what an
// extraction says of a question that the message does not answer.
const elsewhere, unknown = "elsewhere", "unknown"

// Questions that code goes by.
const regionID, ageID = "region", "age"

// readQuestions reads context_questions and puts what people read of them among the texts.
func readQuestions(files fs.FS, words *text.Files) (map[string][]Question, error) {
	out := map[string][]Question{}
	for _, language := range languages {
		name := "context_questions/" + strings.ToUpper(language) + ".yaml"
		body, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("companion: %w", err)
		}
		var file struct {
			Questions []struct {
				ID         string `yaml:"id"`
				Onboarding bool   `yaml:"onboarding"`
				ChoicesOf  string `yaml:"choices_of"`
				// Also are other words for a choice, by its id.
				Also    map[string][]string `yaml:"also"`
				Ask     map[string]string   `yaml:"ask"`
				Choices []Choice            `yaml:"choices"`
			} `yaml:"questions"`
		}
		d := yaml.NewDecoder(strings.NewReader(string(body)))
		d.KnownFields(true)
		if err := d.Decode(&file); err != nil {
			return nil, fmt.Errorf("companion: %s: %w", name, err)
		}
		for _, q := range file.Questions {
			own := Question{q.ID, q.Onboarding, q.Choices}
			if q.ChoicesOf == "regions" {
				own.Choices = regions(language)
			}
			for id, also := range q.Also {
				at := slices.IndexFunc(own.Choices, func(x Choice) bool { return x.ID == id })
				if at < 0 {
					return nil, fmt.Errorf("companion: %s: %s has no choice %q", name, q.ID, id)
				}
				own.Choices[at].Also = also
			}
			for _, audience := range audiences {
				if err := words.Add(audience, language, "question."+q.ID, q.Ask[audience]); err != nil {
					return nil, fmt.Errorf("%w (%s)", err, name)
				}
			}
			out[language] = append(out[language], own)
		}
	}
	same := func(a, b Question) bool {
		return a.ID == b.ID && a.Onboarding == b.Onboarding && slices.EqualFunc(a.Choices, b.Choices, func(x, y Choice) bool { return x.ID == y.ID && x.From == y.From && x.To == y.To })
	}
	first := out[languages[0]]
	for _, language := range languages {
		if len(first) == 0 || !slices.EqualFunc(first, out[language], same) {
			return nil, errors.New("companion: context_questions ask for different things in different languages")
		}
	}
	return out, nil
}

func regions(language string) (out []Choice) {
	for _, r := range safety.RegionNames(safety.Language(language)) {
		if r.Code != safety.International {
			out = append(out, Choice{ID: r.Code, Say: r.Name})
		}
	}
	for _, l := range tongues {
		if l.code == language {
			out = append(out, Choice{ID: elsewhere, Say: l.elsewhere})
		}
	}
	return out
}

// open are the questions that nobody has to be asked any more for; those that were asked
// twice are let be.
func (c Conversation) open(questions []Question) (out []Question) {
	for _, q := range questions {
		if _, ok := c.Answers[q.ID]; !ok && !c.Skipped[q.ID] && c.Asked[q.ID] < 2 {
			out = append(out, q)
		}
	}
	return out
}

// howLong are words that say since when something is so, as plainWords has them; howLongAlone do where little else is said.
var (
	howLong = lazyregexp.New(`\b(?:since|sinse|sins|depuis|depui|dpuis|dpui|ago|il y a|long(?:ue)?s? (?:time|tps|moment)|(?:a|good|little) while|long ?temps|l(?:on)?g?t(?:em|m)?ps|forever|started|began|commence|rentree|` +
		`for (?:ages|years|months|weeks|days|long|so long|too long)|(?:all|whole|entire|toute) (?:(?:of )?my |ma )?(?:life|vie)|(?:last|this|cette?|l'?) ?(?:year|month|week|summer|winter|autumn|fall|spring|christmas|term|annee|ete|hiver)|(?:year|month|week|annee|an|mois|semaine|ete|hiver|noel|trimestre) (?:dernier|derniere|passee?)|` +
		`(?:\d+|an?|one|two|three|four|five|six|several|many|some|few|couple of|une?|deux|trois|quatre|cinq|quelques|qq|qlq|plusieurs|pls|bcp de) (?:years?|yrs?|months?|mths?|weeks?|wks?|days?|ans?|annees?|mois|semaines?|sem|jours?))\b`)
	howLongAlone = lazyregexp.New(`\b(?:always|ever|ages|long|while|years|months|weeks|days|recent(?:ly)?|lately|yesterday|today|toujours|tjrs?|tjs|recemment|hier|aujourd'?hui|moment|annees|mois|semaines|jours|peu|noel|christmas|birth|naissance|bail|perpet|maternelle|primaire)\b`)
)

// shortReply is how many words a reply has that say only since when.
const shortReply = 4

// inOwnWords says that a reply answers a question in words that name none of its choices: where it has some, words of time, or
// what was said again. What the law goes by, a country or an age, is asked.
func (q Question) inOwnWords(message string, again bool) bool {
	switch plain, n := plainWords(message), len(strings.Fields(message)); {
	case !lettered(message) || q.Onboarding:
		return false
	case q.Choices == nil || howLong.MatchString(plain):
		return true
	default:
		return n <= shortReply && howLongAlone.MatchString(plain) && !another.MatchString(plain) || again && n <= mostOrder
	}
}

// share is how much of the questions is answered.
func (c *companion) share(talk Conversation, language string) float64 {
	all := c.questions[language]
	n := 0
	for _, q := range all {
		if _, ok := talk.Answers[q.ID]; ok {
			n++
		}
	}
	return float64(n) / float64(len(all))
}

// answersSchema is that of what a message answers: a member for each question; those with
// choices have them as an enum.
func answersSchema(questions []Question, extra []string) json.RawMessage {
	properties := orderedmap.New[string, any]()
	required := []string{}
	short := func(most int) any { return map[string]any{"type": "string", "maxLength": most} }
	add := func(id string, answer any) {
		own := orderedmap.New[string, any]()
		own.Set("quote", short(300))
		own.Set("reasoning", short(160))
		own.Set("answer", answer)
		own.Set("confidence", map[string]any{"type": "number", "minimum": 0, "maximum": 1})
		properties.Set(id, map[string]any{"type": "object", "properties": own, "required": []string{"quote", "reasoning", "answer", "confidence"}, "additionalProperties": false})
		required = append(required, id)
	}
	for _, q := range questions {
		if q.Choices == nil {
			add(q.ID, short(300))
			continue
		}
		ids := []string{unknown}
		for _, c := range q.Choices {
			ids = append(ids, c.ID)
		}
		add(q.ID, map[string]any{"type": "string", "enum": ids})
	}
	for i := range extra {
		add(extraID(i), short(300))
	}
	return model.JSON(struct {
		Title      string                              `json:"title"`
		Type       string                              `json:"type"`
		Properties *orderedmap.OrderedMap[string, any] `json:"properties"`
		Required   []string                            `json:"required"`
		Additional bool                                `json:"additionalProperties"`
	}{"ContextAnswers", "object", properties, required, false})
}

func extraID(i int) string { return extraPrefix + strconv.Itoa(i+1) }

const extraPrefix = "extra_"

func isExtra(id string) bool { return strings.HasPrefix(id, extraPrefix) }

// certain is the least confidence that an answer is taken with.
const certain = 0.7

// explicit are the answers in a model's extraction that count: sure enough, and with words
// that the message really has.
func explicit(raw json.RawMessage, message, turnID string) (map[string]Answer, error) {
	var all map[string]struct {
		Quote, Reasoning, Answer string
		Confidence               float64
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("%w: the answers cannot be read", model.ErrBroken)
	}
	out := map[string]Answer{}
	for id, a := range all {
		quote := plainWords(a.Quote)
		if a.Confidence < certain || quote == "" || !strings.Contains(plainWords(turn.TagSafe(message)), quote) || plainWords(a.Answer) == unknown || strings.TrimSpace(a.Answer) == "" {
			continue
		}
		out[id] = Answer{Value: model.OneLine(asTyped(a.Answer, message), 300), Quote: model.OneLine(asTyped(a.Quote, message), 300), Reasoning: model.OneLine(a.Reasoning, 160), Confidence: a.Confidence, Turn: turnID}
	}
	return out, nil
}

// asTyped writes “</3” as somebody typed it, which a model reads as TagSafe has it.
func asTyped(words, message string) string {
	if strings.Contains(message, "< /") {
		return words
	}
	return strings.NewReplacer("<\u200a/", "</", "< /", "</").Replace(words)
}

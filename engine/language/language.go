// Package language tells languages apart by their scripts and by the words that stand in
// nearly every sentence. It is made for passages and messages, not for single words: what
// says nothing of its language gets none.
package language

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/abadojack/whatlanggo"
)

// common are the words of each language that stand in nearly every sentence. They tell
// languages apart, and say nothing of what a text is about.
var common = func() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for language, words := range map[string]string{
		"en": "a an and are as at be been being but by can could did do does for from had has have having he her his how i if in into is it its may might must my no nor not of on or our shall she should so such than that the their them then there these they this those to was we were what when where which while who whom why will with would you your",
		"de": "aber als am an auch auf aus bei bin bis das dass dem den der des die durch ein eine einem einen einer eines er es für hat haben hatte ich ihr im in ist kann mit nach nicht noch nur oder sein seine sich sie sind so über um und von vor war waren was wenn werden wie wir wird wurde wurden zu zum zur zwischen mir mich mein meine meinen meiner du dich dir dein uns unser kein keine immer sehr warum habe will weil",
		"fr": "à au aux avec ce ces cette d dans de des du elle en est et être eu il ils je l la le les leur leurs lui mais me mes n ne nous on ont ou où par pas plus pour qu que qui s sa sans se ses son sont sur un une vous y était été tu te toi moi suis es ai ça mon ma ton ta tes quand comme si tout très rien pourquoi quoi",
		"es": "a al como con cuando de del desde el ella en entre era es esta este fue fueron ha han hay la las le les lo los más no o para pero por que se ser si sin sobre son su sus también un una y ya me mi mis te ti tu tus tú yo estoy estás está estamos soy eres tengo tiene tienes muy porque qué sé quiero quiere puedo puede nadie nada todo todos hacer ese esa eso esto había siento solo sola",
		"it": "a ai al alla anche che chi ci come con da dal dalla dei del della delle di e è ed gli ha hanno i il in io l la le lo ma nel nella non o per più quando questa questo se si sono su sul tra un una uno mi mio mia miei mie ti tu tuo tua te sei siamo ho hai molto perché voglio posso può niente nessuno tutto tutti sempre sento riesco",
		"pt": "a ao aos as com como da das de do dos e é ela ele em entre era essa esse esta este foi foram há isso já mais mas na não nas no nos o os ou para pela pelo por que se sem ser seu sua são também um uma me meu minha meus minhas te tu teu eu você estou está estão sou tenho tem muito porque quero posso ninguém nada tudo todos sinto consigo",
		"nl": "aan al als bij dan dat de der die dit door een en er had heeft het hij hoe ik in is je kan maar me met mijn naar niet nog nu of om onder ook op over te tot uit van voor was we wel werd worden wordt ze zich zijn mij jij jou jouw bent heb hebt wil wij ons onze niemand altijd heel veel waarom geen",
		"sv": "av att de den det du efter eller en ett för från han har hon i inte jag kan kunde med men mot ni när och om på sig sin som så till under upp ut var vid vi är över mig min mina mitt dig din mycket ingen alltid varför vill",
		"da": "af at blev de den der det du efter eller en er et for fra han har hun i ikke jeg kan med men mod når og om op over på sig sin skal som så til ud under var ved vi vil mig min mine mit dig din ingen altid hvorfor meget",
		"no": "av at ble de den der det du etter eller en er et for fra han har hun i ikke jeg kan med men mot når og om opp over på seg sin skal som så til under ut var ved vi vil være meg min mine mitt deg din ingen alltid hvorfor mye",
		"fi": "ei että en he hän ja jo joka jos kanssa kuin kun me mikä mitä mutta myös ne niin nyt ole oli olla on ovat se sekä sen siitä sitä tai tämä vain voi minä minua minun minulla sinä olen olet miksi",
		"hu": "a az egy és hogy nem is volt van de ez azt csak ha már még mert meg mint minden el ki lehet vagy volna után nagyon kell ezt lesz én engem nekem vagyok miért nincs mindig",
		"ro": "a al ale am ar au ca care ce cu da de din este fi fost în întrucât la lui mai nu o pe pentru prin sau se sunt să și un una unei unui mi mă mei mea meu eu tu îmi foarte nimeni mereu pot",
		"tr": "ama bir bu da daha de değil en gibi her için ile ise kadar mi ne o olan olarak sonra şu ve veya ya çok ben beni benim bana sen hiç neden",
		"pl": "aby ale co czy dla do gdy go i ich ja jak jest już je jego jej każdy kiedy który mnie może mi na nie o od po przez przy są się ten to tu tylko w we z za że żeby jestem mam był była być mój moja moje moi mną bardzo dlaczego chcę mogę nikt nic wszystko",
		"vi": "anh bị các cho chị có của cũng đã đang để đi được em không là làm một mà này người nhưng những ở rất sẽ thì tôi trong và vào với",
		"id": "ada akan aku anda atau bisa dalam dan dari dengan di dia ini itu juga kami karena ke kita lagi mereka pada saya sudah tidak untuk yang",
		"sw": "au hii huu hiyo kama katika kuwa kwa kwamba la lakini mimi na ni nina sana si sina ya yake yangu wa wangu wako za",
		"ru": "а без был была были было быть в во все для до его ее если есть же за и из или их к как когда ко который ли мы на не но о об он она они от по при с со так также то у что это я мне меня мой моя мои ты очень почему никто",
	} {
		out[language] = map[string]bool{}
		for _, w := range strings.Fields(words) {
			out[language][w] = true
		}
	}
	return out
}()

// ordinary are words of English texts that are among the most frequent ones of another language:
// “men die over time” has none of English's own and three of Dutch and Danish. They are no sign
// against English. The others are English's next frequent ones, which are in none of the lists.
var ordinary = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields("about after al all also am among any because before ben between both care ci come con die door during each et few go hat here ie just many men met min mine more most non only other out over para per plus pour sale score some son sur te ten through ti tu under until up us van very war women") {
		out[w] = true
	}
	return out
}()

// Common says whether a word, in small letters, is one of a language's most frequent.
func Common(language, word string) bool { return common[language][word] }

// Tally counts what words say of their language. The zero value has seen none.
type Tally struct {
	words           int
	counts, scripts map[string]int
	labels          map[string]bool // consonants that stood alone
	text            strings.Builder // the first words
}

// Count is how many of the words are among a language's most frequent.
func (t *Tally) Count(language string) int { return t.counts[language] }

// looked is how many bytes of the words are compared by their letters.
const looked = 2 << 10

// Add counts a word, in small letters; of scripts without blanks, a few characters.
func (t *Tally) Add(word string) {
	if t.counts == nil {
		t.counts, t.scripts, t.labels = map[string]int{}, map[string]int{}, map[string]bool{}
	}
	t.words++
	if t.text.Len() < looked {
		t.text.WriteString(word + " ")
	}
	r, _ := utf8.DecodeRuneInString(word)
	switch {
	case r < 0x300:
	case unicode.Is(unicode.Hiragana, r) || unicode.Is(unicode.Katakana, r):
		t.scripts["ja"] += 3 // Japanese has many Chinese characters, Chinese none of these
	case unicode.Is(unicode.Han, r):
		t.scripts["zh"]++
	case unicode.Is(unicode.Hangul, r):
		t.scripts["ko"]++
	case unicode.Is(unicode.Thai, r):
		t.scripts["th"]++
	case unicode.Is(unicode.Arabic, r):
		t.scripts["ar"]++
	}
	// A consonant that stands alone may be what is left of “n’a”; “n = 8” in every line is not French.
	if len(word) == 1 && !strings.Contains("aeiouy", word) {
		if t.labels[word] {
			return
		}
		t.labels[word] = true
	}
	for language, list := range common {
		if list[word] || language == "en" && ordinary[word] {
			t.counts[language]++
		}
	}
}

// Language is the code (ISO 639-1) of the language that the words have most of: by their
// script where that says it, else by the frequent ones. Languages that have equally many are
// told apart by the letters that follow each other. It is "" when nothing does: a text
// without a sentence is no sign, as names, figures or a title.
func (t *Tally) Language() string {
	var best []string
	most := 0
	for _, of := range []map[string]int{t.scripts, t.counts} {
		for language, n := range of {
			switch {
			case n > most:
				best, most = []string{language}, n
			case n == most:
				best = append(best, language)
			}
		}
	}
	if most*20 < t.words || most < 2 {
		return ""
	}
	return byLetters(best, t.text.String())
}

// Of is the language of words, in small letters, as Tally tells it.
func Of(words []string) string {
	var t Tally
	for _, w := range words {
		t.Add(w)
	}
	return t.Language()
}

// trigrams are the languages that whatlanggo knows of those here: it compares a text's groups
// of three letters with a language's most frequent ones (Cavnar and Trenkle, 1994).
var trigrams = map[string]whatlanggo.Lang{"en": whatlanggo.Eng, "de": whatlanggo.Deu, "fr": whatlanggo.Fra, "es": whatlanggo.Spa, "it": whatlanggo.Ita, "pt": whatlanggo.Por, "nl": whatlanggo.Nld,
	"sv": whatlanggo.Swe, "da": whatlanggo.Dan, "no": whatlanggo.Nob, "fi": whatlanggo.Fin, "hu": whatlanggo.Hun, "ro": whatlanggo.Ron, "tr": whatlanggo.Tur, "pl": whatlanggo.Pol,
	"vi": whatlanggo.Vie, "id": whatlanggo.Ind, "ru": whatlanggo.Rus}

// tellable is how long a text has to be, in bytes, for its letters to tell English from the languages
// beside it. A shorter one that may be English counts as that: most of what is written about medicine is.
const tellable = 40

// beside are the languages whose words look like English ones.
var beside = []string{"da", "de", "nl", "no", "sv"}

// byLetters is the one of some languages that a text looks like.
func byLetters(languages []string, text string) string {
	slices.Sort(languages)
	if len(languages) == 1 {
		return languages[0]
	}
	these := whatlanggo.Options{Whitelist: map[whatlanggo.Lang]bool{}}
	for _, l := range languages {
		if known, ok := trigrams[l]; ok {
			these.Whitelist[known] = true
		}
	}
	if len(these.Whitelist) > 0 {
		found := whatlanggo.DetectWithOptions(text, these).Lang
		for _, l := range languages {
			if known, ok := trigrams[l]; ok && known == found {
				if len(text) < tellable && plain(text) && slices.Contains(beside, l) && slices.Contains(languages, "en") {
					return "en"
				}
				return l
			}
		}
	}
	return languages[0]
}

// plain says that a text has no letter that English has not.
func plain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// Other is the language that words, in small letters, are plainly in where it is not the one that is spoken, as a code of
// ISO 639-1; "" where it is, or nothing says.
func Other(words []string, spoken string) string {
	found := Of(words)
	if found == "" || found == spoken {
		return ""
	}
	own, other := 0, 0
	for _, w := range words {
		if Common(spoken, w) {
			own++
		}
		if Common(found, w) {
			other++
		}
	}
	if (other < 3 || other*2 < own*3) && other+own > 0 { // else by its script
		return ""
	}
	return found
}

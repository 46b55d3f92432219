package turn

import (
	"strings"

	"holdpoint/engine/lazyregexp"
)

// What programs read and write stands for no answer, whatever a model meant by it: a query, a line of a program, a
// value for nothing, a timestamp, a frame without what was to be in it.

var (
	// programText begins what one program asks another.
	programText = lazyregexp.New(`\bSELECT\b[\s\S]{1,400}?\b(?:FROM\s+[\w"\x60\[(]|WHERE\s*\{)|(?m:^[^\pL\pN\n]*SELECT\s+(?:\*|[a-z][\w.]*\s*,\s*[a-z]))|\bINSERT\s+INTO\s+\S|\bUPDATE\s+\S+\s+SET\b|\bDELETE\s+FROM\s+\S|\b(?:CREATE|DROP|ALTER)\s+(?:OR\s+REPLACE\s+)?(?:TEMP(?:ORARY)?\s+)?(?:TABLE|VIEW|INDEX|DATABASE)\s+\S|\bWITH\s+\w+\s+AS\s*\(|` +
		`(?i:\bselect\s+(?:\*|(?:count|sum|max|min|avg)\s*\([^()\n]*\)(?:\s+as\s+\w+)?|distinct\s+[\w.,\s]{1,80}?)\s+from\s+\w)|(?i:\bselect\s+[\w.]+(?:\s*,\s*[\w.]+)*\s+from\s+[\w.]+\s+(?:where\s+[\w.]+\s*(?:=|<|>|!|like\b|in\b|is\b)|order\s+by\b|group\s+by\b|limit\s+\d|(?:(?:left|right|inner|outer)\s+)?join\b))|(?i:^[^\pL\pN]*select\s+[\w.*,\s]{1,80}\s+from\s+[\w.]+[^\pL\pN]*$)|` +
		`(?i:\binsert\s+into\s+\w+\s*(?:\(|values\b)|\bdelete\s+from\s+\w+\s+where\b|\bupdate\s+\w+\s+set\s+\w+\s*=)|` +
		`\bMATCH\s*\(\w*:?\w*[^()\n]*\)[\s\S]{0,200}?\bRETURN\b|(?m:^[^\pL\pN\n]*(?:query|mutation)\b[^\n{]{0,60}\{)|(?m:^PREFIX\s+\w*:\s*<)|` +
		`(?m:^[^\pL\pN\n]*(?:GET|POST|PUT|PATCH|DELETE)\s+(?:https?://\S|/\S|[A-Z]\w+[/?]\S))|(?m:^[^\pL\pN\n]*(?:curl|wget)\s+(?:-|['"]?https?://))|\b[A-Z][A-Za-z]+\?_?[a-z][\w.:-]*=\S|<\?xml\b|(?m:^[ \t]*<[A-Za-z]\w*\s+xmlns=)`)
	// code begins lines of a program. In a block that a sentence explains they may stand.
	code = lazyregexp.New(`(?m:^[ \t>\x60]*(?:import\s+\w+[ \t]*$|from\s+[\w.]+\s+import\s|def\s+\w+\(|#include\s*<|(?:const|let|var)\s+\w+\s*=|console\.log\(|print\())`)
	// programMay stands where one may have begun, at the end of a text that is not whole.
	programMay = lazyregexp.New(`\b(?:SELECT|INSERT\s+INTO|UPDATE\s+\S+\s+SET|DELETE\s+FROM|MATCH\s*\(|(?:CREATE|DROP|ALTER)\s+(?:TABLE|VIEW|INDEX|DATABASE))\b|(?i:\b(?:select|insert|update|delete)\s+\S*\z)|(?i:\bselect\s+(?:[\w.]+\s*,?\s*){1,6}(?:\sfrom\s*(?:[\w.]+\s*(?:\S*)?)?)?\z)|(?i:\b(?:insert\s+into|delete\s+from|update\s+\w+\s+set)\b)|` +
		`(?m:^[^\pL\pN\n]*(?:GET|POST|PUT|PATCH|DELETE|PREFIX|query|mutation|curl|wget|import|from|def|const|let|var)\s+\S*\z)|\b[A-Z][A-Za-z]+\?\S*\z|(?m:^[ \t>\x60]*(?:print|console\.log)\b)|<\??\w*\z`)
	// wantsProgram asks for one.
	wantsProgram = lazyregexp.New(`\b(?:sql|sparql|cypher|graphql|curl|xml|python|javascript)\b|\b(?:a|an|write|your|this|fhir|database|search) (?:\w+ )?quer(?:y|ies)\b|\b(?:une|la|cette|les|écri\w*|donne\w*|rédige\w*) (?:\pL+ )?requêtes?\b|\bscripts?\b|\b(?:source|some|the|my|your|program|example) code\b|\bcode source\b|\b(?:du|le) code\b|\bapi\b`)
	// statement is one of SQL, up to its end.
	statement = lazyregexp.New(`(?i)\b(?:select|insert\s+into|update|delete\s+from|with|create|drop|alter)\b(?:[^;\n]|\n[^\n])*;?`)

	// valueAlone is a text that is only what programs or forms have for nothing, or for yes and no; saidNone is one as a
	// sentence.
	valueAlone = lazyregexp.New(`(?i)^` + noLetters + `(?:(?:answer|reply|response|result|output|value|réponse|résultat|sortie|valeur)` + noLetters + `)?(?:(?:none|null|nul|nil|nan|n/a|n\.a|n/d|undefined|aucune?s?|néant|empty|vide|sans objet|s/o|not applicable|non applicable)` + noLetters + `)+$`)
	saidNone   = lazyregexp.New(`^(?:None|Nil|Aucune?|Néant|Sans objet|Not applicable|Non applicable)\.$`)
	truthAlone = lazyregexp.New(`^[^\pL\pN.]*(?:true|false)[^\pL\pN.]*$`)
	wantsTruth = lazyregexp.New(`\b(?:true|false|vrai|faux)\b`)

	// stampAlone is a text of nothing but timestamps as programs write them, with a name at most; dateAlone is one moment.
	stampAlone = lazyregexp.New(`^` + noLetters + `(?:\w+` + colon + ` ?)?(?:` + noLetters + `\d{4}-\d\d-\d\d[Tt]\d\d:?\d\d(?::?\d\d(?:[.,]\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)?(?:/|` + noLetters + `))+$`)
	dateAlone  = lazyregexp.New(`(?i)^` + noLetters + `(?:(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{4})(?:(?:[ ,]+(?:at |à )?|T)\d\d?[:h]\d\d(?::\d\d)?(?:\.\d+)? ?(?:am|pm|z|utc|gmt|[+-]\d\d:?\d\d)?)?|\d{9,13})` + noLetters + `$`)
	asksHours  = lazyregexp.New(`\bhours\b|\b(?:opening|closing|visiting|office|consultation) times?\b|\b(?:when|what time|until when|how long)\b[^.?!\n]{0,60}\b(?:open|opens|close|closes|closed|shut|reachable|available)\b|\bhoraires?\b|\bheures d'ouverture\b|\b(?:quand|heures?)\b[^.?!\n]{0,60}\b(?:ouvr|ferm|joignable)`)
	wantsStamp = lazyregexp.New(`\btimestamps?\b|\biso\b|\bhorodat`)

	// Lines of a frame: a mark of a list, a heading of a few words, the name of a part.
	markAlone    = lazyregexp.New(`^(?:[-*•‣◦–—+>|=_]+|[-*•+]? ?\[[ xX]?\]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})\)|(?:\d{1,3}|[a-z]|[ivx]{1,4})\.)$`)
	headingAlone = lazyregexp.New(`^#{1,6}(?:\s|$)`)
	partAlone    = lazyregexp.New(`(?i)^[^\pL\pN\n]*(?:(?:known |current |upcoming |patient )?(?:allerg(?:y|ies)|medications?|medicines?|conditions|diagnoses|appointments|visits|opening hours|summary|answer|reply|response|result|notes?)|(?:allergies|médicaments|traitements|antécédents|rendez-vous|horaires|résumé|réponse|résultat|remarques?)(?: connues| en cours)?)[^\pL\pN\n.!]*$`)
	asksNumber   = lazyregexp.New(`\b(?:how (?:many|much|often|old|long)|what (?:number|score|grade|stage|dose)|which|combien|quels?|quelles?)\b`)
)

// noLetters are signs between words, or none.
const noLetters = `[^\pL\pN]*`

// mostOfHeading is how many words a line has at most that is a heading and no sentence.
const mostOfHeading = 5

// unprogrammed is a text up to a query or a program in it, without what leads there. Who asked for one gets it in a
// block of code; what was given may be quoted.
func (p Spoken) unprogrammed(text string) string {
	at := programText.FindStringIndex(text)
	if lines := code.FindStringIndex(text); lines != nil && (at == nil || lines[0] < at[0]) {
		if _, only := onlyFence(strings.TrimSpace(text)); only || strings.Count(text[:lines[0]], "```")%2 == 0 {
			at = lines
		}
	}
	if !p.judges || at == nil || strings.Contains(p.given, plainly(strings.TrimSpace(text[at[0]:at[1]]))) {
		return text
	}
	if wantsProgram.MatchString(p.asked) {
		return blocked(text, at[0])
	}
	before := text[:at[0]]
	if strings.Count(before, "```")%2 == 1 {
		before = before[:strings.LastIndex(before, "```")]
	}
	before = strings.TrimRight(before, " \t\r\n`*_#>-([{\"'“«")
	before = strings.TrimSpace(before[:leading(before, leads)])
	if len(strings.Fields(before)) < leastWords {
		return ""
	}
	return before
}

// blocked puts a statement of SQL that begins a line into a block of code.
func blocked(text string, from int) string {
	at := statement.FindStringIndex(text[from:])
	if at == nil || strings.Count(text[:from], "`")%2 == 1 || strings.Count(text[:from], "```")%2 == 1 {
		return text
	}
	begin, end := from+at[0], from+at[1]
	if line := text[strings.LastIndexByte(text[:begin], '\n')+1 : begin]; strings.TrimSpace(line) != "" && !strings.HasSuffix(strings.TrimSpace(line), ":") {
		return text
	}
	before, after := strings.TrimSpace(text[:begin]), strings.TrimSpace(text[end:])
	if before != "" {
		before += "\n\n"
	}
	if after != "" {
		after = "\n\n" + after
	}
	return before + "```sql\n" + strings.TrimSpace(text[begin:end]) + "\n```" + after
}

// bare says that a text is only a value, a timestamp or a frame, of which nobody who asked can make anything.
func (p Spoken) bare(text string) bool {
	text = strings.TrimSpace(text)
	switch {
	case valueAlone.MatchString(text):
		return !saidNone.MatchString(text)
	case truthAlone.MatchString(text):
		return !wantsTruth.MatchString(p.asked)
	case stampAlone.MatchString(text):
		return !wantsStamp.MatchString(p.asked)
	case dateAlone.MatchString(text):
		return asksHours.MatchString(p.asked)
	case partAlone.MatchString(text):
		return true
	case !strings.Contains(text, "\n") && asksNumber.MatchString(p.asked) && strings.ContainsAny(text, "0123456789") && !headingAlone.MatchString(text):
		return false // "3." counts
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		short := len(strings.Fields(line)) <= mostOfHeading+1 && !strings.ContainsAny(line[max(len(line)-1, 0):], ".!?")
		switch {
		case line == "", markAlone.MatchString(line), headingAlone.MatchString(line) && short, strings.HasSuffix(strings.TrimRight(line, " *_"), ":"):
		default:
			return false
		}
	}
	return true
}

package turn

import (
	"slices"
	"strings"

	"holdpoint/engine/lazyregexp"
)

// What one part of a program hands to another is taken out of a reply, and the sentences beside it stay: members of
// an object on lines of their own, records as YAML, as a table or within a sentence, where a program broke off, a
// tool's name that is only announced, a placeholder that was never filled in.

// resource is a kind of record in the format of records.
const resource = `(?:Patient|Person|Practitioner(?:Role)?|Organization|Location|HealthcareService|Appointment(?:Response)?|Slot|Schedule|Encounter|Condition|Observation|Procedure|AllergyIntolerance|Medication(?:Request|Statement|Dispense|Administration)?|Immunization|DiagnosticReport|ServiceRequest|CarePlan|CareTeam|Communication|DocumentReference|Questionnaire(?:Response)?|Bundle|Composition|RelatedPerson)`

// mixed is a name as programs join words, in any of their ways.
const mixed = `(?:` + identifier + `)`

// toolName is how a tool may be called; other names with capitals within are of products.
const (
	toolName  = `(?:` + snake + `|(?:` + toolVerbs + `)(?:[A-Z][a-z0-9]+)+)`
	toolVerbs = `list|get|find|search|fetch|look[_]?[uU]p|read|add|create|book|cancel|update|delete|remove|query|propose|check|patient|load|save|show|send|set|schedule`
)

var (
	// memberLine is a line of a name in small letters and a value, or an item of such a list.
	memberLine = lazyregexp.New(`^[ \t>*-]*(["'\x60*]*)([a-z][A-Za-z0-9_-]*)["'\x60*]*[ \t]*(?:[:=](?:[ \t]+(.*)|[ \t]*)|=(\S.*))$`)
	// titledLine is such a line as a heading would write its name.
	titledLine = lazyregexp.New(`^[ \t>*-]*\*{0,2}(\p{Lu}[a-z]+(?:[ _][a-z]+)?)\*{0,2}[ \t]*:\*{0,2}[ \t]+([\w -]{1,30})\.?$`)
	itemLine   = lazyregexp.New(`^[ \t]*- \S|^[ \t]{2,}\S|^---$|^\.\.\.$`)
	joined     = lazyregexp.New(`^` + mixed + `$`)

	// Tools that are to be called, or were.
	namesTool  = lazyregexp.New(`\b` + toolName + `\b`)
	callsTool  = lazyregexp.New(`(?i:\b(?:call(?:s|ed|ing)?|invok\w+|runs?|running|ran|us(?:e|es|ed|ing)|execut\w+|trigger\w*|quer(?:y|ied|ying)|requests?|appel\w+|utilis\w+|lanc\w+|interrog\w+|ex[ée]cut\w+|aufruf\w*|rufe|verwend\w*|llam\w+|chiam\w+)\b[^.!?\n]{0,40}?[\x60"'\s(«“])(?-i:` + toolName + `)\b|\b(?-i:` + toolName + `)\b[\x60"'”»)]*(?i: (?:tool|function|api|endpoint|outil|fonction)\b| (?:will|must|should|has to|needs to|is going to|is|was|has been) (?:now |first )?(?:be )?(?:called|run|used|invoked|executed|queried)\b)`)
	plainTool  = lazyregexp.New(`(?i)\b(?:call|calling|use|using|run|running|invoke|invoking|execute|executing|appeler|utiliser|lancer)\b (?:the|a|an|my|this|l'|le|la|une?|mon) ?(?:[\pL'’-]+ ){0,3}?(?:tool|function call|api|endpoint|outil)\b`)
	verbOfTool = lazyregexp.New(`\b(?:` + toolVerbs + `)(?:(?:_[a-z0-9]+)+|(?:[A-Z][a-z0-9]+)+)\b`)
	letKnow    = lazyregexp.New(`(?i)^\W*let me know\b`)

	// broken begins or goes on where a program says where it broke off.
	broken = lazyregexp.New(`^[ \t>]*(?:Traceback \(most recent call last\)|File "[^"\n]*", line \d|During handling of the above exception|The above exception was the direct cause|panic: |fatal error: |goroutine \d+ \[|\[signal SIG|created by [\w./]+|exit status \d+$|Exception in thread|Caused by: [\w.]+|\.\.\. \d+ more$|Unhandled\w* ?\w*(?:Error|Exception|Rejection)|thread '[^'\n]*' panicked|stack backtrace:|note: run with |PHP (?:Fatal|Parse|Warning|Notice)|Stack trace:|#\d+ +(?:0x[0-9a-f]+|/|\{main\})|Segmentation fault|(?:node|internal/)[\w/:.]+:\d+|Node\.js v\d|HTTP/\d(?:\.\d)? \d{3})|` +
		`^[ \t>]*(?:Uncaught )?(?:\(in promise\) )?(?:[A-Za-z_][\w]*[.:]+)*[A-Za-z_]*[a-z](?:Error|Exception|Warning)(?:\b[^\S\n]*(?:\[[^\]\n]*\])?:|$)|` +
		`^[ \t>]*at (?:async |new )?[\w.$<>\[\]/ ]+ ?\([^()\n]*\)|^[ \t>]*at \S+:\d+(?::\d+)?\)?$|^[ \t>]*(?:from )?\S+\.(?:go|py|rb|js|mjs|ts|tsx|java|rs|php|cs|c|cpp|kt|swift):\d+(?::\d+)?(?:[: ].*)?$|^[ \t>]*(?:[\w*]+[./])+[\w.*()]+\((?:0x[0-9a-f]+|\.\.\.|\{|)[^\n]*\)$`)
	// brokenOn goes on only behind such a line.
	brokenOn = lazyregexp.New(`^(?:[ \t]{2,}\S|[ \t]*[\^~]+[ \t]*$|[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit)\b|Error: )`)
	panicked = lazyregexp.New(`^[ \t>]*thread '.*:$`)
	errorAt  = lazyregexp.New(`^[ \t>]*(?:Uncaught )?Error: `)

	// Cells of a table and of lines with commas.
	tableLine = lazyregexp.New(`^[ \t>]*\|.*\|?[ \t]*$|^[^|\n]+\|[^|\n]+(?:\|.*)?$`)
	commaHead = lazyregexp.New(`^"?\w+"?(?:[,;\t] ?"?\w+"?)+$`)
	aResource = lazyregexp.New(`^` + resource + `/[\w.-]+$`)

	// fenceOfData is a block of code that says that it is data.
	fenceOfData = lazyregexp.New("^[ \t]*(?:```|~~~)[ \t]*(?:ya?ml|json\\w*|xml|toml|ini|csv|http|fhir|traceback|stacktrace|pytb|log|console)\\b")

	// unfilled are signs within a sentence that only programs read.
	unfilled = lazyregexp.New(`\bNaN\b|\b(?i:hello|hi|dear|have|has|with|on|at|bonjour|avez) (?:undefined|null|None)\b|\b(?:is|are|est|sont) (?:undefined|null|None)(?:[.,;]|$)|(?:^|\s)%[sd](?:\s|$)|\d-\d\d/P\d|\bP\d+[YMW]\b|\bid: ?[\w-]*\d[\w-]*|\{\w+: [^{}\n]*\}|</?(?:` + resource + `|risk|intent|tone|urgency|acknowledgement|html|body|head|script|div|span)\b[^<>\n]*>|<\w+ value="|\[object [A-Z]\w*\]|\{\{[^{}\n]*\}\}|\$\{[^{}\n]*\}|\{%[^\n]*?%\}|<%[^\n]*?%>|%!\w?\(|<nil>|\b(?:urn:(?:uuid|oid):|P(?:\d+[YMWD]){2,}(?:T(?:\d+[HMS])+)?\b|P(?:\d+[YMWD])*T(?:\d+[HMS])+\b|R\d*/P\d)|(?:^|[\s("'])` + resource + `/[\w.-]*\d[\w.-]*|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\\u[0-9a-f]{4}|<(?:function|object|class) [^<>\n]*>|<[\w.]+ object at 0x[0-9a-f]+>`)
	// programAlone is a text that is only a value in a program's form.
	programAlone = lazyregexp.New(`^[^\pL\pN{}\[]*(?:(?i:duration|period|id|value|result|type|output|durée|valeur)\W+)?(?:P(?:\d+(?:\.\d+)?[YMWD])+(?:T(?:\d+[HMS])+)?|PT(?:\d+(?:\.\d+)?[HMS])+|` + resource + `/[\w.-]+|[A-Z][a-z]+(?:Request|Statement|Intolerance|Role|Report|Reference|Response)|[0-9a-f]{16,}|(?:0x[0-9a-f]+)|[A-Za-z0-9+/]{40,}={0,2}|[1-5]\d\d (?:OK|Created|No Content|Bad Request|Unauthorized|Forbidden|Not Found|Internal Server Error|Service Unavailable)|https?://\S+(?:\|\S+)?)[^\pL\pN]*$`)

	// inARow are members in one line.
	inARow = lazyregexp.New(`^\s*[a-z]\w* ?[=:] ?[\w"]+(?:\s*[;,]\s*[a-z]\w* ?[=:] ?[\w"]+)+[.\s]*$`)

	// JSON within a sentence, in either quotes.
	valuesInJSON = lazyregexp.New(`\[\s*"[^"\n]*"\s*(?:,\s*"[^"\n]*"\s*)*\]|\[\s*'[^'\n]*'\s*(?:,\s*'[^'\n]*'\s*)*\]`)
	keysInJSON   = lazyregexp.New(`["'](\w[^"'\n]{0,60})["']\s*:`)

	// systemLine begins with who gave a model its instructions, or gives them again.
	systemLine = lazyregexp.New(`(?i)^[ \t>*#"\[<|]*(?:system|developer|syst[èe]me)(?:[ _](?:prompt|message|instructions?))?[\]*"|>]{0,4}[ \x{a0}]?:[*"]{0,3}[ \t]*(?:you |your |answer |reply |respond |never |always |do not |don't |be |act |use |follow |the (?:user|person|assistant)|vous |tu |réponds|répondez|ne )`)
	systemHead = lazyregexp.New(`^[ \t*#"\[]*(?:system|developer)(?:[ _](?:prompt|message))?[\]*"]{0,3}:|^[ \t]*\[(?:SYSTEM|SYS)\]`)
	youAre     = lazyregexp.New(`(?i)^\W*(?:you are|your name is|vous êtes|tu es) (?:now )?(?:holdpoint\b|(?:an?|the|une?|l') ?(?:\pL+ ){0,2}(?:assistant|chatbot|navigator|language model|ai)\b)`)

	// wantsData asks for something in the form of programs, or shows such a thing.
	wantsData = lazyregexp.New(`\b(?:json|ya?ml|toml|xml|csv|html|fhir|markdown|schema|raw|payload|data|donn[ée]es|python|javascript|golang|code|regex|command|stack ?trace|traceback|exceptions?|errors?|logs?|tools?|outils?|field names?|fields|identifiers?|identifiants?|ids?|uuid|iso|placeholders?|template|gabarit|variables?)\b|[{\[]\s*["']|\b[a-z]+_[a-z]+\b`)
)

// A block of members is for machines where a name in it is one that only programs use; the others count beside it.
var (
	ownKeys  = words("risk intent tone acknowledgement acknowledgment urgency category signal summary concerns goals preferences narrative openquestions questions crisis confidence sentiment action arguments args parameters params tool function subject resourcetype role score reasoning thought")
	dataKeys = words("id uuid status code coding system display reference meta identifier use period participant actor telecom subject patient type class resource criticality versionid lastupdated text name value start end birthdate gender active entry total intent category reason result output input query limit")
	lone     = words("id uuid resourcetype intent tone acknowledgement acknowledgment urgency risk sentiment identifier meta coding")
	titled   = words("risk intent tone acknowledgement acknowledgment urgency category sentiment confidence")
)

func words(list string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		out[w] = true
	}
	return out
}

// wantsMachines says that the person asked for something in the form of programs, or for a program.
func (p Spoken) wantsMachines() bool {
	return wantsData.MatchString(p.asked) || wantsProgram.MatchString(p.asked)
}

// unmachined is a text without what is for machines in it, unless the person asked for such a thing.
func (p Spoken) unmachined(text string) string {
	if !p.judges || p.wantsMachines() {
		return text
	}
	if programAlone.MatchString(text) || inARow.MatchString(text) && p.members(strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' })) {
		return ""
	}
	out := p.withoutSentences(p.withoutLines(text))
	if out == text {
		return text
	}
	if out = strings.TrimSpace(out); len(strings.Fields(out)) < leastWords || leading(out, leads) == 0 {
		return ""
	}
	return out
}

// untraced is a text without the lines of where a program broke off, and without instructions that are said as of who
// gave them: other signs are looked for behind these.
func (p Spoken) untraced(text string) string {
	if !p.judges || p.wantsMachines() {
		return text
	}
	lines := strings.Split(text, "\n")
	drop := make([]bool, len(lines))
	for i, line := range lines {
		next := ""
		if i+1 < len(lines) {
			next = lines[i+1]
		}
		switch {
		case broken.MatchString(line), errorAt.MatchString(line) && broken.MatchString(next), i > 0 && drop[i-1] && (brokenOn.MatchString(line) || panicked.MatchString(lines[i-1])):
			drop[i] = true
		case systemLine.MatchString(line), i == 0 && systemHead.MatchString(line):
			drop[i] = !aboutIt.MatchString(p.asked)
		}
	}
	return kept(lines, drop)
}

// kept are the lines that are not dropped, without what led to those that are, and without the fences around them.
func kept(lines []string, drop []bool) string {
	if !slices.Contains(drop, true) {
		return strings.Join(lines, "\n")
	}
	// A block of code of which nothing is left goes whole.
	for i := 0; i < len(lines); i++ {
		if !fence(lines[i]) {
			continue
		}
		end, gone := i+1, false
		for end < len(lines) && !fence(lines[end]) {
			gone = gone || drop[end]
			end++
		}
		for k := i; gone && k <= min(end, len(lines)-1); k++ {
			drop[k] = true
		}
		i = end
	}
	out := ""
	for i, line := range lines {
		if !drop[i] {
			out += line + "\n"
		} else if i == 0 || !drop[i-1] {
			trimmed := strings.TrimRight(out, " \t\n")
			if out = trimmed[:leading(trimmed, leads)]; out != "" {
				out = strings.TrimRight(out, " \t\n") + "\n\n"
			}
		}
	}
	return strings.TrimSpace(out)
}

func fence(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

// withoutLines is a text without blocks of lines that are for machines.
func (p Spoken) withoutLines(text string) string {
	lines := strings.Split(text, "\n")
	drop := make([]bool, len(lines))
	for i := 0; i < len(lines); {
		end := i + 1
		switch {
		case fenceOfData.MatchString(lines[i]):
			for end < len(lines) && !fence(lines[end]) {
				end++
			}
			end = min(end+1, len(lines))
			mark(drop, i, end)
		case tableLine.MatchString(lines[i]):
			for end < len(lines) && strings.Contains(lines[end], "|") {
				end++
			}
			if end > i+1 || strings.HasPrefix(strings.TrimSpace(lines[i]), "|") {
				markIf(drop, i, end, cellsOfData(lines[i:end]))
			}
		case commaHead.MatchString(lines[i]) && end < len(lines):
			for end < len(lines) && strings.ContainsAny(lines[end], ",;\t") && strings.TrimSpace(lines[end]) != "" {
				end++
			}
			markIf(drop, i, end, end > i+1 && slices.ContainsFunc(strings.FieldsFunc(lines[i], func(r rune) bool { return strings.ContainsRune(",;\t \"", r) }), nameOfData))
		case memberLine.MatchString(lines[i]) || strings.TrimSpace(lines[i]) == "---":
			for end < len(lines) && (memberLine.MatchString(lines[end]) || itemLine.MatchString(lines[end])) {
				end++
			}
			markIf(drop, i, end, p.members(lines[i:end]))
		case titledLine.MatchString(lines[i]):
			all := true
			for end = i; end < len(lines); end++ {
				m := titledLine.FindStringSubmatch(lines[end])
				if m == nil {
					break
				}
				key := strings.ToLower(m[1])
				all = all && titled[key] && !strings.Contains(p.asked, key)
			}
			markIf(drop, i, end, all && end > i+1)
		}
		i = max(end, i+1)
	}
	return kept(lines, drop)
}

func mark(drop []bool, from, to int) {
	for i := from; i < to; i++ {
		drop[i] = true
	}
}

func markIf(drop []bool, from, to int, is bool) {
	if is {
		mark(drop, from, to)
	}
}

// members says that lines of names and values are members of what programs hand to each other.
func (p Spoken) members(lines []string) bool {
	all, machine, sure := 0, 0, false
	for _, line := range lines {
		m := memberLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		all++
		key := strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(m[2], "_", ""), "-", ""))
		switch {
		case joined.MatchString(m[2]):
			machine, sure = machine+1, true
		case strings.Contains(p.asked, key) && len(key) > 2:
		case lone[key]:
			machine, sure = machine+1, true
		case ownKeys[key], dataKeys[key]:
			machine++
		}
	}
	return sure && 2*machine >= all || machine > 1 && machine == all
}

// nameOfData is a name of a column that only programs use.
func nameOfData(name string) bool {
	name = strings.Trim(name, " \t`*\"")
	return joined.MatchString(name) || name == strings.ToLower(name) && lone[name] || name == "uuid" || aResource.MatchString(name)
}

// cellsOfData says that a table has columns or values that only programs read.
func cellsOfData(lines []string) bool {
	for i, line := range lines {
		for cell := range strings.SplitSeq(line, "|") {
			if cell = strings.Trim(cell, " \t`*\""); i == 0 && nameOfData(cell) || aResource.MatchString(cell) || unfilled.MatchString(cell) {
				return true
			}
		}
	}
	return false
}

// withoutSentences is a text without the sentences that have what is for machines in them.
func (p Spoken) withoutSentences(text string) string {
	for from := 0; from < len(text); {
		begin, end := p.machineIn(text, from)
		if begin < 0 {
			break
		}
		if at := strings.LastIndexByte(text[:begin], '\n'); strings.Count(text[:begin], "```")%2 == 1 || at >= 0 && fence(text[at+1:begin]) {
			from = end // a block of code that a sentence explains
			continue
		}
		start := begin
		if at := endOfSentence.FindAllStringIndex(text[:begin], -1); at != nil {
			start = at[len(at)-1][1]
		} else {
			start = 0
		}
		rest := len(text)
		if at := endOfSentence.FindStringIndex(text[end:]); at != nil {
			rest = end + at[1]
		}
		before := strings.TrimRight(text[:start], " \t\n")
		lead := leading(before, leads)
		if lead < len(before) {
			start = len(strings.TrimRight(before[:lead], " \t"))
			if start > 0 && rest < len(text) {
				text, from = text[:start]+" "+text[rest:], start
				continue
			}
		}
		text, from = text[:start]+text[rest:], start
	}
	return text
}

// machineIn is where something that is for machines stands in a text from a place on; -1 where nothing does.
func (p Spoken) machineIn(text string, from int) (begin, end int) {
	begin, end = -1, -1
	first := func(b, e int) {
		if begin < 0 || b < begin {
			begin, end = b, e
		}
	}
	for at := from; ; {
		found := opensJSON.FindStringIndex(text[at:])
		if found == nil {
			break
		}
		b := at + found[0]
		e := b + lengthOfValue(text[b:])
		if dataInJSON(text[b:e]) && !aboutJSON.MatchString(plainly(text[max(0, b-80):b])) {
			first(b, e)
			break
		}
		at = max(e, b+1)
	}
	for _, r := range []*lazyregexp.Regexp{valuesInJSON, unfilled} {
		if at := r.FindStringIndex(text[from:]); at != nil && (r == valuesInJSON || !aboutForm.MatchString(p.asked)) {
			first(from+at[0], from+at[1])
		}
	}
	for at := from; at < len(text); {
		next := len(text)
		if e := endOfSentence.FindStringIndex(text[at:]); e != nil {
			next = at + e[1]
		}
		if p.announcesTool(text[at:next]) {
			first(at, at+len(strings.TrimRight(text[at:next], " \t\r\n.!?…:")))
			break
		}
		at = next
	}
	return begin, end
}

// announcesTool says that a sentence only tells which tool is called, or says again what a model is.
func (p Spoken) announcesTool(s string) bool {
	if letKnow.MatchString(s) {
		return false
	}
	if youAre.MatchString(s) {
		return !aboutIt.MatchString(p.asked)
	}
	if callsTool.MatchString(s) || announces(s) && (namesTool.MatchString(s) || plainTool.MatchString(s)) {
		return true
	}
	return verbOfTool.MatchString(s) && len(strings.Fields(s)) <= mostOfHeading+1
}

// dataInJSON says that an object is more than one name and one plain value, or has a name that records have.
func dataInJSON(value string) bool {
	keys := keysInJSON.FindAllStringSubmatch(value, -1)
	for _, k := range keys {
		if key := strings.ToLower(k[1]); joined.MatchString(k[1]) || key != "name" && (dataKeys[key] || ownKeys[key]) {
			return true
		}
	}
	return len(keys) > 1 || strings.Count(value, "{") > 1
}

// lengthOfValue is how long the object or list is that a text begins with, in either quotes; one that is not closed
// reaches to the end of its line.
func lengthOfValue(text string) int {
	depth, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case quote != 0 && b == '\\':
			i++
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case b == '"', b == '\'' && strings.ContainsRune(" {[:,\n", rune(text[max(i-1, 0)])):
			quote = b
		case b == '{' || b == '[':
			depth++
		case b == '}' || b == ']':
			if depth--; depth <= 0 {
				return i + 1
			}
		}
	}
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return end
	}
	return len(text)
}

// machineSign may be something that is for machines in a text under way: what follows is shown with the whole.
// machineMay stands where one may have begun, at the end of a text that is not whole.
var (
	machineSign = lazyregexp.New(`(?m:^[ \t>*-]*["'\x60*]*(?:[a-z][A-Za-z0-9_-]*|` + titledNames + `)["'\x60*]*[ \t]*[:=](?:\s|$))|(?m:^[ \t>]*\|)|(?m:^[^|\n]+\|[^|\n]+\|)|(?m:^(?:---|~~~|\x60\x60\x60))|` + resource + `/|\{|\[\s*["'o]|\b` + mixed + `\b|(?m:^\w+(?:[,;]\w+)+$)|` +
		`(?m:^[ \t>]*(?:Traceback|File "|panic:|fatal error:|goroutine \d|Exception in|Caused by:|Unhandled|thread '|stack backtrace|PHP |Uncaught |at \S|HTTP/\d|Node\.js|Stack trace))|(?:Error|Exception)\b|\.(?:go|py|rb|js|ts|java|rs|php):\d|%|<nil>|</?[\w!]|\bNaN\b|\b(?:undefined|null|None)\b|\bid:|/P\d|\$\{|\bP\d|\bPT\d|urn:|(?i:(?:^|\n)\W*(?:system|developer|syst[èe]me)\b)|\b[0-9a-f]{8}-[0-9a-f]{4}`)
	machineMay = lazyregexp.New(`(?:^|\n)[ \t>*#|"'\x60-]*\w*\z`)
)

const titledNames = `(?:Risk|Intent|Tone|Acknowledgement|Urgency|Category|Sentiment|Confidence)`

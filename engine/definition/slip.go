package definition

import (
	"regexp"
	"strings"
)

// Slips are what people write that is no YAML. The column is that of the first group.
var (
	tabbed    = regexp.MustCompile(`^ *(\t)`)
	signed    = regexp.MustCompile("(?:^\\s*-|[:,\\[]) *([!%@`][^,}\\]]*)")
	asking    = regexp.MustCompile(`\{.*?: *([^"'{}\[\],:]*\?[^"'{}\[\],]*)[,}\]]`)
	requoted  = regexp.MustCompile(`: *("[^"]*"[^\s,}\]].*)`)
	colon     = regexp.MustCompile(`^\s*(?:- )?\{?[^"':]+: +([^"'{\[|>\s][^"]*?: )`)
	templated = regexp.MustCompile(`: *([^"'{},]*\{\{)`)
)

// notYAML words what the parser says of a line: by what is wrong with it where that is known.
func (p Problem) notYAML(line string) Problem {
	at := func(form *regexp.Regexp) (found string) {
		m := form.FindStringSubmatchIndex(line)
		if m == nil {
			return ""
		}
		p.Column = 1 + len([]rune(line[:m[2]]))
		return line[m[2]:m[3]]
	}
	says := p.Message
	character, between := strings.Contains(says, "cannot start any token"), strings.Contains(says, "did not find expected")
	switch {
	case character && at(tabbed) != "":
		p.Message = phrase("this is not YAML: this line begins with a tab; indent it with spaces")
		return p
	case character || between || strings.Contains(says, "found unknown directive") || strings.Contains(says, "while scanning"):
		if text := strings.TrimSpace(at(signed)); text != "" {
			p.Message = phrase("this is not YAML: a text that begins with %s needs quotes; write \"%s\"", text[:1], clip(text, 60))
			return p
		}
		if text := at(templated); text != "" {
			p.Message = phrase("this is not YAML: a text with {{ }} needs quotes here; write it as \"… {{ … }} …\"")
			return p
		}
		if text := at(asking); text != "" {
			p.Message = phrase("this is not YAML: a text with ? in it needs quotes between braces; write \"%s\"", clip(text, 60))
			return p
		}
		if at(requoted) != "" {
			p.Message = phrase("this is not YAML: quotes inside a quoted text end it; put the whole text between single quotes: '… \"…\" …'")
			return p
		}
		if n := unclosed(line); n >= 0 && strings.Contains(says, "or '") {
			p.Column = 1 + len([]rune(line[:n]))
			p.Message = phrase("this is not YAML: %s is opened here and not closed; close it, or put a text with such a character in quotes", line[n:n+1])
			return p
		}
		if strings.Contains(says, "expected key") || strings.Contains(says, "'-' indicator") {
			return p.misindented(line)
		}
	case strings.Contains(says, "mapping values are not allowed"):
		if text := at(colon); text != "" {
			p.Message = phrase("this is not YAML: a text with a colon and a space in it needs quotes; write \"%s…\"", clip(text, 60))
			return p
		}
		return p.misindented(line)
	}
	p.Message = phrase("this is not YAML: %s; check indentation, quotes and colons near here", clip(p.Message, 200))
	return p
}

func (p Problem) misindented(line string) Problem {
	p.Column = 1 + len(line) - len(strings.TrimLeft(line, " "))
	p.Message = phrase("this is not YAML: this line is indented otherwise than those that it belongs to; begin it under them")
	return p
}

// unclosed is the place of a brace or bracket that a line opens and does not close; -1 when
// it closes all.
func unclosed(line string) int {
	var open []int
	var quote rune
	for i, r := range line {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == '{' || r == '[':
			open = append(open, i)
		case (r == '}' || r == ']') && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	if len(open) == 0 {
		return -1
	}
	return open[len(open)-1]
}

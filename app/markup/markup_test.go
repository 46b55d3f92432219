package markup_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"holdpoint/app/markup"
)

// "The transcript that I printed was full of stars and pipes."
func TestHTML_LaysOutWhatWasSaidAsTheScreensDo(t *testing.T) {
	for said, want := range map[string]string{
		"**Rowan Alder**, born 1984\n- Allergies: Penicillin\n- Medications: *none*":      "<p><strong>Rowan Alder</strong>, born 1984</p><ul><li>Allergies: Penicillin</li><li>Medications: <em>none</em></li></ul>",
		"1. Rest\n2. Drink\n   - water\n   - tea\n\n3. Sleep":                             "<ol><li>1. Rest</li><li>2. Drink<ul><li>water</li><li>tea</li></ul></li><li>3. Sleep</li></ol>",
		"## Plan\nTake it.\n\nNext day.":                                                  "<h3>Plan</h3><p>Take it.</p><p>Next day.</p>",
		"| Drug | Dose |\n|---|:-:|\n| Sertraline | **50** mg |\n\nDone.":                 "<table><tr><th>Drug</th><th>Dose</th></tr><tr><td>Sertraline</td><td><strong>50</strong> mg</td></tr></table><p>Done.</p>",
		"Here:\n| A | B |\n|---|---|\n| 1 | 2 |":                                          "<p>Here:</p><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>",
		"```sql\nSELECT *\nFROM <b>\n```\nok":                                             "<pre>SELECT *\nFROM &lt;b&gt;</pre><p>ok</p>",
		"Use `a < b` and ``x ` y``.":                                                      "<p>Use <code>a &lt; b</code> and <code>x ` y</code>.</p>",
		"> She said so.\n> Twice.":                                                        "<blockquote><p>She said so.\nTwice.</p></blockquote>",
		"See [the leaflet](https://nhs.example/a) and [1](#/library/0123456789abcdef/1).": "<p>See the leaflet (https://nhs.example/a) and 1.</p>",
		"5 * 3 * 2 and patient_first_name and 2 ** 3":                                     "<p>5 * 3 * 2 and patient_first_name and 2 ** 3</p>",
		"**not closed and _this_":                                                         "<p>**not closed and <em>this</em></p>",
		`a \*star\* stays`:                                                                "<p>a *star* stays</p>",
		"---":                                                                             "<hr>",
		"- a\n* * *\n- b":                                                                 "<ul><li>a</li></ul><hr><ul><li>b</li></ul>",
	} {
		if got := string(markup.HTML(said)); got != want {
			t.Errorf("%q became\n%s, want\n%s", said, got, want)
		}
	}
}

var tag = regexp.MustCompile(`^(p|ul|ol|li|h3|h4|strong|em|del|code|pre|blockquote|table|tr|th|td|hr|html|head|body|tbody)$`)

// whole fails where markup has another tag than its own, or an attribute.
func whole(t *testing.T, said string) {
	t.Helper()
	z := html.NewTokenizer(strings.NewReader(string(markup.HTML(said))))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			if x := z.Token(); !tag.MatchString(x.Data) || len(x.Attr) > 0 {
				t.Fatalf("%q has %s", said, x)
			}
		case html.CommentToken, html.DoctypeToken:
			t.Fatalf("%q has a comment", said)
		}
	}
}

var hostile = []string{
	"<img src=x onerror=alert(1)>", "**<script>alert(1)</script>**", "[<b>x</b>](javascript:alert(1))", "![x](https://beacon.example/x.png)", "[x](\"onmouseover=alert(1))", "`</code><script>alert(1)</script>`",
	"```</pre><script>alert(1)</script>\n</pre><img src=x>\n```", "| <svg onload=alert(1)> | b |\n|---|---|\n| <a href=x> | \" |", "# <style>*{}</style>", "> <iframe src=x>", "1. <object data=x>", "<!-- x", "&lt;script&gt;", "**a *b** c* __d <i>__",
	"[x][ref]\n\n[ref]: https://beacon.example", "<https://beacon.example>", "https://beacon.example", "\x00<b>", "*<*>*", "`<`>`", "\\<b>", "~~<u>~~",
}

// "The transcript fetched a picture when I opened it": whatever a model writes, a page has its own tags only.
func TestHTML_NothingThatWasSaidBecomesATag(t *testing.T) {
	for _, a := range hostile {
		whole(t, a)
		for _, b := range hostile {
			whole(t, a+b)
			whole(t, "- "+a+"\n  "+b+"\n\n"+b)
		}
	}
}

func FuzzHTML(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(whole)
}

// A reply of nothing but signs must not hold up an export.
func TestHTML_SignsInAnyNumberTakeNoTime(t *testing.T) {
	began := time.Now()
	for _, sign := range []string{"*a ", "**", "_", "`", "``` ", "[", "![", "> ", "- ", "  - a\n", "|", "\n|-|", "~~a", "**a*", "__a_b", "# \n", ">>>>", "1. "} {
		whole(t, strings.Repeat(sign, 100_000/len(sign)))
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

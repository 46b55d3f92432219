package command_test

import (
	"regexp"
	"strings"
	"testing"
)

// "A remark with a bar in it pushed the source of the value into the column of notes."
func TestFiling_ABarInACellBreaksNoTableOfAnExportedForm(t *testing.T) {
	x := atTheRanch(t)
	a := x.held("rule_37", "Well/42-329-97101")
	x.want(0, "approvals", "modify", a.text("id"), "--args", x.write("args.json", `{"values":[{"box":"40","value":"North | South \\| West \\\\| end\\","source":"a call | of \\| Co"}]}`), "--reviewer", "Test Reviewer")
	x.want(0, "approvals", "approve", a.text("id"), "--reviewer", "Test Reviewer")
	x.want(0, "resume", "--json", a.text("turn"))
	form := "Filing/" + lines(t, x.want(0, "records", "list", "Filing", "--json").out)[0].text("id")
	rows, escaped := 0, regexp.MustCompile(`\\.`)
	for line := range strings.Lines(x.want(0, "export", form, "--format", "md").out) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		rows++
		if n := strings.Count(escaped.ReplaceAllString(line, ""), "|"); n != 6 {
			t.Errorf("a row has %d bars that divide it, not 6: %s", n, line)
		}
		if strings.HasPrefix(line, "| 40 |") && !strings.Contains(line, `North \| South \\\| West \\\\\| end\\`) {
			t.Errorf("the remark became %s", line)
		}
	}
	if rows < 10 {
		t.Errorf("the table has %d rows", rows)
	}
}

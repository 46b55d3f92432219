package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"holdpoint/app"
)

// "Our program sent more than a megabyte with the words at their very end, and got a 413 and nothing else."
func TestRuns_ARequestThatIsTooLargeIsReadAtItsEndToo(t *testing.T) {
	w := open(t)
	long := strings.Repeat("Nothing much happened on this day, and we went home. ", 20500)
	for name, text := range map[string]string{"at its beginning": "I am going to kill myself tonight. " + long, "at its end": long + "I am going to kill myself tonight.", "": long} {
		res := w.call("send", map[string]any{"agent": "navigator", "text": text})
		var got struct{ Error app.Fault }
		if err := json.Unmarshal([]byte(res.body), &got); err != nil || res.status != http.StatusRequestEntityTooLarge || (got.Error.Help != "") != (name != "") {
			t.Errorf("danger %s: %d %s (%v)", name, res.status, res.body[:min(len(res.body), 300)], err)
		}
	}
}

package command

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestLogger_TellsWhatIsAtTheLevelAndRefusesOthers(t *testing.T) {
	for level, want := range map[string]string{"": "WE", "debug": "DIWE", "info": "IWE", "warn": "WE", "ERROR": "E"} {
		var out bytes.Buffer
		l, err := logger(level, &out)
		if err != nil {
			t.Fatal(err)
		}
		l.Debug("D")
		l.Info("I")
		l.Warn("W")
		l.Error("E")
		var got string
		for line := range strings.Lines(out.String()) {
			_, msg, _ := strings.Cut(line, "msg=")
			got += strings.TrimSpace(msg)
		}
		if got != want {
			t.Errorf("%q: %s", level, got)
		}
	}
	var wrong usage
	if _, err := logger("loud", nil); !errors.As(err, &wrong) {
		t.Error(err)
	}
}

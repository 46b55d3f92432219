package web

import (
	"bytes"
	"log"
	"log/slog"
	"strings"
	"testing"
)

func TestThreat29_TheServersTroublesAreLoggedWithoutTheirWords(t *testing.T) {
	var out bytes.Buffer
	l := log.New(&troubles{slog.New(slog.NewTextHandler(&out, nil))}, "", 0)
	l.Printf("http: panic serving 127.0.0.1:1: patient %s\ngoroutine 1 [running]:", "canary")
	l.Printf("http: bad request: %s", "canary")
	if got := out.String(); strings.Contains(got, "canary") || strings.Count(got, "\n") != 2 || !strings.Contains(got, "level=ERROR msg=\"a request ended in a panic\"") {
		t.Error(got)
	}
}

package web_test

import (
	"testing"

	"holdpoint/app"
	"holdpoint/app/web"
)

// "It took the address and then answered every page with: forbidden."
func TestThreat2_AnAddressIsOnlyTakenIfItsPagesAreAnswered(t *testing.T) {
	a, err := app.Open(app.Options{Dir: t.TempDir(), Practice: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, addr := range []string{"127.0.0.2:0", "[::ffff:127.0.0.1]:0", "LOCALHOST:0", "127.1:0", ":0", "0.0.0.0:0", "192.0.2.1:0"} {
		if s, err := web.Listen(a, screens, addr); err == nil {
			t.Errorf("%s was taken: %s", addr, s.URL())
		}
	}
}

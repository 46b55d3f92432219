package desktop

import (
	"errors"
	"testing"

	"holdpoint/app"
)

// "I started it over ssh and got a page of Go: panic, goroutine 1, exit status 2."
func TestDisplayed_WithoutADisplayItIsSaidHowTheScreensAreShown(t *testing.T) {
	for _, c := range []struct {
		system string
		env    map[string]string
		shown  bool
	}{
		{"linux", nil, false}, {"linux", map[string]string{"DISPLAY": "", "WAYLAND_DISPLAY": ""}, false},
		{"linux", map[string]string{"DISPLAY": ":0"}, true}, {"linux", map[string]string{"WAYLAND_DISPLAY": "wayland-0"}, true},
		{"windows", nil, true}, {"darwin", nil, true},
	} {
		err := Displayed(c.system, func(name string) string { return c.env[name] })
		if (err == nil) != c.shown {
			t.Errorf("%s with %v: %v", c.system, c.env, err)
		}
		if err == nil {
			continue
		}
		if f := app.AsFault(err); f.Code != "no_display" || f.Hint == "" {
			t.Errorf("it does not say what to do: %+v", f)
		}
	}
	// A display that is named and not there.
	if undisplayed(errors.New("failed to init GTK")) == nil || undisplayed(errors.New("another")) != nil || undisplayed("text") != nil {
		t.Error("a panic of the toolkit is not what it is taken for")
	}
}

package desktop

import "holdpoint/app"

// noDisplay says that there is no screen for the window.
var noDisplay = &app.Fault{Code: "no_display", Message: "There is no display for the window.",
	Hint: "Run holdpoint serve and open the address that it prints in a browser, or start Holdpoint on a desktop.", Safe: "Nothing was changed.", HTTP: 500}

// Displayed is an error where a system's environment names no display: only Linux has such.
func Displayed(system string, env func(string) string) error {
	if system == "linux" && env("DISPLAY") == "" && env("WAYLAND_DISPLAY") == "" {
		return noDisplay
	}
	return nil
}

// undisplayed turns the panic of a toolkit that reached no display into an error: one may be named that is not there.
func undisplayed(panicked any) error {
	if err, ok := panicked.(error); ok && err.Error() == "failed to init GTK" {
		return noDisplay
	}
	return nil
}

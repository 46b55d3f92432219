package calculator

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"holdpoint/engine/model"
	"holdpoint/engine/tool"
)

func TestCalculator_is_exact_and_bounded(t *testing.T) {
	for in, want := range map[string]string{
		"(17 + 4) * 2.5":                     "52.5",
		"0.1+0.2":                            "0.3",
		"2^3^2":                              "512",
		"-2^2":                               "-4",
		"2 * -3":                             "-6",
		"1/3":                                "0.333333333333",
		"2^-1":                               "0.5",
		"12 × 37 + 9":                        "453",
		"1/0":                                "!divided by 0",
		"0^-1":                               "!divided by 0",
		"9^9^9":                              "!exponent",
		"9^512^1 * 9^512 * 9^512":            "!too large",
		"(1":                                 "!not closed",
		"1 +":                                "!missing",
		"os.Exit(1)":                         "!missing",
		"1;2":                                "!not understood",
		strings.Repeat("(", 100) + "1":       "!nested too deeply",
		"2" + strings.Repeat("^1", 60):       "!nested too deeply",
		strings.Repeat("-", 150) + "5":       "5",
		"1.2.3":                              "!missing",
		"99999999999999999999 * 99999999999": "9999999999899999999900000000001",
	} {
		raw, err := New().Read(context.Background(), tool.Env{}, model.JSON(map[string]string{"expression": in}))
		if why, bad := strings.CutPrefix(want, "!"); bad {
			var no *tool.Refusal
			if err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("%s gives %s (%v), want an error with %q (%v)", in, raw, err, why, no)
			}
			continue
		}
		var got struct{ Result string }
		if err != nil || json.Unmarshal(raw, &got) != nil || got.Result != want {
			t.Errorf("%s is %s (%v), want %s", in, got.Result, err, want)
		}
	}
	if _, err := tool.NewSet(New()); err != nil {
		t.Error(err)
	}
}

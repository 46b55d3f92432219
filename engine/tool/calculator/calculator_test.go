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
		"010 + 0.50":                         "10.5", // not octal
		"(1 + 2)^2 * 3":                      "27",
		"2^(1 + 1)^2 - 2^-(1)":               "15.5",
		"((2))^2^0":                          "2",
		"2*-2^2+--1":                         "-7",
		"1 - -1 - - 1":                       "3",
		".5 + 5.":                            "5.5",
		"1\n+ 2":                             "3",
		"2 ** 3":                             "8",
		"0x10":                               "!not understood",
		"1e9":                                "!not understood",
		"1_000":                              "!not understood",
		"3i":                                 "!not understood",
		"1 // 2":                             "!not understood",
		"1 /* 2 */":                          "!not understood",
		"1 2":                                "!operator is missing at character 3",
		"2(3)":                               "!operator is missing at character 2",
		"2^":                                 "!number is missing at character 3",
		"×2":                                 "!number is missing at character 1",
		"()":                                 "!number is missing at character 2",
		"1)":                                 "!not opened",
		"2^(1":                               "!not closed",
		"1 % 2":                              "!not understood",
		"a[1]":                               "!missing",
		"1[2]":                               "!not understood",
		"-2 & 1":                             "!not understood",
		"'1'":                                "!not understood",
		"1 \x00":                             "!not understood",
		"1 \xff 2":                           "!not understood",
		"":                                   "!number is missing",
		"2^0.5":                              "!whole number",
		"1/3 - 1/3 + (1/7)^300 * 7^300":      "1",
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

package command_test

import (
	"archive/zip"
	"os"
	"strings"
	"testing"
)

// "A file of my skill was not there after I added the zip, and nobody had said why."
func TestSkills_AZipWithANameThatLeadsOutIsRefusedByThatName(t *testing.T) {
	x := newTerminal(t)
	for _, name := range []string{`..%5cx`, `a%2f..%2f..%2fb`, `a\..\b`, `%2e%2e/x`, `../x`} {
		file := x.write("odd.zip", "")
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		z := zip.NewWriter(f)
		for _, n := range []string{"SKILL.md", name} {
			w, err := z.Create(n)
			if err == nil {
				_, err = w.Write([]byte("---\nname: sums\ndescription: Adds up numbers.\n---\nAdd them.\n"))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if got := x.run("skills", "add", file); got.code == 0 || !strings.Contains(got.err, strings.TrimPrefix(name, "../")) {
			t.Errorf("%s: exit %d: %s", name, got.code, got.err)
		}
		if got := x.want(0, "skills", "list", "--json").out; strings.Contains(got, `"sums"`) {
			t.Errorf("%s was kept: %s", name, got)
		}
	}
}

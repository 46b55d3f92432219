package safety

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func TestZTime(t *testing.T) {
	b, _ := os.ReadFile("doc.go")
	for _, n := range []int{400, 2000, 8000, 16000} {
		text := strings.ReplaceAll(string(b[:n]), "//", "")
		Offline.Assess(text)
		s := time.Now()
		Offline.Assess(text)
		a := time.Since(s)
		s = time.Now()
		passagesOf(text)
		p := time.Since(s)
		s = time.Now()
		Offline.bodily(Assessment{}, text)
		fmt.Println(n, a, p, time.Since(s), len(passagesOf(text)))
	}
}

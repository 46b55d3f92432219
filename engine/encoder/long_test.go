package encoder

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// longMessages are messages of 64 KB: a sample of what people post, one behind the other.
func longMessages(b *testing.B) []string {
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", "reddit-stress", "posts.jsonl"))
	if err != nil {
		b.Skip("no sample of ordinary texts")
	}
	defer f.Close()
	var posts strings.Builder
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var post struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &post); err != nil {
			b.Fatal(err)
		}
		posts.WriteString(post.Text + "\n")
	}
	const size = 64 << 10
	var out []string
	for all := posts.String(); len(all) >= size; all = all[size:] {
		out = append(out, strings.ToValidUTF8(all[:size], ""))
	}
	if lines.Err() != nil || len(out) < 2 {
		b.Fatal(len(out), lines.Err())
	}
	return out
}

// "The companion thinks for a second when I paste a long letter": all sentences of 64 KB,
// when no word was seen before and when other such messages came before.
func BenchmarkLongMessage(b *testing.B) {
	e, messages := real(b, Options{}), longMessages(b)
	run := func(b *testing.B, text string) {
		if _, err := BySentence(context.Background(), e, []string{text}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("first", func(b *testing.B) {
		for i := range b.N {
			b.StopTimer()
			if err := e.Close(); err != nil {
				b.Fatal(err)
			}
			vectors(b, e, "") // loads
			b.StartTimer()
			run(b, messages[i%len(messages)])
		}
	})
	b.Run("further", func(b *testing.B) {
		for _, text := range messages[len(messages)-2:] {
			run(b, text)
		}
		for i := 0; b.Loop(); i++ {
			run(b, messages[i%(len(messages)-2)])
		}
	})
}

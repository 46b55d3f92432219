package modeltest

import (
	"os"
	"path/filepath"
	"testing"
)

// Folder is the environment variable that names a folder with real models for
// tests: smollm2.gguf (SmolLM2-135M-Instruct) and minilm/ (all-MiniLM-L6-v2 as
// safetensors).
const Folder = "HOLDPOINT_TEST_MODELS"

// SmolLM2 returns the path of the small instruct model; without it the test is skipped.
func SmolLM2(t testing.TB) string { return find(t, "smollm2.gguf") }

// MiniLM returns the folder of the small embedding model; without it the test is skipped.
func MiniLM(t testing.TB) string { return find(t, "minilm") }

// Tiny writes the tiny random model to a temporary file and returns its path.
func Tiny(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tiny.gguf")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteTinyGGUF(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func find(t testing.TB, name string) string {
	t.Helper()
	folder := os.Getenv(Folder)
	if folder == "" {
		t.Skipf("%s names no folder with real models; build/test fetches them", Folder)
	}
	path := filepath.Join(folder, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the model is not there: %v", err)
	}
	return path
}

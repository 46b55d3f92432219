package companion

import (
	"fmt"
	"io/fs"
	"strings"

	"go.yaml.in/yaml/v3"
)

// readElsewhere reads elsewhere.yaml.
func readElsewhere(files fs.FS) (map[string]string, error) {
	body, err := fs.ReadFile(files, "elsewhere.yaml")
	if err != nil {
		return nil, err
	}
	var out map[string]string
	if err := yaml.Unmarshal(body, &out); err != nil {
		return nil, fmt.Errorf("companion: elsewhere.yaml: %w", err)
	}
	for l, words := range out {
		if strings.Count(words, "{emergency}") != 1 {
			return nil, fmt.Errorf("companion: elsewhere.yaml: %s lacks {emergency}", l)
		}
	}
	return out, nil
}

package skill

import (
	"embed"
	"fmt"
	"io/fs"
	"sync"
)

//go:embed builtin
var builtin embed.FS

// BuiltIn are the skills that come with the program, sorted by name.
var BuiltIn = sync.OnceValues(func() ([]*Skill, error) {
	folders, err := fs.ReadDir(builtin, "builtin")
	if err != nil {
		return nil, err
	}
	var out []*Skill
	for _, f := range folders {
		folder, err := fs.Sub(builtin, "builtin/"+f.Name())
		if err != nil {
			return nil, err
		}
		s, err := Open(folder)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		out = append(out, s)
	}
	return out, nil
})

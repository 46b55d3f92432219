package skill

import (
	"fmt"
	"io/fs"
)

// All opens every folder of a file system as a skill, sorted by the folders' names. An error names the folder.
func All(files fs.FS) ([]*Skill, error) {
	folders, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, err
	}
	var out []*Skill
	for _, f := range folders {
		folder, err := fs.Sub(files, f.Name())
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
}

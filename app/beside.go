package app

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"holdpoint/app/tongue"
	"holdpoint/engine/safety"
	"holdpoint/store"
)

// BesideFile says in the data folder, beside the store, which region and language were chosen:
// help waits for no other program that has the store open. Without a choice there is none.
const BesideFile = "region.json"

// beside is what is in it.
type beside struct {
	Region   string `json:"region,omitempty"`
	Language string `json:"language,omitempty"`
}

func besideOf(s Settings) (b beside) {
	if s.RegionChosen {
		b.Region = s.Region
	}
	b.Language = s.Language
	return b
}

// keepBeside brings the file up to date. What cannot be written, as on a full disk, is in the store.
func (a *App) keepBeside(s Settings) {
	if a.dir == "" || a.Store.ReadOnly() {
		return
	}
	path, now := filepath.Join(a.dir, BesideFile), besideOf(s)
	had, err := readBeside(path)
	if now == had && (err == nil || now == beside{}) {
		return
	}
	if now == (beside{}) {
		err = os.Remove(path)
	} else {
		err = WriteFile(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(now) })
	}
	if err != nil && !os.IsNotExist(err) {
		a.log.Warn("the region could not be kept beside the store")
	}
}

func readBeside(path string) (b beside, err error) {
	raw, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(raw, &b)
	}
	return b, err
}

// settingsBeside are the choices that help needs, of a folder whose store another program has open.
func settingsBeside(dir string) Settings {
	s := defaults()
	b, err := readBeside(filepath.Join(dir, BesideFile))
	if err != nil || dir == "" {
		return s
	}
	s.Language = b.Language
	if r := safety.RegionOf(b.Region); b.Region != "" && r.Code == b.Region {
		s.Region, s.RegionChosen = r.Code, true
	}
	return s
}

// TongueBeside is TongueIn for a folder whose store another program has open.
func TongueBeside(dir string) tongue.Tongue {
	return cmp.Or(tongue.Tongue(settingsBeside(dir).Language), tongue.OfSystem())
}

// Unkept is an error of opening where a message was to be kept: it says that it was not, and what
// to do with it.
func Unkept(err error) error {
	if !errors.Is(err, store.ErrLocked) {
		return err
	}
	return &Fault{Code: "locked", HTTP: 409, Message: "Another Holdpoint has this store open. The message was neither sent nor kept.",
		Hint: "Write it in the Holdpoint that is open, or close that one and send it again.", Safe: "Nothing was changed.", err: err}
}

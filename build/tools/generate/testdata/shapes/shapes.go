// Package shapes has one of each that the generator knows.
package shapes

import (
	"encoding/json"
	"time"
)

// All has all of them. "*/" ends no comment.
type All struct {
	Text string `json:"text"`
	// Count is in pieces.
	//
	// It is never negative.
	Count   int               `json:"count"` // and this too
	Share   float64           `json:"share,omitempty"`
	Yes     bool              `json:"yes,omitzero"`
	At      time.Time         `json:"at"`
	Took    time.Duration     `json:"took_ns"`
	Any     json.RawMessage   `json:"any"`
	Maybe   *Inner            `json:"maybe"`
	Left    *Inner            `json:"left,omitempty"`
	List    []Inner           `json:"list"`
	Lists   [][]string        `json:"lists,omitempty"`
	Words   map[string]string `json:"words"`
	Colour  Colour            `json:"colour"`
	Name    Name              `json:"name"`
	Hidden  string            `json:"-"`
	private string
	Within
	*Beside
}

// Inner is inside.
type Inner struct {
	Deep map[Name][]Colour `json:"deep,omitempty"`
}

type Within struct {
	Flat string `json:"flat"`
}

type Beside struct {
	Together int `json:"together"`
}

// Colour is one of two.
type Colour string

// Red and Blue are all there are.
const (
	Red  Colour = "red"
	Blue Colour = "blue" // like the sky
)

// Name is any.
type Name string

// Blob is elsewhere.
type Blob struct {
	Name string `json:"blob"`
}

// Package odd has what no screen could read.
package odd

import "net/url"

type Channel struct {
	C chan int `json:"c"`
}

type Function struct {
	F func() `json:"f"`
}

type Anything struct {
	A any `json:"a"`
}

type Nameless struct {
	A string
}

type Numbered struct {
	M map[int]string `json:"m"`
}

type Foreign struct {
	U url.URL `json:"u"`
}

type Complex struct {
	C complex128 `json:"c"`
}

type Kind string

const Forgotten Kind = "forgotten"

type Event struct{}

type Blob struct{}

var payloads = map[Kind]any{}

var statuses = map[Kind]any{}

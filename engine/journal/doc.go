// Package journal holds the events of a turn: what happened, in order, as screens show
// it, exports render it and replays read it.
//
// Events are numbered per session from 1 without gaps. The number is given in the
// transaction that stores the event, and nobody is told of an event before that; only
// Token, a piece of a message that is being written, is live and never stored. An event
// stays under 4 KB: a larger body moves into a blob that is named by its digest, and its
// place holds {"blob": "sha256:…", "size": bytes}.
//
// The names of kinds and of JSON fields are part of the stable command line: they are
// added to and never renamed.
package journal

// Package journal holds the events that tell what a turn did: which stages ran, what
// tools and models said, what people decided. There is one stream of them for each
// session, numbered without gaps and stored before anybody sees it. The screens are a
// reducer over it, the export is a rendering of it and the audit tree commits to it.
//
// An event has a Kind, members that many kinds share (Stage, Tool, Status, Reason …) and
// Data, the payload of its kind: one of the …Data types, which Event.With attaches and
// Decode reads. Names in the JSON form are only ever added: journals of years ago are
// read, and scripts rely on them.
//
// An event stays under 4 KB. Fit moves larger bodies into blobs of the store; {"blob":
// "sha256:…", "size": bytes} stands in their place. A long Text is cut and is whole under
// LongText. So a member of Data that is a list, an object or a LongString may be such a
// reference; Decode leaves it empty.
//
// Token and ModelReading are live only. They have no number, are never stored, and a reader
// who comes late or misses one reads the same in the Message and the ModelCalled event.
//
// To add an event:
//
//  1. name its kind in kind.go and say which members it has;
//  2. write its payload in the file of its group (payload_tool.go …), with the unit of each
//     number and a Kind method, and its line in the table payloads (payload.go); one that says
//     all in the event's members is an empty struct and has no Data; values of Status go into
//     enum.go;
//  3. tell it: t.Emit(journal.Event{Tool: name}.With(journal.SomethingData{…}));
//  4. run go generate ./engine/journal, which writes the TypeScript types;
//  5. give it words in app/words.go and a case in frontend/src/journal/reduce.ts.
package journal

//go:generate go run -C ../../build/tools ./generate

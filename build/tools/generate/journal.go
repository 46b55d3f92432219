package main

import (
	"fmt"
	"go/ast"
	"go/types"
)

// journal writes the events: one type for each kind, as the tables of the package have
// its payload and the values of its status.
func journal(w *writer) {
	payloads, statuses := w.table("payloads"), w.table("statuses")
	kinds := w.constants(w.pkg.Types.Scope().Lookup("Kind").Type())
	for _, t := range payloads {
		w.moves[t] = true
	}
	event := w.pkg.Types.Scope().Lookup("Event")
	w.comment("", "EventMembers are what all kinds of events share.")
	w.out.WriteString("export type EventMembers = {\n")
	w.members(event.Type().Underlying().(*types.Struct), false, false, []string{"kind", "status", "data"})
	w.out.WriteString(`};

/**
 * EventOf is an event of one kind. Its data may lack any member: journals may be older than the program, and data
 * that is too large as a whole is a Blob.
 */
export type EventOf<K extends Kind, Data, Status extends string = string> = EventMembers & {
  kind: K;
  status?: Status;
  data?: Partial<Data> & Partial<Blob>;
};

`)
	w.want("Blob")
	w.comment("", w.docs[event.Pos()])
	w.out.WriteString("export type JournalEvent =")
	for _, k := range kinds {
		data, ok := payloads[k.Name()]
		if !ok || data == "" {
			panic(fmt.Sprintf("generate: %s: the kind %s needs its line in the table payloads (payload.go): %s: %sData{}, an empty struct where the event's members say all",
				w.pkg.PkgPath, k.Name(), k.Name(), k.Name()))
		}
		w.out.WriteString("\n")
		w.comment("  ", w.docs[k.Pos()])
		fmt.Fprintf(&w.out, "  | EventOf<%s, %s", k.Val().ExactString(), w.want(data))
		if status := statuses[k.Name()]; status != "" {
			fmt.Fprintf(&w.out, ", %s", w.want(status))
		}
		w.out.WriteString(">")
	}
	w.out.WriteString(";\n\n")
	w.out.WriteString("/** Kind names what an event tells. */\nexport type Kind =")
	for _, k := range kinds {
		fmt.Fprintf(&w.out, "\n  | %s", k.Val().ExactString())
	}
	w.out.WriteString(";\n\n")
}

// table reads a map literal of the package: from the name of a kind to that of a type, ""
// for nil.
func (w *writer) table(name string) map[string]string {
	out := map[string]string{}
	for _, f := range w.pkg.Syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || v.Names[0].Name != name {
				return true
			}
			for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
				pair := e.(*ast.KeyValueExpr)
				named, _ := w.pkg.TypesInfo.TypeOf(pair.Value).(*types.Named)
				key := pair.Key.(*ast.Ident).Name
				if out[key] = ""; named != nil {
					out[key] = named.Obj().Name()
				}
			}
			return false
		})
	}
	return out
}

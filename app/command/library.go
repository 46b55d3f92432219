package command

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"holdpoint/app"
	"holdpoint/engine/library"
)

func (p *program) library() *cobra.Command {
	var asJSON bool
	progress := func() func(done, total int64, unit, detail string) {
		told := ""
		last := int64(0)
		return func(done, total int64, _, detail string) {
			if asJSON || done-last < 2000 && detail == told {
				return
			}
			last, told = done, detail
			if total > 0 {
				p.say("  %3d %%  %s", done*100/total, p.told(detail))
			} else if done > 0 {
				p.say("  %d documents", done)
			}
		}
	}
	imp := &cobra.Command{Use: "import PATH", Short: "Import a file, a folder or a zip into the library", Args: exact(1, "a file, a folder or a zip"),
		Long: `Import documents: a file, a folder with all below it, or a zip. It reads ` + strings.Join(library.Extensions(), ", ") + `:
text, Markdown and HTML; PDF where the build has PDFium; JSON with documents by id (as PubMedQA is published), lists of
objects and lines of them, tables with a column of texts, MEDLINE and RIS exports, and FHIR DocumentReferences with a text or a PDF in them.

What cannot be read is named with the reason, and the rest goes on. The same again changes nothing, and an import
that was stopped goes on where it was. The originals are kept inside the store.

With --json a line for each problem {file, entry, error}, then one line {source, files, read, created, updated,
unchanged, duplicates, failed, passages, …}. The exit code is 1 when a file could not be read.`}
	imp.RunE = func(cmd *cobra.Command, args []string) error {
		return p.with(func(a *app.App) error {
			rep, err := a.ImportDocuments(cmd.Context(), args[0], progress())
			if asJSON {
				for _, x := range rep.Problems {
					if err := p.line(x); err != nil {
						return err
					}
				}
			}
			for _, x := range rep.Problems {
				p.say("  %s: %s", place(x), p.failed(x.Error))
			}
			if more := rep.Failed - len(rep.Problems); more > 0 {
				p.say("  and %d more", more)
			}
			for _, x := range rep.Notes {
				p.say("  note on %s: %s", place(x), p.failed(x.Error))
			}
			if rep.MoreNotes > 0 {
				p.say("  and %d more", rep.MoreNotes)
			}
			for _, x := range rep.Skipped {
				p.say("  skipped %s: %s", x.File, p.failed(x.Error))
			}
			if more := rep.SkippedFiles - len(rep.Skipped); more > 0 {
				p.say("  and %d more", more)
			}
			if asJSON { // also of an import that broke off: what it took before is kept
				rep.Problems = rep.Problems[:0] // they have lines of their own
				err = errors.Join(err, p.line(rep))
			}
			if err != nil {
				return err
			}
			if !asJSON {
				p.say("%d read, %d created, %d updated, %d unchanged, %d duplicates, %d failed; passages: %d", rep.Read, rep.Created, rep.Updated, rep.Unchanged, rep.Duplicates, rep.Failed, rep.Passages)
				if rep.ByWordsOnly {
					p.say("They are found by words only: nothing here compares meanings (holdpoint encoder --help).")
				}
			}
			if err == nil && rep.Failed > 0 {
				return exit(ExitFailed)
			}
			return err
		})
	}
	var source, kind string
	var limit int
	list := &cobra.Command{Use: "list", Short: "List the documents in the library", Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				after, shown := "", 0
				for {
					most := 500
					if limit > 0 {
						most = min(most, limit-shown)
					}
					page, err := a.Documents(strings.Join(args, ""), source, kind, after, most)
					if err != nil {
						return err
					}
					if err := p.table(func(w *tabwriter.Writer) {
						for _, d := range page.Documents {
							if shown++; !asJSON {
								fmt.Fprintln(w, p.language().Say("%s\t%s\t%s\tpassages: %d\t%s\t%s", p.shown([]any{d.ID, d.Kind, d.Date, d.Passages, d.Source, d.Title})...))
							}
						}
					}); err != nil {
						return err
					}
					for _, d := range page.Documents {
						if asJSON {
							if err := p.line(d); err != nil {
								return err
							}
						}
					}
					if after = page.Next; after == "" || limit > 0 && shown >= limit {
						if !asJSON {
							p.say("documents: %d, passages: %d; found by words: %d, by meaning: %d", page.Summary.Documents, page.Passages, page.Words, page.Meanings)
						}
						return nil
					}
				}
			})
		}}
	list.Flags().StringVar(&source, "source", "", "only what came from this folder or file")
	list.Flags().StringVar(&kind, "type", "", "only documents of this type: "+strings.Join(library.Kinds, ", "))
	list.Flags().IntVar(&limit, "limit", 0, "at most this many (0: all)")

	var q library.Query
	search := &cobra.Command{Use: "search TEXT", Short: "Find passages by words and by meaning", Args: cobra.MinimumNArgs(1),
		Long: `Find passages in the library. Words are found in all their forms; a phrase in quotes must stand there as it is. With
the sentence encoder, or an embedding model, meanings are compared as well and both lists are fused; without, it says so.

With --json a line for each document, best first: {id, name, source, path, title, kind, date, …, found: [{n, place, page,
heading, text, parts: [{text, marked}], words_rank, meaning_rank, cosine}]}, then one line {by, note, passages, indexed}.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				q.Text = strings.Join(args, " ")
				// What is not indexed yet would not be found.
				if behind, err := a.Library.Behind(cmd.Context()); err == nil && behind {
					p.say("Indexing what is not indexed yet. Ctrl+C stops; it goes on the next time.")
					if err := a.IndexLibrary(cmd.Context(), progress()); err != nil {
						if cmd.Context().Err() != nil {
							return err
						}
						f := app.AsFault(err) // what is indexed can be searched on a full disk, too
						p.say("Not all is indexed, so not all is found: %s %s", p.failed(f.Message), p.told(f.Hint))
					}
				}
				found, err := a.SearchLibrary(cmd.Context(), q)
				if err != nil {
					return err
				}
				for _, h := range found.Hits {
					if asJSON {
						if err := p.line(h); err != nil {
							return err
						}
						continue
					}
					p.say("%s  %s  (%s, %s)", h.ID, h.Title, h.Source, h.Path)
					for _, f := range h.Found {
						where := p.language().Say("passage %d", f.Place)
						if f.Page > 0 {
							where = p.language().Say("page %d", f.Page)
						}
						var text strings.Builder
						for _, part := range f.Parts {
							if part.Marked {
								text.WriteString("[" + part.Text + "]")
							} else {
								text.WriteString(part.Text)
							}
						}
						p.say("    %s: %s", where, strings.Join(strings.Fields(text.String()), " "))
					}
				}
				if asJSON {
					return p.line(struct {
						By       string `json:"by"`
						Note     string `json:"note,omitempty"`
						Passages int    `json:"passages"`
						Indexed  int    `json:"indexed"`
					}{found.By, found.Note, found.Passages, found.Indexed})
				}
				if len(found.Hits) == 0 {
					p.say("Nothing was found.")
				}
				if found.Note != "" {
					p.say("%s", p.told(found.Note))
				}
				return nil
			})
		}}
	search.Flags().StringVar(&q.By, "by", "", "both (the default), words or meaning")
	search.Flags().StringVar(&q.Source, "source", "", "only what came from this folder or file, or a path in it that begins so")
	search.Flags().StringVar(&q.Kind, "type", "", "only documents of this type: "+strings.Join(library.Kinds, ", "))
	search.Flags().StringVar(&q.From, "from", "", "only documents of this date or later, e.g. 2011 or 2011-05-03")
	search.Flags().StringVar(&q.To, "to", "", "only documents of this date or earlier")
	search.Flags().StringVar(&q.Document, "document", "", "only in the document with this id")
	search.Flags().IntVar(&q.Limit, "limit", 10, "at most this many documents, up to 100")

	var original string
	var passage uint64
	show := &cobra.Command{Use: "show ID", Short: "Show a document's passages", Args: exact(1, "one document id"),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				if original != "" {
					_, body, err := a.Library.Original(args[0])
					if err != nil {
						return err
					}
					return app.WriteFile(original, func(w io.Writer) error {
						_, err := w.Write(body)
						return err
					})
				}
				if passage > 0 {
					return p.passage(a, args[0], passage, asJSON)
				}
				for from := 0; ; {
					v, err := a.Document(args[0], from, 500)
					if err != nil {
						return err
					}
					if from == 0 {
						if asJSON {
							err = p.line(v.Document)
						} else {
							p.say("%s\n%s, %s, %s %s\n", v.Title, v.Kind, v.Source, v.Path, v.Date)
							if where := v.Publication.String(); where != "" {
								p.say("%s\n", where)
							}
						}
						if err != nil {
							return err
						}
					}
					for _, x := range v.List {
						if asJSON {
							if err := p.line(x); err != nil {
								return err
							}
							continue
						}
						if _, err := fmt.Fprintf(p.out, "%s\n\n", strings.TrimSpace(x.Text[x.Overlap:])); err != nil {
							return err
						}
					}
					if from += len(v.List); len(v.List) == 0 || from >= v.Passages {
						return nil
					}
				}
			})
		}}
	show.Flags().StringVar(&original, "original", "", "write the file that was imported to this file instead")
	show.Flags().Uint64Var(&passage, "passage", 0, "only the passage with this number, also of a document that has left the library, as boards that cite it keep it")
	var yes bool
	rm := &cobra.Command{Use: "rm ID…", Short: "Remove documents with their passages, words, vectors and originals", Args: cobra.MinimumNArgs(1),
		Long: `Remove documents with their passages, words, vectors and originals. Boards that cite one keep the text that they cite and
say that the document was removed; how many they are is said first, and nothing is removed without --yes then.`,
		RunE: func(_ *cobra.Command, args []string) error {
			return p.with(func(a *app.App) error {
				for _, id := range args {
					boards, err := a.Citing(id)
					if err != nil {
						return err
					}
					if len(boards) == 0 {
						continue
					}
					if !yes {
						return misuse("Boards that cite document %s: %d. They keep the text that they cite and will say that the document was removed. Remove it anyway with --yes.", id, len(boards))
					}
					p.say("Boards that cite document %s: %d. They keep the text that they cite.", id, len(boards))
				}
				for _, id := range args {
					if err := a.DeleteDocument(id); err != nil {
						return err
					}
				}
				p.say("Removed.")
				return nil
			})
		}}
	rm.Flags().BoolVar(&yes, "yes", false, "also remove documents that boards cite")
	reindex := &cobra.Command{Use: "reindex", Short: "Rebuild the indexes of the library", Args: exact(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.with(func(a *app.App) error {
				if err := a.ReindexLibrary(cmd.Context(), progress()); err != nil {
					return err
				}
				s, err := a.Library.Summary()
				if err != nil {
					return err
				}
				if asJSON {
					return p.line(s)
				}
				p.say("Passages found by words: %d, by meaning: %d.", s.Words, s.Meanings)
				return nil
			})
		}}
	g := group("library", "Import, list, search, show and remove documents", append([]*cobra.Command{imp, list, search, show, rm, reindex}, p.online(&asJSON)...)...)
	g.PersistentFlags().BoolVar(&asJSON, "json", false, "print NDJSON")
	return g
}

// passage prints one, as a citation names it.
func (p *program) passage(a *app.App, document string, n uint64, asJSON bool) error {
	c, err := a.CitedPassage(document, n)
	if err != nil {
		return err
	}
	if asJSON {
		return p.line(c)
	}
	p.say("%s\n%s, %s", c.Title, c.Source, c.Name)
	if left := c.Departed(p.language().Say); left != "" {
		p.say("%s", left)
	}
	if c.Now != nil {
		p.say("The version in the library now: %s", c.Now.ID)
	}
	_, err = fmt.Fprintf(p.out, "%s\n", c.Text)
	return err
}

// place is where a problem is.
func place(x library.Problem) string {
	if x.Entry != "" {
		return x.File + ", " + x.Entry
	}
	return x.File
}

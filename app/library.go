package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/encoder"
	"holdpoint/engine/library"
)

// meaning is what compares meanings now: the embedding model that the person chose, else
// the encoder in the program; nil when there is neither.
func (a *App) meaning(ctx context.Context) (encoder.Encoder, error) {
	practice, err := a.Models.inPractice()
	if err != nil {
		return nil, err
	}
	s, err := a.Settings()
	if err != nil {
		return nil, err
	}
	// No server is asked for what needs none.
	if own := a.builtIn(); practice.on || own != nil && s.Embed == "" {
		return own, nil
	}
	_, e, _, err := a.Models.choose(ctx, playing{}, nil)
	if err != nil && s.Embed == "" {
		return nil, nil // without a server there is nothing
	}
	return e, err
}

// openLibrary gets the library ready; it reads nothing yet.
func (a *App) openLibrary() {
	a.Library = library.New(library.Options{Store: a.Store.Shown(), Encoder: a.meaning, PDF: library.NewPDF(a.dir), Now: a.now,
		Changed: func() { a.hub.notify(Notice{Kind: NoticeLibrary}) }})
	a.agents.search = a.SearchLibrary
}

// LibraryPage is a page of the list of documents.
type LibraryPage struct {
	library.Summary
	Documents []library.Document `json:"list"`
	Matching  int                `json:"matching"` // that the filter lets through
	Next      string             `json:"next"`     // pass as after for the next page; "" at the end
	// PDF says whether PDFs can be read, Extensions what else.
	PDF        bool     `json:"pdf"`
	Extensions []string `json:"extensions"`
	// Meaning says what compares meanings; "" for nothing.
	Meaning string `json:"meaning"`
}

// Documents lists the library in the order in which it grew. filter looks into titles, names and
// where documents were published.
func (a *App) Documents(filter, source, kind, after string, limit int) (LibraryPage, error) {
	a.catchUp()
	page := LibraryPage{Documents: []library.Document{}, PDF: library.HasPDF(), Extensions: library.Extensions()}
	var err error
	if page.Summary, err = a.Library.Summary(); err != nil {
		return page, err
	}
	if v, err := a.EncoderView(); err == nil && v.Use != "words" {
		page.Meaning = v.Name
	}
	if limit <= 0 || limit > 500 {
		limit = 50
	}
	filter = strings.ToLower(strings.TrimSpace(filter))
	open := after == ""
	err = a.Library.Documents(func(d library.Document) (bool, error) {
		if source != "" && d.Source != source || kind != "" && d.Kind != kind {
			return true, nil
		}
		if filter != "" && !strings.Contains(strings.ToLower(d.Title+" "+d.Name+" "+d.Path+" "+d.ID+" "+d.Publication.Words()), filter) {
			return true, nil
		}
		page.Matching++
		switch {
		case !open:
			open = d.ID == after
		case len(page.Documents) < limit:
			page.Documents = append(page.Documents, d)
		case page.Next == "":
			page.Next = page.Documents[limit-1].ID
		}
		return true, nil
	})
	return page, err
}

// DocumentView is a document with some of its passages.
type DocumentView struct {
	library.Document
	From int               `json:"from"` // which of the passages List begins with, from 0
	List []library.Passage `json:"list"`
}

// Document reads a document's passages from one on, counted from 0.
func (a *App) Document(id string, from, limit int) (DocumentView, error) {
	if limit <= 0 || limit > 500 {
		limit = 100
	}
	d, list, err := a.Library.Passages(id, from, limit)
	if errors.Is(err, library.ErrNotFound) {
		return DocumentView{}, notInLibrary(id)
	}
	return DocumentView{d, max(from, 0), list}, err
}

func notInLibrary(id string) *Fault {
	return &Fault{Code: "not_found", Message: fmt.Sprintf("There is no document %q in the library.", id), Hint: "See holdpoint library list.", HTTP: 404}
}

// PageImage is a picture of a PDF's page with a passage marked.
func (a *App) PageImage(ctx context.Context, id string, page, width int, passage uint64) ([]byte, error) {
	body, err := a.Library.Page(ctx, id, page, width, passage)
	switch {
	case errors.Is(err, library.ErrNotFound):
		return nil, notInLibrary(id)
	case errors.Is(err, library.ErrNoPDF):
		return nil, Bad("This Holdpoint draws no PDF pages: it was built without PDFium.", "Build it with ./build/run or ./build/edge.")
	}
	return body, err
}

// SearchLibrary finds passages.
func (a *App) SearchLibrary(ctx context.Context, q library.Query) (library.Answer, error) {
	if err := checkQuery(q); err != nil {
		return library.Answer{}, err
	}
	a.catchUp()
	return a.Library.Search(ctx, q)
}

func checkQuery(q library.Query) error {
	switch q.By {
	case "", library.ByBoth, library.ByWords, library.ByMeaning:
	default:
		return Bad(fmt.Sprintf("There is no way to search called %q.", q.By), "Ways are both, words and meaning.")
	}
	if q.Kind != "" && !slices.Contains(library.Kinds, q.Kind) {
		return Bad(fmt.Sprintf("There is no type of document called %q.", q.Kind), fmt.Sprintf("Types are %s.", strings.Join(library.Kinds, ", ")))
	}
	for _, bound := range []string{q.From, q.To} {
		if bound != "" && !slices.ContainsFunc([]string{"2006", "2006-01", time.DateOnly}, func(layout string) bool {
			_, err := time.Parse(layout, bound)
			return err == nil
		}) {
			return Bad(fmt.Sprintf("%q is not a date.", bound), "Give a year, a month or a day: 2011, 2011-05 or 2011-05-03.")
		}
	}
	if len(q.Text) > 10_000 {
		return Bad("The question is longer than 10,000 characters.", "Ask for less at a time.")
	}
	return nil
}

// DeleteDocument removes a document from the library, wholly.
func (a *App) DeleteDocument(id string) error {
	err := a.Library.Remove(id)
	if errors.Is(err, library.ErrNotFound) {
		return notInLibrary(id)
	}
	return err
}

// ImportDocuments imports a path and waits.
func (a *App) ImportDocuments(ctx context.Context, path string, report progressIn) (library.Report, error) {
	if _, err := Named(path, true); err != nil {
		return library.Report{}, err
	}
	return a.Library.ImportPath(ctx, path, importing(report))
}

func importing(report progressIn) library.Progress {
	return func(done, total int, what string) {
		unit := "entries"
		if what == "documents" {
			unit = what
		}
		report(int64(done), int64(total), unit, map[string]string{"words": phrase("passages are indexed by words"), "meanings": phrase("passages are indexed by meaning")}[what])
	}
}

// StartImportDocuments imports a path in the background.
func (a *App) StartImportDocuments(path string) (Job, error) {
	if strings.TrimSpace(path) == "" {
		return Job{}, Bad("No file was named.", "Choose a file, a folder or a zip.")
	}
	return a.jobs.startIn(a.ctx, "import_library", path, "documents", func(ctx context.Context, report progressIn) (any, error) {
		return a.ImportDocuments(ctx, path, report)
	}), nil
}

// uploadDocument takes a document from the browser. The answer comes when all of it was read.
func (a *App) uploadDocument(ctx context.Context, name string, body io.Reader) Job {
	return a.uploadInto(ctx, name, func(ctx context.Context, p library.Progress) (library.Report, error) {
		return a.Library.ImportReader(ctx, "Uploads", name, body, p)
	})
}

// uploadFolder takes the documents of a folder, which the names that next gives begin with.
func (a *App) uploadFolder(ctx context.Context, folder string, next func() (string, io.Reader, error)) Job {
	return a.uploadInto(ctx, folder, func(ctx context.Context, p library.Progress) (library.Report, error) {
		return a.Library.ImportFiles(ctx, folder, func() (string, io.Reader, error) {
			name, body, err := next()
			return strings.TrimPrefix(name, folder+"/"), body, err
		}, p)
	})
}

func (a *App) uploadInto(ctx context.Context, title string, take func(context.Context, library.Progress) (library.Report, error)) Job {
	done := make(chan struct{})
	j := a.jobs.startIn(ctx, "import_library", title, "documents", func(ctx context.Context, report progressIn) (any, error) {
		defer close(done)
		return take(ctx, importing(report))
	})
	<-done
	for _, x := range a.jobs.all() {
		if x.ID == j.ID {
			return x // with the report
		}
	}
	return j
}

// ReindexLibrary makes the indexes anew and waits.
func (a *App) ReindexLibrary(ctx context.Context, report progressIn) error {
	err := a.Library.Reindex(ctx, importing(report))
	a.hub.notify(Notice{Kind: NoticeLibrary})
	return err
}

// StartReindex makes the indexes anew in the background.
func (a *App) StartReindex() Job {
	return a.jobs.startIn(a.ctx, "index_library", "Library", "entries", func(ctx context.Context, report progressIn) (any, error) {
		return nil, a.ReindexLibrary(ctx, report)
	})
}

// catchUp indexes in the background what is not indexed: after a kill, damage, or another
// choice of what compares meanings.
func (a *App) catchUp() {
	a.mu.Lock()
	soon := a.now().Sub(a.indexedAt) < catchUpEvery
	a.mu.Unlock()
	if soon || a.Library.Empty() || a.indexing() {
		return
	}
	if behind, err := a.Library.Behind(a.ctx); err != nil || !behind {
		return // a store that cannot be read says so elsewhere
	}
	a.mu.Lock()
	a.indexedAt = a.now()
	a.mu.Unlock()
	a.jobs.startIn(a.ctx, "index_library", "Library", "entries", func(ctx context.Context, report progressIn) (any, error) {
		return nil, a.IndexLibrary(ctx, report)
	})
}

// catchUpEvery is how long a rebuild that failed is not tried again by itself.
const catchUpEvery = time.Minute

// indexing says whether a job sees to the indexes now.
func (a *App) indexing() bool {
	return slices.ContainsFunc(a.jobs.all(), func(j Job) bool {
		return j.Status == "running" && (j.Kind == "index_library" || j.Kind == "import_library")
	})
}

// IndexLibrary indexes what is not indexed yet and waits.
func (a *App) IndexLibrary(ctx context.Context, report progressIn) error {
	err := a.Library.Index(ctx, importing(report))
	a.hub.notify(Notice{Kind: NoticeLibrary})
	return err
}

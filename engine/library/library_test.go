package library_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"holdpoint/engine/encoder"
	"holdpoint/engine/library"
	"holdpoint/engine/tool"
	"holdpoint/store"
)

// open is a library in a file of its own.
func open(t *testing.T, e encoder.Encoder) (*library.Library, *store.DB) {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "holdpoint.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return over(db, e), db
}

func over(db *store.DB, e encoder.Encoder) *library.Library {
	return library.New(library.Options{Store: db, Encoder: func(context.Context) (encoder.Encoder, error) { return e, nil }})
}

// folder has files with these contents.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "papers")
	for name, body := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func imported(t *testing.T, l *library.Library, path string) library.Report {
	t.Helper()
	rep, err := l.ImportPath(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if rep.Read != rep.Created+rep.Updated+rep.Unchanged+rep.Duplicates+rep.Failed {
		t.Errorf("something was lost in silence: %+v", rep)
	}
	return rep
}

// found are the names of the documents that a search finds, best first.
func found(t *testing.T, l *library.Library, q library.Query) []string {
	t.Helper()
	a, err := l.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, h := range a.Hits {
		names = append(names, h.Name)
	}
	return names
}

func expect(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: found %q, not %q", what, got, want)
	}
}

var papers = map[string]string{
	"salt.txt":             "Salt and pressure\n\nEating less salt lowers blood pressure in older adults. The effect was seen after four weeks.",
	"sleep.md":             "---\ntitle: Sleeping better\ndate: 2019-04-02\n---\n# Insomnia\n\nCognitive therapy helps people who sleep badly.\n\n# Tablets\n\nTablets help for some nights only.",
	"deep/kopfschmerz.txt": "Die Patienten berichteten über starke Kopfschmerzen, und die Behandlungen mit Triptanen halfen nach zwei Stunden bei den meisten von ihnen.",
	"page.html":            "<html><head><title>Vaccines</title><script>alert('measles')</script></head><body><nav>Home</nav><h2>Measles</h2><p>Two doses protect nearly all children.</p></body></html>",
	"abstracts.json":       `{"111":{"QUESTION":"Does yoga help?","CONTEXTS":["Backs hurt many people.","Yoga eased pain after three months."],"LABELS":["BACKGROUND","RESULTS"],"YEAR":"2011","LONG_ANSWER":"It does."},"222":{"QUESTION":"?","CONTEXTS":["Statins lower cholesterol."],"LABELS":["RESULTS"],"YEAR":"2015"}}`,
}

func TestImport_ReadsFilesFoldersAndTheSameAgainChangesNothing(t *testing.T) {
	l, db := open(t, nil)
	dir := folder(t, papers)
	if rep := imported(t, l, dir); rep.Created != 6 || rep.Failed != 0 || !rep.ByWordsOnly {
		t.Fatalf("reported %+v", rep)
	}
	before := db.Commits()
	if rep := imported(t, l, dir); rep.Unchanged != 6 || rep.Created+rep.Updated+rep.Failed != 0 {
		t.Errorf("the same again: %+v", rep)
	}
	if n := db.Commits() - before; n != 0 {
		t.Errorf("the same again wrote %d times", n)
	}
	// What has other contents takes the place of what was there, and nothing else does.
	if err := os.WriteFile(filepath.Join(dir, "salt.txt"), []byte("Pepper does nothing of the kind, the authors found."), 0o600); err != nil {
		t.Fatal(err)
	}
	if rep := imported(t, l, dir); rep.Updated != 1 || rep.Unchanged != 5 {
		t.Errorf("one changed: %+v", rep)
	}
	expect(t, "what was replaced", found(t, l, library.Query{Text: "salt"}))
	expect(t, "what replaced it", found(t, l, library.Query{Text: "pepper"}), "salt.txt")
	// The same contents from elsewhere are the same document.
	if rep := imported(t, l, folder(t, map[string]string{"copy.txt": papers["deep/kopfschmerz.txt"]})); rep.Duplicates != 1 || rep.Created != 0 {
		t.Errorf("a copy: %+v", rep)
	}
}

func TestSearch_FindsWordsInAllTheirFormsAndMarksThem(t *testing.T) {
	l, _ := open(t, nil)
	imported(t, l, folder(t, papers))
	for question, name := range map[string]string{
		"lowering pressures": "salt.txt", "insomnia": "sleep.md", "Behandlung Kopfschmerz": "kopfschmerz.txt", "measles": "page.html", "yoga pains": "111", "statin": "222", `"blood pressure"`: "salt.txt",
	} {
		if got := found(t, l, library.Query{Text: question}); len(got) == 0 || got[0] != name {
			t.Errorf("%s: found %q, not %s", question, got, name)
		}
	}
	expect(t, "a phrase that is not there", found(t, l, library.Query{Text: `"pressure blood"`}))
	expect(t, "a script", found(t, l, library.Query{Text: "alert"}))
	expect(t, "the question of a test set", found(t, l, library.Query{Text: "does"}))
	a, err := l.Search(t.Context(), library.Query{Text: "older adult pressure"})
	if err != nil || len(a.Hits) != 1 {
		t.Fatal(a, err)
	}
	var marked []string
	text := ""
	for _, p := range a.Hits[0].Found[0].Parts {
		if text += p.Text; p.Marked {
			marked = append(marked, p.Text)
		}
	}
	expect(t, "marks", marked, "pressure", "pressure", "older", "adults")
	if text != a.Hits[0].Found[0].Text {
		t.Errorf("the parts are not the text: %q", text)
	}
	if a.By != library.ByWords || !strings.Contains(a.Note, "words only") {
		t.Errorf("without an encoder it says %q, %q", a.By, a.Note)
	}
}

// "I have no œ on my keyboard, and it found nothing." Letters that keyboards lack are found written out.
func TestSearch_FindsLettersThatKeyboardsLackWrittenOut(t *testing.T) {
	l, _ := open(t, nil)
	imported(t, l, folder(t, map[string]string{"a.txt": "Une œuvre sur le cœur et la Straße nach Łódź, om smerte i hånden hos søsteren."}))
	for _, text := range []string{"oeuvre", "œuvre", "coeur", "Strasse", "Lodz", "sosteren"} {
		expect(t, text, found(t, l, library.Query{Text: text, By: library.ByWords}), "a.txt")
	}
}

func TestSearch_FiltersBySourceDateAndType(t *testing.T) {
	l, _ := open(t, nil)
	imported(t, l, folder(t, papers))
	other := folder(t, map[string]string{"more.txt": "People eat salt, and tablets help people who hurt."})
	if err := os.Rename(other, other+"-2"); err != nil {
		t.Fatal(err)
	}
	imported(t, l, other+"-2")
	all := found(t, l, library.Query{Text: "people"})
	slices.Sort(all)
	expect(t, "no filter", all, "111", "more.txt", "sleep.md")
	expect(t, "source", found(t, l, library.Query{Text: "people", Source: "papers-2"}), "more.txt")
	expect(t, "path", found(t, l, library.Query{Text: "people", Source: "abstracts.json"}), "111")
	expect(t, "type", found(t, l, library.Query{Text: "people", Kind: library.KindMarkdown}), "sleep.md")
	expect(t, "from", found(t, l, library.Query{Text: "people", From: "2012"}), "sleep.md")
	expect(t, "to", found(t, l, library.Query{Text: "people", To: "2011-06"}), "111")
}

func TestRemove_LeavesNothingToBeFound(t *testing.T) {
	l, db := open(t, nil)
	dir := folder(t, papers)
	imported(t, l, dir)
	a, err := l.Search(t.Context(), library.Query{Text: "statins cholesterol"})
	if err != nil || len(a.Hits) != 1 {
		t.Fatal(a, err)
	}
	before := weight(t, db)
	if err := l.Remove(a.Hits[0].ID); err != nil {
		t.Fatal(err)
	}
	expect(t, "in this process", found(t, l, library.Query{Text: "statins cholesterol"}))
	expect(t, "in the next one", found(t, over(db, nil), library.Query{Text: "statins cholesterol"}))
	after := weight(t, db)
	for _, b := range []string{"documents", "passages", "originals", "library_words"} {
		if after[b] >= before[b] {
			t.Errorf("%s has %d bytes, before %d", b, after[b], before[b])
		}
	}
	if err := l.Remove(a.Hits[0].ID); !errors.Is(err, library.ErrNotFound) {
		t.Errorf("removed twice: %v", err)
	}
	// It can come back, under new numbers, and only it does.
	if rep := imported(t, over(db, nil), dir); rep.Created != 1 || rep.Unchanged != 5 {
		t.Errorf("imported again: %+v", rep)
	}
}

func weight(t *testing.T, db *store.DB) map[string]int64 {
	t.Helper()
	w, err := db.Weigh()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func zipped(t *testing.T, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, body := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(body))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestImport_NamesWhatItCannotReadAndGoesOn(t *testing.T) {
	l, _ := open(t, nil)
	rep := imported(t, l, folder(t, map[string]string{
		"empty.txt":   "",
		"blank.txt":   "  \n\n ",
		"binary.txt":  "\x00\x01\x02 text",
		"latin.txt":   "Le caf\xe9 et la sant\xe9 des personnes \xe2g\xe9es dans une ville de province.",
		"broken.json": `{"1":{"text":"Half of the arthritis`,
		"twice.jsonl": `{"id":"7","text":"The first one stays in the library."}` + "\n" + `{"id":"7","text":"Another one of the same id."}` + "\n" + `not json` + "\n",
		"notexts.csv": "a,b\n1,2\n",
		"picture.png": "\x89PNG",
		"bomb.zip":    zipped(t, map[string]string{"bomb.txt": strings.Repeat("a", 50<<20), "good.txt": "A good text about gout came out of a zip."}),
		"nested.zip":  zipped(t, map[string]string{"inner.zip": zipped(t, map[string]string{"x.txt": "never"}), "../../etc/x.txt": "A path that climbs stays inside."}),
		"torn.zip":    "PK\x03\x04 no zip",
		"locked.pdf":  "%PDF-1.4 nothing of the kind",
		"fine.txt":    "Everything here is fine with asthma.",
	}))
	reasons := map[string]string{}
	for _, p := range rep.Problems {
		reasons[p.File+" "+p.Entry] = p.Error
	}
	for file, want := range map[string]string{
		"empty.txt ": "empty", "blank.txt ": "no text", "binary.txt ": "not text: it has zero bytes", "broken.json ": "not JSON", "twice.jsonl 7": "same id", "twice.jsonl line 3": "not a JSON object",
		"notexts.csv ": "no column has texts", "bomb.zip/bomb.txt ": "bomb", "torn.zip ": "not a zip", "locked.pdf ": "",
	} {
		if got, ok := reasons[file]; !ok || !strings.Contains(got, want) {
			t.Errorf("%s: %q", file, got)
		}
	}
	if len(reasons) != 10 || rep.Failed != 10 || rep.SkippedFiles != 2 {
		t.Errorf("reported %+v", rep)
	}
	for question, name := range map[string]string{"café": "latin.txt", "sante": "latin.txt", "asthma": "fine.txt", "gout": "good.txt", "climbs": "x.txt", "first library": "7"} {
		expect(t, question, found(t, l, library.Query{Text: question}), name)
	}
	if len(rep.Notes) != 1 || !strings.Contains(rep.Notes[0].Error, "Windows-1252") {
		t.Errorf("notes are %+v", rep.Notes)
	}
	if _, err := l.ImportPath(t.Context(), filepath.Join(t.TempDir(), "gone"), nil); err == nil {
		t.Error("a folder that is not there was imported")
	}
	if _, err := l.ImportPath(t.Context(), t.TempDir(), nil); !errors.Is(err, library.ErrNothing) {
		t.Errorf("an empty folder: %v", err)
	}
}

// "My lists with é became R�sum�." "One odd letter, and every ü of the whole text was two others."
func TestImport_KeepsTheLettersOfEveryEncoding(t *testing.T) {
	wide := func(text string, order binary.AppendByteOrder) string {
		raw := order.AppendUint32(nil, 0xFEFF)
		for _, r := range text {
			raw = order.AppendUint32(raw, uint32(r))
		}
		return string(raw)
	}
	l, _ := open(t, nil)
	rep := imported(t, l, folder(t, map[string]string{
		"little32.txt": wide("Les \u00e9l\u00e8ves na\u00effs mangent des mirabelles.", binary.LittleEndian),
		"big32.txt":    wide("Les \u00e9l\u00e8ves na\u00effs mangent des quetsches.", binary.BigEndian),
		"lies.html":    "<html><head><meta charset=\"utf-8\"></head><body><p>D\xe9j\xe0 vu et re\xe7u.</p></body></html>",
		"list.json":    `[{"id":"j1","text":"R` + "\xe9" + `sum` + "\xe9" + ` of a kestrel."}]`,
		"lines.jsonl":  `{"id":"j2","text":"R` + "\xe9" + `sum` + "\xe9" + ` of a falcon."}` + "\n",
		"onebad.txt":   "Die Pr\u00fcfung der L\u00fcftung dauert \u00fcber eine Stunde.\nNun ein Caf\xe9.\n",
	}))
	if rep.Failed != 0 || len(rep.Notes) != 4 {
		t.Errorf("reported %+v", rep)
	}
	for question, name := range map[string]string{`"élèves naïfs mangent des mirabelles"`: "little32.txt", `"élèves naïfs mangent des quetsches"`: "big32.txt", `"déjà vu et reçu"`: "lies.html",
		`"résumé of a kestrel"`: "j1", `"résumé of a falcon"`: "j2", `"Prüfung der Lüftung"`: "onebad.txt", `"nun ein café"`: "onebad.txt"} {
		expect(t, question, found(t, l, library.Query{Text: question}), name)
	}
	for _, n := range rep.Notes {
		if n.File == "onebad.txt" && !strings.Contains(n.Error, "line 2") {
			t.Errorf("note of %s: %s", n.File, n.Error)
		}
	}
}

// "One broken zip filled the list, and of my other bad files none was named."
// "I imported what our records system exports, and it called 3,873 patients and visits documents that could not be read."
func TestImport_RecordsAreNoDocumentsThatFailed(t *testing.T) {
	l, _ := open(t, nil)
	const note = `{"resourceType":"DocumentReference","id":"n1","content":[{"attachment":{"contentType":"text/plain","data":"VGhlIHBhdGllbnQgc3VmZmVycyBmcm9tIHZlcnRpZ28u"}}]}`
	rep := imported(t, l, folder(t, map[string]string{
		"Patient.ndjson": strings.Repeat(`{"resourceType":"Patient","id":"p","name":[{"family":"Doe"}],"text":{"div":"<div>x</div>"}}`+"\n", 3),
		"bundle.json":    `{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Encounter","id":"v"}},{"resource":` + note + `}]}`,
		"hostile.json":   `{"resourceType":"` + strings.Repeat("x", 9000) + `"}`,
	}))
	if rep.Failed != 0 || rep.Created != 1 || rep.Read != 1 || rep.SkippedFiles != 3 {
		t.Errorf("%+v", rep)
	}
	for _, want := range []string{"3 of its entries are FHIR records of the type Patient", "1 of its entries are FHIR records of the type Encounter"} {
		if !slices.ContainsFunc(rep.Skipped, func(p library.Problem) bool { return strings.HasPrefix(p.Error, want) && len(p.Error) < 300 }) {
			t.Errorf("it is not said that %s: %+v", want, rep.Skipped)
		}
	}
	if only, err := l.ImportPath(t.Context(), folder(t, map[string]string{"Patient.ndjson": `{"resourceType":"Patient","id":"p"}`}), nil); !errors.Is(err, library.ErrNothing) || len(only.Skipped) != 1 {
		t.Errorf("records alone: %+v, %v", only, err)
	}
}

// "The page says nothing of the kind: it is in white letters that no browser shows, and the study quoted it."
func TestImport_LeavesOutWhatAPageDoesNotShow(t *testing.T) {
	l, _ := open(t, nil)
	imported(t, l, folder(t, map[string]string{"page.html": `<title>Salt</title><h1 hidden>Unseen heading</h1><p hidden>Unseen one.<p>Shown one.</p><div style="Display : none"><p>Unseen two.</p><div>Unseen three.</div></div>
<ul><li hidden>Unseen four.<li>Shown two.<li style="visibility:hidden">Unseen five.</ul>Shown three.<table><tr hidden><td>Unseen six.<tr><td>Shown four.<td hidden><p>Unseen seven.</p></td><td>Shown five.</table>
<span hidden>Unseen eight.</span><img hidden src="x">Shown six.<p style="color:red">Shown seven.<dl><dd hidden>Unseen nine.</dl>Shown eight.<p hidden>Unseen ten.</body>`}))
	text := ""
	var ids []string
	if err := l.Documents(func(d library.Document) (bool, error) { ids = append(ids, d.ID); return true, nil }); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		_, list, err := l.Passages(id, 0, 50)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list {
			text += p.Heading + " " + p.Text + "\n"
		}
	}
	if strings.Contains(text, "Unseen") {
		t.Errorf("what is not shown was read:\n%s", text)
	}
	for _, n := range []string{"one", "two", "three", "four", "five", "six", "seven", "eight"} {
		if !strings.Contains(text, "Shown "+n) {
			t.Errorf("“Shown %s” is missing:\n%s", n, text)
		}
	}
}

func TestImport_TellsOfEveryFileThatSomethingIsWrong(t *testing.T) {
	many := map[string]string{}
	for i := range 3000 {
		many[fmt.Sprintf("%04d.txt", i)] = ""
	}
	l, _ := open(t, nil)
	rep := imported(t, l, folder(t, map[string]string{"a.zip": zipped(t, many), "b.txt": "", "c.txt": "A text about gout."}))
	if rep.Failed != 3001 || !slices.ContainsFunc(rep.Problems, func(p library.Problem) bool { return p.File == "b.txt" }) || len(rep.Problems) > 100 {
		t.Errorf("%d failed; told: %d", rep.Failed, len(rep.Problems))
	}
}

// "It took my English notes for German, and found none that had improved."
func TestSearch_FindsFormsOfWordsInShortEnglishTexts(t *testing.T) {
	l, _ := open(t, nil)
	imported(t, l, folder(t, map[string]string{
		"coffee.txt": "Coffee increases alertness in night nurses. In 40 nurses coffee improved alertness.",
		"bones.txt":  "Vitamin D supplements improved bones. In winter, fractures declined in women.",
		"wuhan.txt":  "Covid19 infection began in Wuhan (Hubei, China) in December, 2019. It improves in spring.",
	}))
	expect(t, "improve", found(t, l, library.Query{Text: "improve", By: library.ByWords}), "bones.txt", "coffee.txt", "wuhan.txt")
}

func TestImport_ReadsExportsOfReferenceManagers(t *testing.T) {
	l, _ := open(t, nil)
	note, err := json.Marshal(map[string]any{"resourceType": "DocumentReference", "id": "n1", "date": "2020-02-03T10:00:00Z", "type": map[string]any{"text": "Visit note"},
		"content": []any{map[string]any{"attachment": map[string]any{"contentType": "text/plain", "data": "VGhlIHBhdGllbnQgc3VmZmVycyBmcm9tIHZlcnRpZ28u"}}}})
	if err != nil {
		t.Fatal(err)
	}
	imported(t, l, folder(t, map[string]string{
		"pubmed.txt": "PMID- 555\nDP  - 2018 Oct 6\nTI  - Honey for cough in\n      children\nAB  - Honey was better than nothing.\n\nPMID- 556\nTI  - Zinc\nAB  - Zinc did little.\n",
		"refs.ris":   "TY  - JOUR\nTI  - Garlic and colds\nPY  - 2012\nAB  - Garlic prevented few colds.\nID  - g1\nER  - \n",
		"table.csv":  "id,title,abstract,year\n9,Ginger,Ginger settles the stomach.,2014\n",
		"mac.ris":    "TY  - JOUR\rTI  - Sage and hoarseness\rID  - m1\rER  - \r", // line ends as some programs on Macs still write them
		"mac.csv":    "id,title,abstract\rm2,Thyme,Thyme loosens phlegm.\rm3,Fennel,Fennel does so, too.\r",
		"note.json":  string(note),
		// Zotero's and PubMed's columns have names of their own, and a French table has French ones, in an older encoding.
		"zotero.csv":   "\"Key\",\"Item Type\",\"Publication Year\",\"Author\",\"Title\",\"Publication Title\",\"DOI\",\"Url\",\"Abstract Note\",\"Date\"\n\"Z1\",\"journalArticle\",\"2017\",\"Lee, Ann\",\"Rosemary\",\"Herb Reports\",\"10.1/z\",\"\",\"Rosemary sharpened recall.\",\"2017-04\"\n",
		"table-fr.csv": "Cl\xe9;Titre;R\xe9sum\xe9;Ann\xe9e\nf1;Tilleul;Le tilleul apaise la nervosit\xe9.;2011\n",
		"table-de.csv": "id;Titel;Zusammenfassung;Jahr\nd1;Lavendel;Lavendel linderte die Unruhe.;2011\n",
	}))
	for question, name := range map[string]string{"honey children": "555", "zinc": "556", "garlic": "g1", "ginger": "9", "vertigo": "n1", "hoarseness": "m1", "phlegm": "m2", "fennel": "m3",
		"recall": "10.1/z", "nervosité": "f1", "unruhe": "d1"} {
		expect(t, question, found(t, l, library.Query{Text: question}), name)
	}
	expect(t, "dates", found(t, l, library.Query{Text: "honey zinc garlic", From: "2018-10", To: "2018-10-06"}), "555")
	expect(t, "years", found(t, l, library.Query{Text: "tilleul lavendel", From: "2011", To: "2011"}), "f1", "d1")
	hits, err := l.Search(t.Context(), library.Query{Text: "rosemary", By: library.ByWords})
	if err != nil || len(hits.Hits) != 1 || hits.Hits[0].Title != "Rosemary" || hits.Hits[0].Date != "2017-04" || hits.Hits[0].Publication.Journal != "Herb Reports" {
		t.Errorf("%+v, %v", hits.Hits, err)
	}
}

// "The study rests on a note that the clinic had taken back." "It did not say which file had a wrong encoding."
func TestImport_LeavesOutWhatWasTakenBackAndTellsWhatManyNotesLeaveOut(t *testing.T) {
	l, _ := open(t, nil)
	var notes strings.Builder
	for id, status := range map[string]string{"kept": `"status":"current"`, "back": `"status":"entered-in-error"`, "draft": `"status":"current","docStatus":"entered-in-error"`} {
		fmt.Fprintf(&notes, "{\"resourceType\":\"DocumentReference\",\"id\":%q,%s,\"content\":[{\"attachment\":{\"contentType\":\"text/plain\",\"data\":%q}}]}\n",
			id, status, base64.StdEncoding.EncodeToString([]byte("The patient takes "+id+" warfarin.")))
	}
	files := map[string]string{"notes.ndjson": notes.String(), "z.txt": "Caf\xe9 au lait."}
	for i := range 150 {
		files[fmt.Sprintf("same-%03d.txt", i)] = "The same words everywhere."
	}
	rep, err := l.ImportPath(t.Context(), folder(t, files), nil)
	if err != nil || rep.Failed != 2 || rep.Duplicates != 149 {
		t.Fatalf("%+v, %v", rep, err)
	}
	for _, p := range rep.Problems {
		if !strings.Contains(p.Error, "entered in error") {
			t.Errorf("%+v", p)
		}
	}
	if found := found(t, l, library.Query{Text: "warfarin"}); len(found) != 1 {
		t.Errorf("found %v", found)
	}
	if len(rep.Notes) != 51 || rep.Notes[50].File != "z.txt" || rep.MoreNotes != 99 {
		t.Errorf("%d notes and %d more, the last on %+v", len(rep.Notes), rep.MoreNotes, rep.Notes[len(rep.Notes)-1])
	}
}

// topics is an encoder that knows which words mean the same.
type topics struct {
	name string
	fail error
}

func (e *topics) Name() string   { return e.name }
func (e *topics) Dimension() int { return 100 }
func (e *topics) Vector(ctx context.Context, texts []string) ([][]float32, error) {
	if err := errors.Join(e.fail, ctx.Err()); err != nil {
		return nil, err
	}
	same := strings.NewReplacer("insomnia", "sleep", "hypertension", "pressure")
	out := make([][]float32, len(texts))
	for i, text := range texts {
		v := make([]float32, 100)
		for _, w := range strings.FieldsFunc(same.Replace(strings.ToLower(text)), func(r rune) bool { return r < 'a' || r > 'z' }) {
			h := fnv.New64a()
			fmt.Fprint(h, e.name, w)
			for k, x := 0, h.Sum64(); k < 100; k++ {
				x = x*6364136223846793005 + 1442695040888963407
				v[k] += float32(int64(x)) / math.MaxInt64
			}
		}
		length := math.Sqrt(encoder.Cosine(v, v))
		for k := range v {
			v[k] /= float32(max(length, 1e-9))
		}
		out[i] = v
	}
	return out, nil
}

func TestSearch_ComparesMeaningsAndSaysWhenItCannot(t *testing.T) {
	e := &topics{name: "one"}
	l, db := open(t, e)
	imported(t, l, folder(t, papers))
	ask := func(l *library.Library, by string) library.Answer {
		a, err := l.Search(t.Context(), library.Query{Text: "hypertension", By: by})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := ask(l, library.ByWords); len(a.Hits) != 0 {
		t.Errorf("by words: %+v", a.Hits)
	}
	for _, by := range []string{library.ByBoth, library.ByMeaning, ""} {
		if a := ask(over(db, e), by); len(a.Hits) == 0 || a.Hits[0].Name != "salt.txt" || a.Note != "" || a.Hits[0].Found[0].Cosine <= 0 {
			t.Errorf("by %q: %+v", by, a)
		}
	}
	if a := ask(over(db, nil), ""); a.By != library.ByWords || !strings.Contains(a.Note, "words only") {
		t.Errorf("without an encoder: %+v", a)
	}
	// Vectors of another encoder are not compared; they are made anew.
	other := over(db, &topics{name: "two"})
	if a := ask(other, ""); a.By != library.ByWords || a.Note == "" {
		t.Errorf("another encoder: %+v", a)
	}
	if behind, err := other.Behind(t.Context()); err != nil || !behind {
		t.Error("nobody is told that vectors are another encoder's", err)
	}
	if err := other.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if a := ask(other, ""); len(a.Hits) == 0 || a.Hits[0].Name != "salt.txt" {
		t.Errorf("made anew: %+v", a)
	}
	// One that fails costs its part alone.
	if a := ask(over(db, &topics{name: "two", fail: errors.New("gone")}), ""); a.By != library.ByWords || a.Note == "" {
		t.Errorf("a failing encoder: %+v", a)
	}
	id := found(t, other, library.Query{Text: "hypertension"})
	d, err := other.Search(t.Context(), library.Query{Text: "hypertension"})
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Remove(d.Hits[0].ID); err != nil {
		t.Fatal(err)
	}
	if again := found(t, other, library.Query{Text: "hypertension"}); slices.Contains(again, id[0]) {
		t.Errorf("what was removed is found by meaning: %q", again)
	}
}

func TestImport_ThatEndedEarlyGoesOn(t *testing.T) {
	e := &topics{name: "one", fail: errors.New("no memory")}
	l, db := open(t, e)
	dir := folder(t, papers)
	rep, err := l.ImportPath(t.Context(), dir, nil)
	if err == nil || rep.Created != 6 {
		t.Fatalf("%+v, %v", rep, err)
	}
	// In the next process the documents are there, words are indexed, meanings are not.
	next := over(db, &topics{name: "one"})
	expect(t, "by words", found(t, next, library.Query{Text: "statins", By: library.ByWords}), "222")
	if behind, err := next.Behind(t.Context()); err != nil || !behind {
		t.Fatal("it does not know that something is missing", err)
	}
	if rep := imported(t, next, dir); rep.Unchanged != 6 {
		t.Errorf("%+v", rep)
	}
	if s, err := next.Summary(); err != nil || s.Meanings != s.Passages || s.Words != s.Passages {
		t.Errorf("%+v, %v", s, err)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if rep, err := next.ImportPath(stopped, folder(t, map[string]string{"x.txt": "never read"}), nil); !rep.Stopped || !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %+v, %v", rep, err)
	}
}

func TestIndex_ThatIsDamagedIsMadeAnew(t *testing.T) {
	for name, harm := range map[string]func(library.Tx) error{
		"state of words":  func(tx library.Tx) error { return tx.Words().Put([]byte("s"), []byte("{")) },
		"no words":        func(tx library.Tx) error { _, err := tx.Words().Clear(); return err },
		"a newer version": func(tx library.Tx) error { return tx.Words().Put([]byte("s"), []byte(`{"version":99,"through":3}`)) },
		"newer meanings": func(tx library.Tx) error {
			return tx.Meaning().Put([]byte("s"), []byte(`{"version":99,"through":3,"encoder":"one","dimension":7}`))
		},
		"lengths":           func(tx library.Tx) error { return tx.Words().Put([]byte{'l', 0, 0, 0, 0}, []byte("short")) },
		"state of meanings": func(tx library.Tx) error { return tx.Meaning().Put([]byte("s"), []byte("{")) },
		"signs":             func(tx library.Tx) error { return tx.Meaning().Put([]byte{'c', 0, 0, 0, 0}, []byte("short")) },
		"postings": func(tx library.Tx) error {
			var keys [][]byte
			if err := tx.Words().Scan([]byte{'p'}, func(k, _ []byte) (bool, error) { keys = append(keys, k); return true, nil }); err != nil {
				return err
			}
			for _, k := range keys {
				if err := tx.Words().Put(k, []byte{255}); err != nil {
					return err
				}
			}
			return nil
		},
		"vectors": func(tx library.Tx) error {
			for n := range 20 {
				if err := tx.Meaning().Put([]byte{'v', 0, 0, 0, byte(n)}, []byte("short")); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := &topics{name: "one"}
			l, db := open(t, e)
			imported(t, l, folder(t, papers))
			if err := db.UpdateLibrary(harm); err != nil {
				t.Fatal(err)
			}
			next := over(db, e)
			// It answers as well as it can, without an error, and the harm is noticed.
			if _, err := next.Search(t.Context(), library.Query{Text: "statins"}); err != nil {
				t.Errorf("a search fails: %v", err)
			}
			if behind, err := next.Behind(t.Context()); err != nil || !behind {
				t.Fatal("nobody notices", err)
			}
			if err := next.Index(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			a, err := over(db, e).Search(t.Context(), library.Query{Text: "statins"})
			if err != nil || len(a.Hits) == 0 || a.Hits[0].Name != "222" || a.Note != "" || a.Hits[0].Found[0].Words == 0 || a.Hits[0].Found[0].Meaning == 0 {
				t.Errorf("afterwards: %+v, %v", a, err)
			}
		})
	}
}

func TestPassages_AreSentencesUnderTheirHeadingAndLoseNothing(t *testing.T) {
	l, _ := open(t, nil)
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "Sentence number %d is about matter %d of the trial. ", i, i*7)
	}
	imported(t, l, folder(t, map[string]string{"long.md": "# Results\n\n" + text.String() + "\n\n# End\n\nDone."}))
	a, err := l.Search(t.Context(), library.Query{Text: "trial"})
	if err != nil || len(a.Hits) != 1 {
		t.Fatal(a, err)
	}
	_, list, err := l.Passages(a.Hits[0].ID, 0, 0)
	if err != nil || len(list) < 4 {
		t.Fatal(len(list), err)
	}
	whole := ""
	for i, p := range list {
		if len(p.Text) > 900 {
			t.Errorf("passage %d has %d bytes", i, len(p.Text))
		}
		if p.Overlap > 0 && !strings.HasSuffix(list[i-1].Text, p.Text[:p.Overlap]) {
			t.Errorf("passage %d repeats what the one before does not end with", i)
		}
		whole += strings.TrimSpace(p.Text[p.Overlap:]) + " "
	}
	if strings.TrimSpace(whole) != strings.TrimSpace(text.String())+" Done." {
		t.Errorf("the passages are not the text: %q", whole)
	}
	if list[0].Heading != "Results" || list[len(list)-1].Heading != "End" {
		t.Errorf("headings are %q and %q", list[0].Heading, list[len(list)-1].Heading)
	}
}

func TestTool_FindsPassagesForAModel(t *testing.T) {
	l, _ := open(t, nil)
	search := library.Tool(l.Search)
	set, err := tool.NewSet(search)
	if err != nil {
		t.Fatal(err)
	}
	call := func(args string) string {
		t.Helper()
		checked, err := set.Check(library.ToolName, json.RawMessage(args))
		if err != nil {
			t.Fatal(err)
		}
		out, err := search.Read(t.Context(), tool.Env{}, checked)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if out := call(`{"query":"statins"}`); !strings.Contains(out, "library is empty") {
		t.Errorf("an empty library says %s", out)
	}
	imported(t, l, folder(t, papers))
	if out := call(`{"query":"statins","type":"abstract","from":"2015","limit":2}`); !strings.Contains(out, "Statins lower cholesterol.") || !strings.Contains(out, "abstracts.json#222") {
		t.Errorf("found %s", out)
	}
	if out := call(`{"query":"submarine"}`); !strings.Contains(out, "Nothing was found") {
		t.Errorf("nothing found says %s", out)
	}
	if _, err := set.Check(library.ToolName, json.RawMessage(`{"query":""}`)); err == nil {
		t.Error("an empty question was taken")
	}
}

// placed is an encoder whose vectors a test chose; each has the first direction in common.
type placed map[string]map[int]float32

func (placed) Name() string   { return "placed" }
func (placed) Dimension() int { return 100 }
func (p placed) Vector(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		v := make([]float32, 100)
		v[0] = 1
		for at, x := range p[text] {
			v[at] = x
		}
		length := float32(math.Sqrt(encoder.Cosine(v, v)))
		for k := range v {
			v[k] /= length
		}
		out[i] = v
	}
	return out, nil
}

func TestLibrary_WhatPassagesDifferInAnywayTellsThemApartLess(t *testing.T) {
	// Nearly all are more or less about the one subject, and so is the question; one alone is
	// about the other thing that is asked.
	const subject, thing = 1, 2
	e := placed{"Was geschah?": {subject: 0.9, thing: 0.5}, "The one that answers.": {thing: 0.6}}
	files := map[string]string{"answer.txt": "The one that answers."}
	for i := range 100 {
		text := fmt.Sprintf("Note %d.", i)
		files[fmt.Sprintf("note-%03d.txt", i)] = text
		e[text] = map[int]float32{subject: float32(i%21-10) / 10, 3 + i%90: 0.1}
	}
	l, db := open(t, e)
	imported(t, l, folder(t, files))
	first := func(l *library.Library, by string) string {
		return found(t, l, library.Query{Text: "Was geschah?", By: by, Limit: 1})[0]
	}
	if got := first(l, library.ByMeaning); got == "answer.txt" {
		t.Error("by cosine alone the answer is first, too: this test shows nothing")
	}
	if got := first(l, library.ByBoth); got != "answer.txt" {
		t.Errorf("%s is before the one that answers", got)
	}
	if got := first(over(db, e), library.ByBoth); got != "answer.txt" {
		t.Errorf("after a start %s is before the one that answers", got)
	}
	// What it knows of the passages is not older than they are.
	a, err := l.Search(t.Context(), library.Query{Text: "Was geschah?"})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Remove(a.Hits[0].ID); err != nil {
		t.Fatal(err)
	}
	again, fresh := found(t, l, library.Query{Text: "Was geschah?"}), found(t, over(db, e), library.Query{Text: "Was geschah?"})
	expect(t, "after one went, as after a start", again, fresh...)
	if slices.Contains(again, "answer.txt") {
		t.Error("what was removed is found")
	}
}

func TestLibrary_AlikeVectorsSpoilNoSearch(t *testing.T) {
	files := map[string]string{"salt.txt": "Eating less salt lowers blood pressure."}
	for i := range 80 {
		files[fmt.Sprintf("note-%d.txt", i)] = fmt.Sprintf("Note %d.", i)
	}
	l, _ := open(t, placed{}) // they all are one vector
	imported(t, l, folder(t, files))
	expect(t, "salt", found(t, l, library.Query{Text: "salt", Limit: 1}), "salt.txt")
}

// full is a store whose disk is full from a number of changes on.
type full struct {
	*store.DB
	left int
}

func (f *full) UpdateLibrary(fn func(library.Tx) error) error {
	if f.left--; f.left < 0 {
		return f.DB.UpdateLibrary(func(tx library.Tx) error {
			return errors.Join(fn(tx), &os.PathError{Op: "write", Path: "holdpoint.db", Err: syscall.ENOSPC})
		})
	}
	return f.DB.UpdateLibrary(fn)
}

func TestLibrary_AFullDiskInTheMiddleOfAnImportLosesNothing(t *testing.T) {
	files := map[string]string{}
	for i := range 600 { // written in three steps, then indexed
		files[fmt.Sprintf("note-%03d.txt", i)] = fmt.Sprintf("Note %d says that salt raises pressure.", i)
	}
	dir := folder(t, files)
	for room, kept := range []int{0, 256, 512, 600} {
		_, db := open(t, nil)
		l := library.New(library.Options{Store: &full{db, room}})
		rep, err := l.ImportPath(t.Context(), dir, nil)
		if !errors.Is(err, syscall.ENOSPC) || rep.Created != kept {
			t.Fatalf("room for %d changes: %d documents were taken, %v", room, rep.Created, err)
		}
		// The same one, once there is room, and after a start.
		for _, l := range []*library.Library{library.New(library.Options{Store: &full{db, 1 << 30}}), over(db, nil)} {
			rep, err := l.ImportPath(t.Context(), dir, nil)
			if err != nil || rep.Created+rep.Unchanged != 600 || rep.Failed != 0 {
				t.Fatalf("room for %d changes, then enough: %+v, %v", room, rep, err)
			}
			if a, err := l.Search(t.Context(), library.Query{Text: "599", By: library.ByWords}); err != nil || len(a.Hits) != 1 || a.Indexed != 600 || a.Note != "" {
				t.Errorf("room for %d changes, then enough: %+v, %v", room, a, err)
			}
		}
	}
}

func TestLibrary_AFolderThatVanishedLosesNothing(t *testing.T) {
	l, db := open(t, nil)
	dir := folder(t, papers)
	imported(t, l, dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := l.ImportPath(t.Context(), dir, nil); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), dir) {
		t.Errorf("nobody is told which folder is not there: %v", err)
	}
	// What was read is the library's own: it is found, opened and indexed without the folder.
	next := over(db, nil)
	if err := next.Reindex(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	a, err := next.Search(t.Context(), library.Query{Text: "salt"})
	if err != nil || len(a.Hits) != 1 {
		t.Fatalf("found %+v, %v", a, err)
	}
	if _, body, err := next.Original(a.Hits[0].ID); err != nil || string(body) != papers["salt.txt"] {
		t.Errorf("the original is gone: %q, %v", body, err)
	}
	// One that vanishes while it is read: each file that is not there any more is named, the rest is kept.
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("note-%03d.txt", i)] = fmt.Sprintf("Note %d.", i)
	}
	dir = folder(t, files)
	rep, err := l.ImportPath(t.Context(), dir, func(done, _ int, what string) {
		if what == "documents" && done == 256 {
			if err := os.RemoveAll(dir); err != nil {
				t.Error(err)
			}
		}
	})
	if err != nil || rep.Created != 256 || rep.Failed != 44 || rep.Problems[0].File != "note-256.txt" || rep.Problems[0].Error == "" {
		t.Errorf("a folder that vanished on the way: %+v, %v", rep, err)
	}
}

// "It said that 4,149 documents of 6,053 were indexed, and I had imported one; then it fell back from 68 % to 34 %."
func TestProgress_IndexingByWordsAndByMeaningIsOneWayThatNeverFallsBack(t *testing.T) {
	files := map[string]string{}
	for i := range 700 {
		files[fmt.Sprintf("%03d.txt", i)] = fmt.Sprintf("Text %d about the heart.", i)
	}
	l, _ := open(t, &topics{name: "one"})
	share, seen := 0.0, map[string]int{}
	last := 0.0
	_, err := l.ImportPath(t.Context(), folder(t, files), func(done, total int, what string) {
		seen[what]++
		if what == "documents" {
			if total != 0 || done > 700 {
				t.Errorf("%d of %d documents", done, total)
			}
			return
		}
		if total != 1400 {
			t.Errorf("%d entries by %s", total, what)
		}
		if share = float64(done) / float64(total); share < last {
			t.Errorf("by %s it falls back from %v to %v", what, last, share)
		}
		last = share
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != 1 || seen["documents"] == 0 || seen["words"] < 2 || seen["meanings"] < 2 {
		t.Errorf("it ends at %v: %v", last, seen)
	}
	// By words only there is one index.
	l, _ = open(t, nil)
	if _, err := l.ImportPath(t.Context(), folder(t, files), func(done, total int, what string) {
		if what != "documents" && total != 700 {
			t.Errorf("without an encoder: %d of %d by %s", done, total, what)
		}
	}); err != nil {
		t.Fatal(err)
	}
}

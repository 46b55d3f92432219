package safety

// voice is whom a message speaks of: how many of its words there are, and how many of them
// name the writer and the reader. Words in quotation marks name neither.
type voice struct{ words, writer, reader int }

func voiceOf(text string) (v voice) {
	rs := english()
	if LanguageOf(text) == French {
		rs = french()
	}
	for _, t := range rs.scan(text) {
		v.words++
		switch {
		case t.quoted || t.id == 0:
		case rs.writer.has(t.id):
			v.writer++
		case rs.reader.has(t.id):
			v.reader++
		}
	}
	return v
}

// What makes a message one to its reader: as of the style of advice, but also where the
// writer tells of themselves beside it, as those do who comfort.
const (
	addressedWords  = 25
	addressedReader = 3
	addressedShare  = 40 // percent of the words for writer and reader
)

// addressed says that a message speaks to its reader about as much as of its writer.
func (v voice) addressed() bool {
	return v.words >= addressedWords && v.reader >= addressedReader && v.reader*100 >= addressedShare*(v.writer+v.reader)
}

// share is how often a word for a person comes, from 0 to 1: every fifth word is all.
func (v voice) share(words int) float64 { return min(1, 5*float64(words)/float64(max(v.words, 20))) }

// ownLife says that nothing speaks of another danger than that of the writer for their own
// life: what is learnt of who suffers and who comforts says nothing of others.
func (v Verdict) ownLife() bool { return v.Speaker == Self && v.heaviest().pot() == 0 }

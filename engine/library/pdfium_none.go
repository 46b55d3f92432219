package library

// HasPDF says whether this build reads PDFs.
func HasPDF() bool { return false }

// NewPDF is what reads PDFs; nil in a build that has nothing for it.
func NewPDF(string) PDF { return nil }

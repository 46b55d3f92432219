//go:build !pdfium

package pdfium

// inside is PDFium; this build has none.
var inside []byte

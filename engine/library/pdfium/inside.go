//go:build pdfium

package pdfium

import _ "embed"

// inside is PDFium. The scripts in build fetch it; without it, build without the tag.
//
//go:embed pdfium.wasm
var inside []byte

package pdfium_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/library/pdfium"
)

// The tests' own program is the child, too.
func TestMain(m *testing.M) {
	if handled, code := pdfium.RunChild(os.Args[1:]); handled {
		os.Exit(code)
	}
	dir, err := os.MkdirTemp("", "pdfium-")
	if err != nil {
		panic(err)
	}
	cache = dir // what PDFium is compiled to takes seconds to make
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		panic(err)
	}
	os.Exit(code)
}

var cache string

func reader(t *testing.T) pdfium.Reader {
	t.Helper()
	if !pdfium.Inside() {
		t.Skip("built without PDFium: go test -tags pdfium after build/edge fetched it")
	}
	return pdfium.Reader{Cache: cache}
}

// written is a PDF with a page for each text; "" is a page without any.
func written(texts ...string) []byte {
	streams := make([]string, len(texts))
	for i, text := range texts {
		if text != "" {
			streams[i] = "BT /F1 14 Tf 30 300 Td (" + text + ") Tj ET"
		}
	}
	return page("/MediaBox [0 0 300 400]", streams...)
}

// page is a PDF with a page of the same kind for each stream.
func page(kind string, streams ...string) []byte {
	var b bytes.Buffer
	var at []int
	object := func(format string, args ...any) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(at)}, args...)...)
	}
	b.WriteString("%PDF-1.4\n")
	var kids []string
	for i := range streams {
		kids = append(kids, fmt.Sprintf("%d 0 R", 5+2*i))
	}
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(streams))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	object("<< /Title (A trial of salt) /CreationDate (D:20190305101112Z) >>")
	for i, stream := range streams {
		object("<< /Type /Page /Parent 2 0 R %s /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>", kind, 6+2*i)
		object("<< /Length %d >>\nstream\n%s\nendstream", len(stream), stream)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, p := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", p)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R /Info 4 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, table)
	return b.Bytes()
}

func TestRead_GivesTheTextOfEachPage(t *testing.T) {
	r := reader(t)
	text, err := r.Read(t.Context(), written("Salt lowers nothing", "", "The second text"))
	if err != nil {
		t.Fatal(err)
	}
	if text.Title != "A trial of salt" || len(text.Pages) != 3 || text.Pages[0] != "Salt lowers nothing" || text.Pages[1] != "" || text.Pages[2] != "The second text" {
		t.Errorf("read %+v", text)
	}
}

func TestDraw_MarksCharactersOfAPage(t *testing.T) {
	r := reader(t)
	yellow := func(from, to int) (n, left int) {
		body, err := r.Draw(t.Context(), written("Salt lowers nothing"), 1, 600, from, to)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(body))
		if err != nil || img.Bounds().Dx() != 600 || img.Bounds().Dy() != 800 {
			t.Fatal(img.Bounds(), err)
		}
		left = 600
		for y := range 800 {
			for x := range 600 {
				if r, _, b, _ := img.At(x, y).RGBA(); r > 0xF000 && b < 0x8000 {
					n, left = n+1, min(left, x)
				}
			}
		}
		return n, left
	}
	if n, _ := yellow(0, 0); n != 0 {
		t.Errorf("%d pixels are marked without a passage", n)
	}
	first, begins := yellow(0, 4)
	second, later := yellow(5, 11)
	if first == 0 || second == 0 || later <= begins {
		t.Errorf("marked %d from %d on, and %d from %d on", first, begins, second, later)
	}
}

// "I turned the scan of a page, and its sentences were mixed." "The mark stood at the page's edge, away from the words."
func TestDraw_MarksWordsOfPagesThatAreTurnedOrCropped(t *testing.T) {
	r := reader(t)
	lines := "BT /F1 14 Tf 60 300 Td (Salt lowers nothing.) Tj 0 -20 Td (Pepper raises it.) Tj ET"
	// The words as they are drawn when a page's letters lie on their side and it is shown turned.
	aside := "BT /F1 14 Tf 0 1 -1 0 100 60 Tm (Salt lowers nothing.) Tj 0 -20 Td (Pepper raises it.) Tj ET"
	for name, x := range map[string]struct {
		page, stream string
	}{
		"upright":       {"/MediaBox [0 0 300 400]", lines},
		"right":         {"/MediaBox [0 0 300 400] /Rotate 90", lines},
		"upside down":   {"/MediaBox [0 0 300 400] /Rotate 180", lines},
		"left":          {"/MediaBox [0 0 300 400] /Rotate 270", lines},
		"landscape":     {"/MediaBox [0 0 300 400] /Rotate 90", aside},
		"cropped":       {"/MediaBox [0 0 300 400] /CropBox [40 250 280 380]", lines},
		"other origin":  {"/MediaBox [-100 200 200 600]", lines},
		"all of these ": {"/MediaBox [-100 100 300 600] /CropBox [20 150 280 500] /Rotate 90", lines},
	} {
		file := page(x.page, x.stream)
		text, err := r.Read(t.Context(), file)
		if err != nil || len(text.Pages) != 1 || text.Pages[0] != "Salt lowers nothing.\r\nPepper raises it." {
			t.Errorf("%s: %+v, %v", name, text, err)
			continue
		}
		plain, marked := picture(t, r, file, 0, 0), picture(t, r, file, 0, 4)
		var box image.Rectangle
		for y := range plain.Bounds().Dy() {
			for x := range plain.Bounds().Dx() {
				if marked.At(x, y) != plain.At(x, y) {
					box = box.Union(image.Rect(x, y, x+1, y+1))
				}
			}
		}
		ink, all := inkIn(plain, box), inkIn(plain, plain.Bounds())
		// "Salt" is 4 of the 34 letters.
		if ink*20 < all || ink*4 > all {
			t.Errorf("%s: %v of %v is marked, with %d of %d dark pixels", name, box, plain.Bounds(), ink, all)
		}
	}
}

// inkIn counts the dark pixels of a part of a picture.
func inkIn(img image.Image, box image.Rectangle) (n int) {
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			if r, _, _, _ := img.At(x, y).RGBA(); r < 0x8000 {
				n++
			}
		}
	}
	return n
}

func picture(t *testing.T, r pdfium.Reader, file []byte, from, to int) image.Image {
	t.Helper()
	body, err := r.Draw(t.Context(), file, 1, 600, from, to)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func TestRead_HostileFilesEndTheirOwnReadingOnly(t *testing.T) {
	r := reader(t)
	whole := written("Salt lowers nothing")
	for name, file := range map[string][]byte{
		"nothing": {}, "no PDF": []byte("%PDF-1.7\nwhat is this"), "cut off": whole[:len(whole)/3], "zeros": make([]byte, 100_000),
		"a page tree without end": bytes.ReplaceAll(whole, []byte("/Kids [5 0 R]"), []byte("/Kids [2 0 R]")),
		"a count that lies":       bytes.ReplaceAll(whole, []byte("/Count 1"), []byte("/Count 9")),
	} {
		if text, err := r.Read(t.Context(), file); err == nil && strings.Join(text.Pages, "") != "" && strings.TrimSpace(strings.Join(text.Pages, "")) != "Salt lowers nothing" {
			t.Errorf("%s: read %+v", name, text)
		} else if err != nil && (err.Error() == "" || strings.Contains(err.Error(), "pdfium:")) {
			t.Errorf("%s: %v is no sentence for people", name, err)
		}
	}
	if text, err := r.Read(t.Context(), whole); err != nil || len(text.Pages) != 1 {
		t.Errorf("afterwards a sound file fails: %v", err)
	}
	r.Limit = time.Millisecond
	if _, err := r.Read(t.Context(), whole); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("one that takes too long: %v", err)
	}
}

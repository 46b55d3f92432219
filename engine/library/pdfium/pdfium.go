// Package pdfium reads PDFs with PDFium, which is compiled to WebAssembly and run by wazero:
// the code in a file's reach has a memory of its own, no files, no network and no clock. It
// runs in a child of this same executable, which is ended when it takes too long or too much,
// so a file that is made to do harm ends no more than its own reading.
//
// PDFium itself (its build by pdfium-lib, from the npm package @hyzyla/pdfium 2.1.13, MIT and
// BSD-3-Clause) is inside a build with the tag pdfium; the scripts in build fetch it and check its hash.
package pdfium

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
	"unicode/utf16"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/emscripten"
)

// Digest is the SHA-256 of the PDFium that this package was written for.
const Digest = "71aec412a303a0405baee21c3d6d3f30ad2033dc02444130fe476be3976e2d09"

// Inside says whether the program has PDFium inside.
func Inside() bool { return len(inside) > 0 }

const (
	memoryPages = 4096 // of 64 KiB: 256 MiB for PDFium, the file among it
	maxPages    = 20_000
	maxText     = 64 << 20 // bytes of all text
)

// engine is PDFium, ready for one file.
type engine struct {
	ctx     context.Context
	runtime wazero.Runtime
	module  api.Module
}

// open starts PDFium. cache is a folder that keeps what the code was compiled to; it must be
// this user's alone.
func open(ctx context.Context, cache string) (*engine, error) {
	if sum := sha256.Sum256(inside); hex.EncodeToString(sum[:]) != Digest {
		return nil, errors.New("pdfium: what is inside this program is not the PDFium that it was made for")
	}
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(memoryPages)
	if cache != "" {
		if c, err := wazero.NewCompilationCacheWithDir(cache); err == nil {
			config = config.WithCompilationCache(c)
		}
	}
	e := &engine{ctx: ctx, runtime: wazero.NewRuntimeWithConfig(ctx, config)}
	code, err := e.runtime.CompileModule(ctx, inside)
	if err != nil {
		return nil, fmt.Errorf("pdfium: %w", err)
	}
	if err := e.surround(code); err != nil {
		return nil, err
	}
	e.module, err = e.runtime.InstantiateModule(ctx, code, wazero.NewModuleConfig().WithStartFunctions("_initialize", "__wasm_call_ctors"))
	if err != nil {
		return nil, fmt.Errorf("pdfium: %w", err)
	}
	_, err = e.call("FPDF_InitLibrary")
	return e, err
}

// surround gives PDFium what it expects of a system: nothing. There are no files, it is always
// the same moment, and memory grows up to its limit.
func (e *engine) surround(code wazero.CompiledModule) error {
	env := e.runtime.NewHostModuleBuilder("env")
	known, err := emscripten.NewFunctionExporterForModule(code)
	if err != nil {
		return fmt.Errorf("pdfium: %w", err)
	}
	known.ExportFunctions(env)
	wasi := e.runtime.NewHostModuleBuilder("wasi_snapshot_preview1")
	for _, f := range code.ImportedFunctions() {
		from, name, _ := f.Import()
		to := env
		do := api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) {
			if len(stack) > 0 && len(f.ResultTypes()) > 0 {
				stack[0] = refused
			}
		})
		switch {
		case strings.HasPrefix(name, "invoke_"), name == "_emscripten_throw_longjmp", name == "emscripten_notify_memory_growth":
			continue // wazero's
		case from == "wasi_snapshot_preview1":
			to = wasi
			do = system(name)
		case name == "emscripten_resize_heap":
			do = func(_ context.Context, m api.Module, stack []uint64) {
				want, have := uint64(uint32(stack[0])), uint64(m.Memory().Size())
				stack[0] = 1
				if want > have {
					if _, ok := m.Memory().Grow(uint32((want - have + 65535) / 65536)); !ok {
						stack[0] = 0
					}
				}
			}
		case name == "_abort_js":
			do = func(context.Context, api.Module, []uint64) { panic(errors.New("pdfium: aborted")) }
		case name == "emscripten_date_now":
			do = func(_ context.Context, _ api.Module, stack []uint64) { stack[0] = math.Float64bits(0) }
		case name == "_gmtime_js" || name == "_localtime_js":
			do = func(_ context.Context, m api.Module, stack []uint64) {
				m.Memory().Write(uint32(stack[1]), make([]byte, 44)) // a struct tm; outside its memory nothing is written
			}
		case name == "_tzset_js":
			do = func(context.Context, api.Module, []uint64) {}
		}
		to.NewFunctionBuilder().WithGoModuleFunction(do, f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	if _, err := env.Instantiate(e.ctx); err != nil {
		return fmt.Errorf("pdfium: %w", err)
	}
	if _, err := wasi.Instantiate(e.ctx); err != nil {
		return fmt.Errorf("pdfium: %w", err)
	}
	return nil
}

// refused is -EPERM, badFile WASI's number for a descriptor that is not open.
const (
	refused = uint64(0xFFFFFFFF)
	badFile = 8
)

func system(name string) api.GoModuleFunc {
	return func(_ context.Context, m api.Module, stack []uint64) {
		switch name {
		case "environ_sizes_get":
			m.Memory().WriteUint32Le(uint32(stack[0]), 0)
			m.Memory().WriteUint32Le(uint32(stack[1]), 0)
			stack[0] = 0
		case "environ_get":
			stack[0] = 0
		default:
			stack[0] = badFile
		}
	}
}

func (e *engine) call(name string, args ...uint64) (uint64, error) {
	f := e.module.ExportedFunction(name)
	if f == nil {
		return 0, fmt.Errorf("pdfium: there is no %s", name)
	}
	out, err := f.Call(e.ctx, args...)
	if err != nil {
		return 0, fmt.Errorf("pdfium: %s: %w", name, err)
	}
	if len(out) == 0 {
		return 0, nil
	}
	return out[0], nil
}

// errors of a file, as people read them.
var (
	errPassword = errors.New("it is encrypted: open it with its password and save it without one")
	errBroken   = errors.New("it is not a PDF that can be read: it is broken or cut off")
)

// load hands a file to PDFium.
func (e *engine) load(file []byte) (document uint64, err error) {
	at, err := e.call("malloc", uint64(len(file)))
	if err != nil || at == 0 {
		return 0, errors.Join(errors.New("it is too large to be read"), err)
	}
	if !e.module.Memory().Write(uint32(at), file) {
		return 0, errors.New("it is too large to be read")
	}
	document, err = e.call("FPDF_LoadMemDocument", at, uint64(len(file)), 0)
	if err != nil {
		return 0, err
	}
	if document != 0 {
		return document, nil
	}
	code, err := e.call("FPDF_GetLastError")
	switch {
	case err != nil:
		return 0, err
	case code == 4 || code == 5: // FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY
		return 0, errPassword
	}
	return 0, errBroken
}

// text reads UTF-16 that a function writes into a buffer of ours; it tells how much it needs.
func (e *engine) text(bytes uint64, fill func(at, bytes uint64) error) (string, error) {
	if bytes < 2 || bytes > maxText {
		return "", nil
	}
	at, err := e.call("malloc", bytes)
	if err != nil || at == 0 {
		return "", errors.Join(err, errors.New("pdfium: out of memory"))
	}
	defer e.call("free", at) // the engine ends with its file
	if err := fill(at, bytes); err != nil {
		return "", err
	}
	raw, ok := e.module.Memory().Read(uint32(at), uint32(bytes))
	if !ok {
		return "", errors.New("pdfium: a text outside its memory")
	}
	units := make([]uint16, bytes/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(raw[2*i:])
	}
	for len(units) > 0 && units[len(units)-1] == 0 {
		units = units[:len(units)-1]
	}
	return string(utf16.Decode(units)), nil
}

func (e *engine) meta(document uint64, tag string) (string, error) {
	name, err := e.call("malloc", uint64(len(tag)+1))
	if err != nil || name == 0 || !e.module.Memory().Write(uint32(name), append([]byte(tag), 0)) {
		return "", errors.Join(err, errors.New("pdfium: out of memory"))
	}
	size, err := e.call("FPDF_GetMetaText", document, name, 0, 0)
	if err != nil || size > 4096 {
		return "", err
	}
	return e.text(size, func(at, bytes uint64) error {
		_, err := e.call("FPDF_GetMetaText", document, name, at, bytes)
		return err
	})
}

// Text is what a file says.
type Text struct {
	Title string   `json:"title"`
	Pages []string `json:"pages"`
}

func (e *engine) read(document uint64) (t Text, err error) {
	if t.Title, err = e.meta(document, "Title"); err != nil {
		return t, err
	}
	pages, err := e.call("FPDF_GetPageCount", document)
	if err != nil {
		return t, err
	}
	if pages > maxPages {
		return t, fmt.Errorf("it has %d pages; at most %d are read", pages, maxPages)
	}
	total := 0
	t.Pages = []string{}
	for i := range pages {
		text, err := e.page(document, i)
		if err != nil {
			return t, err
		}
		if total += len(text); total > maxText {
			return t, fmt.Errorf("it has more than %d MiB of text", maxText>>20)
		}
		t.Pages = append(t.Pages, text)
	}
	return t, nil
}

// page is a page's text; none where the page cannot be read.
func (e *engine) page(document, i uint64) (string, error) {
	page, err := e.call("FPDF_LoadPage", document, i)
	if err != nil || page == 0 {
		return "", err
	}
	defer e.call("FPDF_ClosePage", page) // the engine ends with its file
	text, err := e.letters(page)
	if err != nil || text == 0 {
		return "", err
	}
	defer e.call("FPDFText_ClosePage", text)
	chars, err := e.call("FPDFText_CountChars", text)
	if err != nil || int32(chars) <= 0 {
		return "", err
	}
	return e.text(2*(chars+1), func(at, _ uint64) error {
		_, err := e.call("FPDFText_GetText", text, 0, chars, at)
		return err
	})
}

// letters is a page's text, in the order of its lines. A page that is shown turned keeps its
// letters' order when they are not turned back.
func (e *engine) letters(page uint64) (text uint64, err error) {
	turned, err := e.call("FPDFPage_GetRotation", page)
	if err != nil {
		return 0, err
	}
	text, err = e.call("FPDFText_LoadPage", page)
	if err != nil || text == 0 || turned == 0 {
		return text, err
	}
	upright, err := e.upright(text)
	if err != nil || !upright {
		return text, err
	}
	if _, err := e.call("FPDFText_ClosePage", text); err != nil {
		return 0, err
	}
	if _, err := e.call("FPDFPage_SetRotation", page, 0); err != nil {
		return 0, err
	}
	text, err = e.call("FPDFText_LoadPage", page)
	if err != nil {
		return 0, err
	}
	_, err = e.call("FPDFPage_SetRotation", page, turned)
	return text, err
}

// upright says whether most of the first letters stand upright on the page as it is written.
func (e *engine) upright(text uint64) (bool, error) {
	n, err := e.call("FPDFText_CountChars", text)
	if err != nil {
		return false, err
	}
	straight, all := 0, 0
	for i := range uint64(min(max(int32(n), 0), 500)) {
		angle, err := e.call("FPDFText_GetCharAngle", text, i)
		if err != nil {
			return false, err
		}
		if a := float64(api.DecodeF32(angle)); a >= 0 { // -1: it has none
			all++
			if math.Cos(a) > 0.9 {
				straight++
			}
		}
	}
	return 2*straight > all, nil
}

// draw paints a page, with some characters marked.
func (e *engine) draw(document uint64, number, width, from, to int, out io.Writer) error {
	page, err := e.call("FPDF_LoadPage", document, uint64(number-1))
	if err != nil || page == 0 {
		return errors.Join(err, errBroken)
	}
	w32, err := e.call("FPDF_GetPageWidthF", page)
	if err != nil {
		return err
	}
	h32, err := e.call("FPDF_GetPageHeightF", page)
	if err != nil {
		return err
	}
	w, h := float64(api.DecodeF32(w32)), float64(api.DecodeF32(h32))
	if !(w > 0 && h > 0) {
		return errBroken
	}
	height := int(math.Round(float64(width) * h / w))
	if height < 1 || height > 6000 {
		return errors.New("its page has no shape that can be drawn")
	}
	bitmap, err := e.call("FPDFBitmap_Create", uint64(width), uint64(height), 0)
	if err != nil || bitmap == 0 {
		return errors.Join(err, errors.New("its page is too large to be drawn"))
	}
	if _, err := e.call("FPDFBitmap_FillRect", bitmap, 0, 0, uint64(width), uint64(height), 0xFFFFFFFF); err != nil {
		return err
	}
	if _, err := e.call("FPDF_RenderPageBitmap", bitmap, page, 0, 0, uint64(width), uint64(height), 0, 1); err != nil { // 1: annotations, too
		return err
	}
	at, err := e.call("FPDFBitmap_GetBuffer", bitmap)
	if err != nil {
		return err
	}
	stride, err := e.call("FPDFBitmap_GetStride", bitmap)
	if err != nil {
		return err
	}
	raw, ok := e.module.Memory().Read(uint32(at), uint32(stride)*uint32(height))
	if !ok {
		return errors.New("pdfium: a picture outside its memory")
	}
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		row := raw[y*int(stride):]
		for x := range width {
			p := row[4*x:]
			img.SetRGBA(x, y, color.RGBA{p[2], p[1], p[0], 255})
		}
	}
	boxes, err := e.boxes(page, from, to, width, height)
	if err != nil {
		return err
	}
	for _, b := range boxes {
		mark(img, b)
	}
	return png.Encode(out, img)
}

// boxes are where characters stand in a picture of a page, of a width and height.
func (e *engine) boxes(page uint64, from, to, width, height int) (out []image.Rectangle, err error) {
	if to <= from {
		return nil, nil
	}
	text, err := e.letters(page)
	if err != nil || text == 0 {
		return nil, err
	}
	// A text leaves out some of a page's characters.
	first, err := e.call("FPDFText_GetCharIndexFromTextIndex", text, uint64(from))
	if err != nil {
		return nil, err
	}
	last, err := e.call("FPDFText_GetCharIndexFromTextIndex", text, uint64(to-1))
	if err != nil || int32(first) < 0 || int32(last) < int32(first) {
		return nil, err
	}
	n, err := e.call("FPDFText_CountRects", text, first, last-first+1)
	if err != nil {
		return nil, err
	}
	at, err := e.call("malloc", 32)
	if err != nil || at == 0 {
		return nil, err
	}
	for i := range min(uint64(max(int32(n), 0)), 500) {
		ok, err := e.call("FPDFText_GetRect", text, i, at, at+8, at+16, at+24)
		if err != nil {
			return nil, err
		}
		raw, there := e.module.Memory().Read(uint32(at), 32)
		if ok == 0 || !there {
			continue
		}
		value := func(k int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(raw[8*k:])) }
		a, err := e.drawn(page, width, height, value(0), value(1), at)
		if err != nil {
			return nil, err
		}
		b, err := e.drawn(page, width, height, value(2), value(3), at)
		if err != nil {
			return nil, err
		}
		out = append(out, image.Rectangle{Min: a, Max: b}.Canon().Inset(-1))
	}
	return out, nil
}

// drawn is where a point of a page is in its picture: pages have any origin, are cropped and
// turned. at is room for two numbers.
func (e *engine) drawn(page uint64, width, height int, x, y float64, at uint64) (p image.Point, err error) {
	if _, err := e.call("FPDF_PageToDevice", page, 0, 0, uint64(width), uint64(height), 0, api.EncodeF64(x), api.EncodeF64(y), at, at+4); err != nil {
		return p, err
	}
	left, ok := e.module.Memory().ReadUint32Le(uint32(at))
	top, there := e.module.Memory().ReadUint32Le(uint32(at) + 4)
	if !ok || !there {
		return p, errors.New("pdfium: a point outside its memory")
	}
	return image.Point{int(int32(left)), int(int32(top))}, nil
}

// mark lays a yellow over a part of a picture, as a pen does: what is dark stays dark.
func mark(img *image.RGBA, r image.Rectangle) {
	r = r.Intersect(img.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			i := img.PixOffset(x, y)
			img.Pix[i+2] = uint8(int(img.Pix[i+2]) * 2 / 5)
			img.Pix[i+1] = uint8(int(img.Pix[i+1]) * 9 / 10)
		}
	}
}

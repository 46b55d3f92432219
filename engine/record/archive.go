package record

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

func isArchive(name string) bool { return strings.EqualFold(path.Ext(name), ".zip") }

// Bounds of an archive: what it holds may be far larger than it is.
const (
	maxArchive  = 16 << 30
	maxEntries  = 100_000
	maxUnpacked = 64 << 30
)

// archive reads the files of a .zip in their order. It has to be in a file: its table of
// contents stands at the end.
func (i *importer) archive(ctx context.Context, name string, in io.Reader) (took bool, err error) {
	f, err := os.CreateTemp(i.o.Folder, ".import-*")
	if err != nil {
		return false, fmt.Errorf("record: import: %w", err)
	}
	defer func() {
		if e := errors.Join(f.Close(), os.Remove(f.Name())); err == nil && e != nil {
			err = fmt.Errorf("record: import: %w", e)
		}
	}()
	size, err := io.Copy(f, io.LimitReader(in, maxArchive+1))
	if err != nil {
		return false, fmt.Errorf("record: import: %s: %w", name, err)
	}
	if size > maxArchive {
		return false, fmt.Errorf("record: import: %s: an archive has at most %d GB", name, maxArchive>>30)
	}
	return i.unpack(ctx, name, f, size)
}

func (i *importer) unpack(ctx context.Context, name string, in io.ReaderAt, size int64) (took bool, err error) {
	z, err := zip.NewReader(in, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		i.skip(name, phrase("no archive that can be read"))
		return false, nil
	}
	if len(z.File) > maxEntries {
		return false, fmt.Errorf("record: import: %s: more than %d files", name, maxEntries)
	}
	left := int64(maxUnpacked)
	for _, e := range z.File {
		if e.Mode().IsDir() {
			continue
		}
		inside := name + "/" + e.Name
		if reason := i.unfit(path.Base(e.Name), e.Mode().Type()); reason != "" {
			i.skip(inside, reason)
			continue
		}
		in, err := e.Open()
		if err != nil {
			i.skip(inside, phrase("cannot be unpacked"))
			continue
		}
		took = true
		n := &counted{in: in, left: left}
		err = errors.Join(i.file(ctx, inside, n), in.Close())
		if left = n.left; err != nil {
			return took, err
		}
	}
	return took, nil
}

// counted ends with an error after so many bytes.
type counted struct {
	in   io.Reader
	left int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return n, fmt.Errorf("what it holds is more than %d GB", maxUnpacked>>30)
	}
	return n, err
}

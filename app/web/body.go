package web

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// bodyTime is how long a request's body may stand still: whoever sends half of one holds
// no connection.
const bodyTime = 10 * time.Second

// coming is the body of a request as long as it keeps coming.
type coming struct {
	io.ReadCloser
	c *http.ResponseController
}

// keepComing bounds how long the body of a request may stand still, also where nobody
// reads it.
func keepComing(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength == 0 {
		return
	}
	c := http.NewResponseController(w)
	if c.SetReadDeadline(time.Now().Add(bodyTime)) == nil { // else it is no connection, as in tests
		r.Body = &coming{r.Body, c}
	}
}

func (b *coming) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == nil:
		// A connection that has gone says so when it is read.
		_ = b.c.SetReadDeadline(time.Now().Add(bodyTime))
	case errors.Is(err, io.EOF):
		_ = b.c.SetReadDeadline(time.Time{}) // what is answered may take its time
	}
	return n, err
}

package modeltest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Absent is where no model server answers.
const Absent = "http://127.0.0.1:9"

// Broken starts a model server that is of no use for as long as the test runs, and returns its address: it "hangs", "dies",
// "answers nonsense", "cannot load its model" (of which it has one), or "is not there".
func Broken(t testing.TB, how string) (url string) {
	t.Helper()
	if how == "is not there" {
		return Absent
	}
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch how {
		case "hangs":
			select {
			case <-release:
			case <-r.Context().Done():
			}
		case "dies":
			panic(http.ErrAbortHandler)
		case "answers nonsense":
			fmt.Fprint(w, `{"version":"1","models":"many","message":{"content":"]["}`)
		case "cannot load its model":
			switch r.URL.Path {
			case "/api/version":
				fmt.Fprint(w, `{"version":"0.12.0"}`)
			case "/api/tags":
				fmt.Fprint(w, `{"models":[{"name":"broken:latest","size":1,"digest":"d"}]}`)
			case "/api/show":
				fmt.Fprint(w, `{"capabilities":["completion"],"model_info":{},"details":{}}`)
			default:
				http.Error(w, `{"error":"unable to load model"}`, http.StatusInternalServerError)
			}
		}
	}))
	t.Cleanup(func() { close(release); s.CloseClientConnections(); s.Close() })
	return s.URL
}

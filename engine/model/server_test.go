package model

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"
)

func TestPromise_7_an_address_outside_the_laptop_is_refused(t *testing.T) {
	for _, address := range []string{"192.168.1.5:11434", "http://ollama.example.com", "https://[2001:db8::1]:443", "127.0.0.1.example.com", "10.0.0.1"} {
		for _, o := range []Options{{Flag: address}, {Env: address}} {
			if _, err := Locate(context.Background(), o); !errors.Is(err, ErrRemote) {
				t.Fatalf("%s: %v", address, err)
			}
			o.AllowRemote = true
			s, err := Locate(context.Background(), o)
			if err != nil || s.Place() == Ours || s.Address() == "" {
				t.Fatalf("%s: %v", address, err)
			}
		}
	}
}

func TestPromise_7_a_name_that_leads_elsewhere_is_not_dialled(t *testing.T) {
	s := newServer(Named, &url.URL{Scheme: "http", Host: "192.0.2.1:11434"}, nil, false)
	if _, err := s.Version(context.Background()); !errors.Is(err, ErrRemote) {
		t.Fatal(err)
	}
}

func TestLocate_reads_addresses_as_ollama_does(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:5000": "http://127.0.0.1:5000", "localhost": "http://localhost:11434", ":8080": "http://127.0.0.1:8080",
		"0.0.0.0": "http://127.0.0.1:11434", "http://[::1]": "http://[::1]:80", "[::1]:99": "http://[::1]:99", "https://localhost/ollama/": "https://localhost:443/ollama",
	} {
		s, err := NewServer(address)
		if err != nil || s.Address() != want {
			t.Fatalf("%s: %v %v", address, s, err)
		}
	}
	for _, bad := range []string{"ftp://localhost", "localhost:0", "localhost:99999", "http://me:secret@localhost", "local host"} {
		if _, err := NewServer(bad); err == nil {
			t.Fatalf("%s was taken", bad)
		}
	}
}

func TestLocate_prefers_the_named_then_the_running_then_our_own(t *testing.T) {
	running := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `{"version":"1"}`) }))
	defer running.Close()
	u, err := url.Parse(running.URL)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `<html>something else`) }))
	defer web.Close()
	other, err := net.ResolveTCPAddr("tcp", web.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	own := &Own{}
	for name, c := range map[string]struct {
		o     Options
		place Place
	}{
		"a flag":                       {Options{Flag: "127.0.0.1:1", Env: "127.0.0.1:2", DefaultPort: port, Own: own}, Named},
		"the environment":              {Options{Env: "127.0.0.1:2", DefaultPort: port, Own: own}, Named},
		"a running one":                {Options{DefaultPort: port, Own: own}, Running},
		"another program on that port": {Options{DefaultPort: other.Port, Own: own}, Ours},
		"none but our own":             {Options{DefaultPort: -1, Own: own}, Ours},
	} {
		s, err := Locate(context.Background(), c.o)
		if err != nil || s.Place() != c.place {
			t.Fatalf("%s: %v %v", name, s, err)
		}
		s.http.CloseIdleConnections()
	}
	if _, err := Locate(context.Background(), Options{DefaultPort: -1}); !errors.Is(err, ErrUnreachable) {
		t.Fatal(err)
	}
}

package mcp_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"holdpoint/engine/identity"
	"holdpoint/engine/mcp"
)

// published is the start file of a server that others publish on npm
// (@modelcontextprotocol/server-everything); build/test fetches it.
func published(t *testing.T) (node, index string) {
	t.Helper()
	dir := os.Getenv("HOLDPOINT_TEST_MCP")
	if dir == "" {
		t.Skip("HOLDPOINT_TEST_MCP names no folder with the published server; build/test fetches one from npm")
	}
	index, err := filepath.Abs(filepath.Join(dir, "node_modules/@modelcontextprotocol/server-everything/dist/index.js"))
	must(t, err)
	_, err = os.Stat(index)
	must(t, err)
	node, err = exec.LookPath("node")
	must(t, err)
	return node, index
}

func (s *shop) tryPublished(c mcp.Config) {
	t := s.t
	t.Helper()
	v := s.add(c)
	if len(v.Tools) < 8 || len(s.servers.Tools()) < 8 {
		t.Errorf("%d tools, %d usable: %+v", len(v.Tools), len(s.servers.Tools()), v.Tools)
	}
	out, err := call(t.Context(), s.tool("everything.get-sum"), identity.Caller{}, `{"a":2,"b":40}`)
	if err != nil || !strings.Contains(out, "42") {
		t.Errorf("%s %v", out, err)
	}
	out, err = call(t.Context(), s.tool("everything.echo"), identity.Caller{}, `{"message":"good day"}`)
	if err != nil || !strings.Contains(out, "good day") {
		t.Errorf("%s %v", out, err)
	}
	out, err = call(t.Context(), s.tool("everything.get-tiny-image"), identity.Caller{}, `{}`)
	if err != nil || !strings.Contains(out, "a picture, image/png") {
		t.Errorf("%s %v", out, err)
	}
	if now, err := s.servers.Refresh(t.Context(), v.ID); err != nil || now.Status != mcp.StatusReady {
		t.Errorf("%s %v %v", now.Status, now.Changes, err)
	}
}

func TestReasoner_R02_AServerThatOthersPublishWorksOverStdio(t *testing.T) {
	node, index := published(t)
	s := newShop(t)
	s.set("SECRET_OF_OURS", "canary")
	s.tryPublished(mcp.Config{Title: "Everything", Transport: mcp.Stdio, Command: node, Args: []string{index, "stdio"}})
	out, err := call(t.Context(), s.tool("everything.get-env"), identity.Caller{}, `{}`)
	if err != nil || !strings.Contains(out, "PATH") || strings.Contains(out, "canary") || strings.Contains(strings.Replace(out, "HOLDPOINT_STARTED", "", 1), "HOLDPOINT") { // the mark by which it is ended
		t.Errorf("%s %v", out, err)
	}
}

func TestReasoner_R02_AServerThatOthersPublishWorksOverHTTP(t *testing.T) {
	node, index := published(t)
	port := freePort(t)
	cmd := exec.Command(node, index, "streamableHttp")
	cmd.Env = append(os.Environ(), "PORT="+strconv.Itoa(port))
	says, err := cmd.StderrPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		if err := cmd.Process.Kill(); err != nil {
			t.Log(err)
		}
		if err := cmd.Wait(); err == nil {
			t.Log("it ended by itself")
		}
	})
	lines := bufio.NewScanner(says)
	for lines.Scan() && !strings.Contains(lines.Text(), strconv.Itoa(port)) {
		t.Log(lines.Text())
	}
	s := newShop(t)
	s.tryPublished(mcp.Config{Title: "Everything", Transport: mcp.HTTP, URL: "http://127.0.0.1:" + strconv.Itoa(port) + "/mcp"})
}

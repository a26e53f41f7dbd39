package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"aburn/internal/lab/world"
)

// TestMCPHasNoSocket: the process that answers has no way out but the two streams: whatever the SDK could do, it opens no socket.
func TestMCPHasNoSocket(t *testing.T) {
	world.Unshared(t)
	w := newMCPWorld(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	server := &exec.Cmd{Path: self, Args: []string{"aburn", "-C", w.dir, "mcp"}, Env: []string{"HOME=" + w.home, "GORACE=" + noRaceSleep}, Stderr: os.Stderr}
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: server}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	all := map[string]any{"all_projects": true}
	for tool, arguments := range map[string]map[string]any{"chain": nil, "workflow": nil, "failure_report": all, "session_graph": all} {
		if r, _ := w.ask(s, tool, arguments, nil); r.IsError {
			t.Errorf("%s: %s", tool, textOf(r))
		}
	}
	if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "aburn://digests/all"}); err != nil {
		t.Error(err)
	}
	folder := fmt.Sprintf("/proc/%d/fd", server.Process.Pid)
	open, err := os.ReadDir(folder)
	if err != nil || len(open) < 3 {
		t.Fatalf("%v: %d files are open", err, len(open))
	}
	for _, fd := range open {
		if target, err := os.Readlink(filepath.Join(folder, fd.Name())); err == nil && strings.HasPrefix(target, "socket:") {
			t.Errorf("%s is %s", fd.Name(), target)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// On a terminal a conversation goes through $PAGER, with colours; PAGER=cat switches that off, and a pager that ends early is no error.
func TestConversationInAPager(t *testing.T) {
	world.Slow(t)
	dir := newProject(t)
	home := filepath.Join(dir, "home")
	if err := os.CopyFS(home, os.DirFS("testdata/store/home")); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + home}
	if out := onTerminal(t, dir, env, "ingest"); !strings.Contains(out, "claude") {
		t.Fatal(out)
	}
	for pager, want := range map[string]string{"sed s/^/paged:/": "paged:\x1b", "cat": "\n\x1b", "head -c 1": ""} {
		out := onTerminal(t, dir, append(env, "PAGER="+pager), "show", "5b0c2f91")
		if !strings.Contains(strings.ReplaceAll(out, "\r", ""), want) ||
			strings.Contains(out, "paged:") != strings.HasPrefix(want, "paged") || strings.Contains(out, "error") {
			t.Errorf("PAGER=%s: %q", pager, out)
		}
	}
}

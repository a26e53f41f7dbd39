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
	// An interrupt, which the terminal sends to both, is the pager's: aburn waits until it ends.
	kept := onTerminal(t, dir, append(env, "PAGER=cat; kill -INT $PPID; sleep 0.5; grep -q '^State:.Z' /proc/$PPID/status || echo kept"), "show", "5b0c2f91")
	if !strings.HasSuffix(kept, "kept\n") {
		t.Errorf("an interrupt ended aburn before its pager: %q", kept)
	}
	for pager, want := range map[string]string{"sed s/^/paged:/": "paged:\x1b", "cat": "\n\x1b", "head -c 1": ""} {
		out := onTerminal(t, dir, append(env, "PAGER="+pager), "show", "5b0c2f91")
		if !strings.Contains(strings.ReplaceAll(out, "\r", ""), want) ||
			strings.Contains(out, "paged:") != strings.HasPrefix(want, "paged") || strings.Contains(out, "error") {
			t.Errorf("PAGER=%s: %q", pager, out)
		}
	}
}

//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"aburn/internal/lab/world"
)

// TestMCPInstrument: the five tools are there only on demand, start aburn-instrument with paths of the project, and only
// one of them says that it writes.
func TestMCPInstrument(t *testing.T) {
	world.Slow(t)
	w := newMCPWorld(t)
	bin := t.TempDir()
	log := filepath.Join(bin, "argv")
	// A stand-in: it notes its arguments, and answers as the real one does.
	script := "#!/bin/sh\necho \"$@\" >> " + log + `
case "$*" in
*" --approved 0000000000000000 "*) echo "aburn: warning: nobody approved the token" >&2; exit 3 ;;
*" check "*) echo '[{"rule":"NDS-003"}]'; exit 1 ;;
*" status "*) echo '{"runs":[]}' ;;
*) echo '{"approval":"0123456789abcdef","maxTokens":7}' ;;
esac
`
	if err := os.WriteFile(filepath.Join(bin, "aburn-instrument"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	w.vars["PATH"] = bin
	for _, name := range []string{"a.js", "b.js"} {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte("f();\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc", filepath.Join(w.dir, "out")); err != nil {
		t.Fatal(err)
	}

	plain, end := w.open()
	list, err := plain.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	before := len(list.Tools)
	end()
	s, end := w.open("--instrument")
	defer end()
	if list, err = s.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	var writing []string
	for _, tool := range list.Tools {
		if !tool.Annotations.ReadOnlyHint {
			writing = append(writing, tool.Name)
		}
	}
	if len(list.Tools) != before+5 || !slices.Equal(writing, []string{"instrument_start"}) {
		t.Errorf("%d tools and %d, writing %v", before, len(list.Tools), writing)
	}

	for _, tt := range []struct {
		tool      string
		arguments map[string]any
		fails     bool
		says      string
	}{
		{"instrument_scan", map[string]any{"paths": []string{"a.js"}}, false, `"maxTokens":7`},
		{"instrument_ceiling", map[string]any{"paths": []string{"."}}, false, "0123456789abcdef"},
		{"instrument_check", map[string]any{"original": "a.js", "instrumented": "b.js"}, false, "NDS-003"},
		{"instrument_status", map[string]any{}, false, "runs"},
		{"instrument_scan", map[string]any{"paths": []string{"/etc/passwd"}}, true, "lies outside of the project"},
		{"instrument_scan", map[string]any{"paths": []string{"out/passwd"}}, true, "lies outside of the project"},
		{"instrument_scan", map[string]any{"paths": []string{"--yes"}}, true, "there is no such file"},
		{"instrument_scan", map[string]any{"paths": []string{}}, true, "name 1 to 50"},
		{"instrument_status", map[string]any{"run": "--json"}, true, "is no id of a run"},
		{"instrument_start", map[string]any{"token": "--yes", "paths": []string{"a.js"}}, true, "has 16 hex digits"},
		{"instrument_start", map[string]any{"token": "0000000000000000", "paths": []string{"a.js"}}, true, "nobody approved the token"},
	} {
		r, _ := w.ask(s, tt.tool, tt.arguments, nil)
		if r.IsError != tt.fails || !strings.Contains(textOf(r), tt.says) {
			t.Errorf("%s %v: %v %s", tt.tool, tt.arguments, r.IsError, textOf(r))
		}
	}
	argv, err := os.ReadFile(log)
	if err != nil || strings.Contains(string(argv), "/etc") || !strings.Contains(string(argv), "cost --token --json -- "+w.dir) ||
		!strings.Contains(string(argv), "--no-pr --json -- "+filepath.Join(w.dir, "a.js")) {
		t.Errorf("%v\n%s", err, argv)
	}
}

// TestMCPInstrumentProgress: a client that gives a token is told that a tool works, and how far a run is that it waits for.
// One that gives none is not.
func TestMCPInstrumentProgress(t *testing.T) {
	world.Slow(t)
	w := newMCPWorld(t)
	bin := t.TempDir()
	// A stand-in whose run has ended when it is looked at for the third time.
	script := `#!/bin/sh
case "$*" in
*" status "*)
	echo >> ` + bin + `/looks
	running=true; done=$(wc -l < ` + bin + `/looks)
	[ "$done" -ge 3 ] && running=false
	echo '{"runs":[{"run":"20261123-080000-abcdef","running":'$running',"phase":"FILES","files":7,"done":'$done',"failed":1,"calls":2,"tokens":30}]}' ;;
*) echo '{"maxTokens":7}' ;;
esac
`
	if err := os.WriteFile(filepath.Join(bin, "aburn-instrument"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "a.js"), []byte("f();\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.vars["PATH"] = bin + ":" + os.Getenv("PATH")
	told := make(chan *mcp.ProgressNotificationParams, 100)
	w.progress = func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { told <- r.Params }
	s, end := w.open("--instrument")
	defer end()

	ask := func(tool string, arguments map[string]any, token any, says ...string) {
		t.Helper()
		params := &mcp.CallToolParams{Name: tool, Arguments: arguments}
		if token != nil {
			params.SetProgressToken(token)
		}
		r, err := s.CallTool(t.Context(), params)
		if err != nil || r.IsError {
			t.Fatalf("%s: %v %s", tool, err, textOf(r))
		}
		last := 0.0
		for _, want := range says {
			select {
			case p := <-told:
				if p.ProgressToken != token || !strings.Contains(p.Message, want) || p.Progress <= last {
					t.Errorf("%s: %+v after %v, want %q", tool, p, last, want)
				}
				last = p.Progress
			case <-time.After(patience):
				t.Fatalf("%s: nobody told %q", tool, want)
			}
		}
	}
	ask("instrument_scan", map[string]any{"paths": []string{"a.js"}}, nil)
	ask("instrument_status", map[string]any{}, "short") // it does not wait, so there is nothing to tell
	ask("instrument_scan", map[string]any{"paths": []string{"a.js"}}, "t1", "instrument scan began")
	ask("instrument_status", map[string]any{"wait": 50}, "t2", "instrument status began",
		"run 20261123-080000-abcdef, FILES: 2 of 7 files, 1 failed, 2 calls, 30 tokens")
	if len(told) > 0 {
		t.Errorf("%+v", <-told)
	}
	if looks, err := os.ReadFile(filepath.Join(bin, "looks")); err != nil || len(looks) != 3 {
		t.Errorf("%d looks, %v", len(looks), err)
	}
	if r, _ := w.ask(s, "instrument_status", map[string]any{"wait": 51}, nil); !r.IsError || !strings.Contains(textOf(r), "0 to 50 seconds") {
		t.Error(textOf(r))
	}
}

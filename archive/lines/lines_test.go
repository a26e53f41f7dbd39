package lines

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"aburn/archive"
	"aburn/internal/lab/synth/archived"
	"aburn/internal/scrub"
	"aburn/trace"
	"aburn/trace/draft"
)

// session is a trace of prompts and failed commands.
func session(t *testing.T, id string, texts ...string) *trace.SessionTrace {
	t.Helper()
	b := draft.New("claude", id, "claude", "/stores/"+id)
	for i, text := range texts {
		e := trace.Event{Ref: trace.Ref{Line: int64(i + 1)}}
		if command, said, ok := strings.Cut(text, " => "); ok {
			call := fmt.Sprint("c", i)
			b.Call(e, &trace.ToolCall{Call: call, Tool: "Bash", Type: trace.ShellTool, Head: command, Path: "/src/cart_total.go"})
			wrong := true
			b.Result(e, trace.ToolResultEvent{Call: call, Status: trace.StatusErrored, IsError: &wrong, Head: said, From: trace.FromToolResult})
			continue
		}
		e.Body = &trace.UserMessage{Digest: draft.Digest([]byte(text)), Head: text}
		b.Add(e)
	}
	tr, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func put(t *testing.T, a *archive.Archive, traces ...*trace.SessionTrace) {
	t.Helper()
	var all []*archive.Reading
	for _, tr := range traces {
		p, err := archive.Pack(tr)
		if err != nil {
			t.Fatal(err)
		}
		r := archive.NewReading(archive.Cursor{Known: archive.Known{Reader: tr.Source, Path: tr.Sources[0].Path, Scrub: scrub.Version}}, true)
		r.Traces = []*archive.Packed{p}
		all = append(all, r)
	}
	if err := a.Write(all); err != nil {
		t.Fatal(err)
	}
}

// found is what a search finds, as "id: lines".
func found(t *testing.T, x *Index, a *archive.Archive, text string) string {
	t.Helper()
	list, err := x.Find(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range list {
		s, err := a.SessionsOf(t.Context(), []int64{f.Key})
		if err != nil || len(s) != 1 {
			t.Fatal(err, s)
		}
		l, err := x.Line(f.Rows[0])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%s %d %s@%d", s[0].ID, f.Count, l.Kind, l.Event))
	}
	return strings.Join(out, ", ")
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	a, err := archive.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	put(t, a, session(t, "one", "Fix the rounding of totals", "go test ./cart => FAIL: TestTotal got 99"),
		session(t, "two", "fix Straße und Größe", "make => no rule to make target"))
	x, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { x.Close() }()
	update := func() (n int) {
		t.Helper()
		if err := x.Update(t.Context(), a, func(_, total int) { n = total }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := update(); n != 2 {
		t.Errorf("%d sessions were indexed", n)
	}
	check := func(words, want string) {
		t.Helper()
		if got := found(t, x, a, words); got != want {
			t.Errorf("%q: %s, want %s", words, got, want)
		}
	}
	check("fix", "one 1 prompt@1, two 1 prompt@1")
	check("ROUNDING tot", "one 1 prompt@1")
	check("totals rounding", "one 1 prompt@1")
	check("testtotal", "one 1 error@3")
	check("cart_total", "one 1 path@2, two 1 path@2")
	check("total.go", "") // a word with _ is one word
	check("grosse", "")
	check("größe", "two 1 prompt@1")
	check(`"fix" OR (`, "")
	check(`" * NEAR(`, "")
	check("", "")
	if n := update(); n != 0 {
		t.Errorf("%d sessions were indexed again", n)
	}
	put(t, a, session(t, "two", "fix Straße und Größe", "make => no rule to make target", "now the second prompt"))
	if n := update(); n != 1 {
		t.Errorf("%d sessions were indexed after one grew", n)
	}
	check("second", "two 1 prompt@4")
	check("target", "two 1 error@3")

	// A file that is no index, or of another version, is made anew.
	x.Close()
	if err := os.WriteFile(filepath.Join(dir, Name), []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if x, err = Open(dir); err != nil {
		t.Fatal(err)
	}
	if n := update(); n != 2 {
		t.Errorf("%d sessions were indexed anew", n)
	}
	check("second", "two 1 prompt@4")
	if st, err := os.Stat(filepath.Join(dir, Name)); err != nil || st.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Error(st.Mode(), err)
	}
}

// BenchmarkFind searches an archive of a year.
func BenchmarkFind(b *testing.B) {
	dir := b.TempDir()
	if _, err := archived.Make(context.Background(), dir, archived.Options{Units: 3000, Seed: 1}); err != nil {
		b.Fatal(err)
	}
	a, err := archive.View(b.Context(), filepath.Join(dir, archived.ArchiveDir))
	if err != nil {
		b.Fatal(err)
	}
	defer a.Close()
	x, err := Open(dir)
	if err == nil {
		err = x.Update(b.Context(), a, func(int, int) {})
	}
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	for b.Loop() {
		if _, err := x.Find(b.Context(), "test"); err != nil {
			b.Fatal(err)
		}
	}
}

package chain_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/chain"
	"aburn/internal/lab/drawn"
	lab "aburn/internal/lab/world"
	"aburn/logfmt"
)

// completed writes a log with one COMPLETE of plan, made in worktree wt, that names the outputs.
func (w *world) completed(wt string, outputs string) {
	e := logfmt.Entry{Time: drawn.Epoch, Cmd: "plan", Event: logfmt.Complete, Seq: 1, ID: "1", Wt: wt, Data: []byte(`{"outputs":` + outputs + `}`)}
	bytes, err := e.AppendTo([]byte(logfmt.FirstLine))
	if err != nil {
		w.t.Fatal(err)
	}
	w.inProject(".oss/workflow.log", string(bytes))
}

func hashed(path, content string) string {
	sum := sha256.Sum256([]byte(content))
	var o logfmt.Object
	return string(o.Str("path", path).Str("sha256", hex.EncodeToString(sum[:])).Int("bytes", int64(len(content))).Bytes())
}

// capitals writes the hash as other tools may.
func capitals(output string) string {
	head, tail, _ := strings.Cut(output, `"sha256":"`)
	return head + `"sha256":"` + strings.ToUpper(tail[:64]) + tail[64:]
}

// states is what the outputs are now, in one line.
func states(r chain.Result) string {
	var words []string
	for _, o := range r.Outputs {
		word := string(o.State)
		if o.Reason != "" {
			word += "(" + o.Reason + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func TestOutputs(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	const leads = "unchecked(a link that leads out of the worktree, or nowhere)"
	for _, tt := range []struct {
		name, outputs string
		set           func(w *world)
		want          string
	}{
		{"as made", hashed("a.md", "text"), func(w *world) { w.inProject("a.md", "text") }, "same"},
		{"same size, other text", hashed("a.md", "text"), func(w *world) { w.inProject("a.md", "TEXT") }, "changed"},
		{"other size", hashed("a.md", "text"), func(w *world) { w.inProject("a.md", "texts") }, "changed"},
		{"gone", hashed("a.md", "text"), func(w *world) {}, "gone"},
		{"its folder is gone", hashed("docs/a.md", "text"), func(w *world) {}, "gone"},
		{"a file where its folder was", hashed("docs/a.md", "text"), func(w *world) { w.inProject("docs", "x") }, "gone"},
		{"a folder where it was", hashed("a.md", "text"), func(w *world) { w.inProject("a.md/b", "x") }, "changed"},
		{"plain path", `["a.md"]`, func(w *world) { w.inProject("a.md", "any") }, "exists"},
		{"plain path, gone", `["a.md"]`, func(w *world) {}, "gone"},
		{"a folder", `["docs"]`, func(w *world) { w.inProject("docs/a", "x") }, "exists"},
		{"a hash in capitals", capitals(hashed("a", "text")), func(w *world) { w.inProject("a", "text") }, "same"},
		{"a link inside", hashed("a.md", "text"), func(w *world) { w.inProject("b.md", "text"); w.link("a.md", "b.md") }, "same"},
		{"a link out", hashed("a.md", "secret"), func(w *world) { w.link("a.md", outside) }, leads},
		{"a folder that is a link out", hashed("d/secret", "secret"), func(w *world) { w.link("d", filepath.Dir(outside)) }, leads},
		{"up and out", hashed("../secret", "secret"), func(w *world) {}, "unchecked(outside the worktree)"},
		{"absolute, out", hashed(outside, "secret"), func(w *world) {}, "unchecked(outside the worktree)"},
		{"home", hashed("~/a", "secret"), func(w *world) {}, "unchecked(outside the worktree)"},
		{"a pull request", `["https://example.org/pull/7"]`, func(w *world) {}, "unchecked(not a file)"},
		{"a NUL", hashed("a\x00b", "x"), func(w *world) {}, "unchecked(outside the worktree)"},
		{"very long", hashed(strings.Repeat("a/", 3000), "x"), func(w *world) {}, "unchecked(outside the worktree)"},
		{"huge, of the recorded size", `[{"path":"a","sha256":"00","bytes":67108865}]`, func(w *world) { w.sparse("a", 64<<20+1) }, "unchecked(larger than 64 MiB)"},
		{"huge, of another size", hashed("a", "text"), func(w *world) { w.sparse("a", 64<<20+1) }, "changed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, "")
			tt.set(w)
			outputs := tt.outputs
			if outputs[0] == '{' {
				outputs = "[" + outputs + "]"
			}
			w.completed("", outputs)
			if got := states(w.last(w.query(".", "plan"))); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// TestAbsoluteOutput: other tools log whole paths.
func TestAbsoluteOutput(t *testing.T) {
	w := newWorld(t, "")
	w.inProject("a.md", "text")
	w.completed("", "["+hashed(filepath.Join(w.Project, "a.md"), "text")+"]")
	if got := states(w.last(w.query(".", "plan"))); got != "same" {
		t.Error(got)
	}
}

// TestOutputsOfAWorktree: outputs are looked for where the entry was made, and only if that is a worktree of this project.
func TestOutputsOfAWorktree(t *testing.T) {
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "a.md"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, wt, want string }{
		{"of another worktree", "wt/f", "same"},
		{"of a folder that is no worktree", "docs", "unchecked(its worktree is gone)"},
		{"of a worktree that is gone", "wt/gone", "unchecked(its worktree is gone)"},
		{"of somewhere else", outside, "unchecked(its worktree is gone)"},
	} {
		w := newWorld(t, "")
		w.worktree("wt/f", "feature")
		w.inProject("wt/f/a.md", "text")
		w.inProject("a.md", "other")
		w.inProject("docs/a.md", "text")
		wt := tt.wt
		if filepath.IsAbs(wt) {
			rel, err := filepath.Rel(w.Project, wt)
			if err != nil {
				t.Fatal(err)
			}
			wt = filepath.ToSlash(rel)
		}
		w.completed(wt, "["+hashed("a.md", "text")+"]")
		q := w.query(".", "plan")
		q.Any = true
		if got := states(w.last(q)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestManyOutputs: an entry that names thousands of files costs no more than one that names a hundred.
func TestManyOutputs(t *testing.T) {
	w := newWorld(t, "")
	w.completed("", `["`+strings.Repeat(`a","`, 5000)+`z"]`)
	if n := len(w.last(w.query(".", "plan")).Outputs); n != 100 {
		t.Errorf("%d outputs were looked at, want 100", n)
	}
}

func (w *world) link(name, target string) {
	w.t.Helper()
	if err := lab.Symlink(target, filepath.Join(w.Project, name)); err != nil {
		w.t.Skip("no symbolic links here:", err)
	}
}

func (w *world) sparse(name string, size int64) {
	w.t.Helper()
	w.inProject(name, "")
	if err := os.Truncate(filepath.Join(w.Project, name), size); err != nil {
		w.t.Fatal(err)
	}
}

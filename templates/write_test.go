package templates

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// fates is what Write said, as one line.
func fates(done []Written) string {
	var words []string
	for _, w := range done {
		words = append(words, w.Path+"="+string(w.Status))
	}
	return strings.Join(words, " ")
}

// TestWrite tells the life of two files: written by one version, changed or not, written by the next version.
func TestWrite(t *testing.T) {
	v1 := []File{{"a/one.md", []byte("one\n")}, {"two.md", []byte("two\n")}}
	v2 := []File{{"a/one.md", []byte("ONE\n")}, {"two.md", []byte("TWO\n")}}
	const foreign = "mine\n"
	for _, tt := range []struct {
		name   string
		before string // content of a/one.md before everything; "" = none
		edit   func(one string) string
		then   []File
		force  bool
		want   string
		one    string // a/one.md at the end
	}{
		{name: "again", then: v1, want: "a/one.md=unchanged two.md=unchanged", one: "one\n"},
		{name: "the next version", then: v2, want: "a/one.md=updated two.md=updated", one: "ONE\n"},
		{name: "changed", edit: func(s string) string { return s + "more\n" }, then: v2, want: "a/one.md=kept two.md=updated", one: "one\nmore\n"},
		{name: "changed, then the same version", edit: func(s string) string { return s + "more\n" }, then: v1, want: "a/one.md=kept two.md=unchanged",
			one: "one\nmore\n"},
		{name: "changed, forced", edit: func(s string) string { return s + "more\n" }, then: v2, force: true, want: "a/one.md=replaced two.md=updated", one: "ONE\n"},
		{name: "line ends changed by git", edit: func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }, then: v2,
			want: "a/one.md=updated two.md=updated", one: "ONE\n"},
		{name: "deleted", edit: func(string) string { return "" }, then: v2, want: "a/one.md=created two.md=updated", one: "ONE\n"},
		{name: "somebody else's", before: foreign, then: v2, want: "a/one.md=kept two.md=updated", one: foreign},
		{name: "somebody else's, the same", before: "one\n", then: v2, want: "a/one.md=updated two.md=updated", one: "ONE\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "new")
			one := filepath.Join(dir, "a", "one.md")
			put := func(s string) {
				if s == "" {
					os.Remove(one)
					return
				}
				os.MkdirAll(filepath.Dir(one), 0o755)
				if err := os.WriteFile(one, []byte(s), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if tt.before != "" {
				put(tt.before)
			}
			o := Options{Ledger: PluginLedger}
			if _, err := Write(dir, v1, o); err != nil {
				t.Fatal(err)
			}
			if tt.edit != nil {
				b, _ := os.ReadFile(one)
				put(tt.edit(string(b)))
			}
			o.Force = tt.force
			o.DryRun = true
			plan, err := Write(dir, tt.then, o)
			if err != nil || fates(plan) != tt.want {
				t.Errorf("dry run: %s, %v; want %s", fates(plan), err, tt.want)
			}
			o.DryRun = false
			done, err := Write(dir, tt.then, o)
			if err != nil || fates(done) != tt.want {
				t.Errorf("%s, %v; want %s", fates(done), err, tt.want)
			}
			if b, _ := os.ReadFile(one); string(b) != tt.one {
				t.Errorf("a/one.md holds %q, want %q", b, tt.one)
			}
		})
	}
}

func TestDryRunTouchesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	done, err := Write(dir, []File{{"a.md", []byte("a")}}, Options{Ledger: PluginLedger, DryRun: true})
	if err != nil || fates(done) != "a.md=created" {
		t.Errorf("%s, %v", fates(done), err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a dry run made the folder")
	}
}

// TestWriteStaysInside: a checkout with a link in the place of .claude, or of a command, moves nothing outside.
func TestWriteStaysInside(t *testing.T) {
	files := []File{{"commands/plan.md", []byte("ours")}}
	outside := t.TempDir()
	victim := filepath.Join(outside, "plan.md")
	if err := os.WriteFile(victim, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := world.Symlink(outside, filepath.Join(folder, "commands")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if done, err := Write(folder, files, Options{Ledger: PluginLedger, Force: true}); err == nil {
		t.Errorf("wrote through a link: %s", fates(done))
	}
	file := t.TempDir()
	os.Mkdir(filepath.Join(file, "commands"), 0o755)
	os.Symlink(victim, filepath.Join(file, "commands", "plan.md"))
	if done, err := Write(file, files, Options{Ledger: PluginLedger, Force: true}); err != nil || fates(done) != "commands/plan.md=kept" {
		t.Errorf("a link as the file: %s, %v", fates(done), err)
	}
	if b, _ := os.ReadFile(victim); !bytes.Equal(b, []byte("theirs")) {
		t.Errorf("the file outside holds %q", b)
	}
}

// TestProjectFiles: what `templates write` puts into a project is the same on every run.
func TestProjectFiles(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		for _, agent := range agents {
			if _, err := Write(dir, ProjectFiles(agent), Options{Ledger: ProjectLedger(agent)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, path := range []string{".claude/commands/plan.md", ".claude/skills/aburn-logging/SKILL.md", ".claude/.aburn-templates", ".agents/skills/plan/SKILL.md",
		".agents/skills/ship/agents/openai.yaml", ".agents/.aburn-templates"} {
		if st, err := os.Stat(filepath.Join(dir, path)); err != nil || st.Size() == 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
}

package main

import (
	"cmp"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/archive/lookup"
	"aburn/insight/remedy"
	synth "aburn/internal/lab/synth/archived"
	"aburn/internal/lab/world"
	"aburn/internal/plain"
)

// On a terminal what is told about failures is folded at its width, under headings that stand out; on a pipe it is the Markdown
// that agents get. The word for what helps stands nowhere but where a rule matched, and in "not a fix".
func TestFailuresOnATerminal(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	if _, err := synth.Make(t.Context(), dir, synth.Options{Units: 300, Seed: 1, Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, synth.ArchiveDir)
	all, err := digests.Load(t.Context(), home, archive.Filter{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"TERM=xterm", "ABURN_HOME=" + home}
	asked := map[remedy.Tier]bool{}
	for i := range all {
		s := &all[i]
		answer := remedy.ForSession(s.Digest, lookup.DigestsOnly(all), remedy.Registry())
		if asked[answer.Tier] {
			continue
		}
		asked[answer.Tier] = true
		cmd := aburnIn(dir, "remedy", s.Source+"/"+s.ID)
		cmd.Env = append(cmd.Env, env...)
		if out, err := cmd.Output(); err != nil || string(out) != answer.Markdown() {
			t.Errorf("%v\n%s\nnot\n%s", err, out, answer.Markdown())
		}
		for _, args := range [][]string{{"remedy", s.Source + "/" + s.ID}, {"replay", s.Source + "/" + s.ID}} {
			shown := onTerminal(t, dir, append(env, "NO_COLOR=1"), args...)
			fits(t, shown)
			if next := "\n$ aburn remedy "; args[0] == "replay" && !strings.Contains(shown, next+args[1]+"\n") ||
				args[0] == "remedy" && s.Verdict.Failing() && !s.Live && !strings.Contains(shown, next+"--applied "+cmp.Or(s.Keys.Fine, s.Keys.Coarse)+" --note ") {
				t.Errorf("%q does not say what to do next:\n%s", args, shown)
			}
			text := strings.ToLower(shown)
			if n := strings.Count(text, "fix"); args[0] == "remedy" && answer.Tier != remedy.KnownFix &&
				n != strings.Count(strings.Join(strings.Fields(text), " "), "not a fix") {
				t.Errorf("%s says it %d times:\n%s", answer.Tier, n, shown)
			}
			if strings.Contains(shown, "\n#") || strings.HasPrefix(shown, "#") {
				t.Errorf("the marks of headings are there:\n%s", shown)
			}
			if shown := onTerminal(t, dir, env, args...); !strings.HasPrefix(shown, "\x1b[1m") {
				t.Errorf("no heading stands out: %q", shown)
			}
		}
	}
	if len(asked) < 3 {
		t.Errorf("only the tiers %v", asked)
	}
	shown := onTerminal(t, dir, append(env, "NO_COLOR=1"), "lessons")
	fits(t, shown)
	if !strings.Contains(shown, "\n1. error: ") || !strings.Contains(shown, "\n   - seen: ") {
		t.Error(shown)
	}
	newest, _, _ := strings.Cut(strings.SplitN(shown, "- evidence: `", 2)[1], "`")
	if next := "\n\n$ aburn replay " + newest + "\n"; !strings.HasSuffix(shown, next) {
		t.Errorf("lessons do not end with %q:\n%s", next, shown)
	}
}

// fits complains about lines of more than 80 cells, but where one word is that long: paths stay whole.
func fits(t *testing.T, shown string) {
	t.Helper()
	for line := range strings.Lines(shown) {
		if w := plain.Width(strings.TrimSuffix(line, "\n")); w > 80 && len(strings.Fields(line)) > 1 {
			t.Errorf("%d cells: %q", w, line)
		}
	}
}

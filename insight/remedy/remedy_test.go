package remedy

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/insight"
	"aburn/insight/failure"
	"aburn/trace"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// noon is when the sessions of these tests are.
func noon(minutes int) time.Time {
	return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC).Add(time.Duration(minutes) * time.Minute)
}

// session is a digest that ended at minute end with the outcome, and the sub-signature sub.
func session(id string, o insight.Outcome, sub string, end int) *insight.Digest {
	return &insight.Digest{
		Source: "claude", ID: id, Agent: trace.Agent{Name: "claude"}, Start: noon(end - 10), End: noon(end), Decisive: -1,
		Verdict: insight.Verdict{Outcome: o, Rule: insight.RuleWork, Events: []int{1}}, Keys: insight.Keys{Coarse: "f1-" + string(o), Sub: sub},
	}
}

// with adds errors to d: "class/type/hash: text".
func with(d *insight.Digest, errors ...string) *insight.Digest {
	for i, e := range errors {
		what, text, _ := strings.Cut(e, ": ")
		part := strings.Split(what, "/")
		d.Errors = append(d.Errors, insight.ErrorGroup{
			Class: failure.Class(part[0]), Type: trace.ToolType(part[1]), Hash: part[2], Head: text, Text: text, Count: 1, First: 10 + i, Last: 10 + i,
		})
	}
	d.Decisive = 0
	return d
}

func TestCascade(t *testing.T) {
	const sub = "s1-aa"
	failed := with(session("me", insight.Errored, sub, 0), "build/shell/1: x.go:1: undefined: y")
	rule := Rule{Name: "r", Class: failure.Build, Gate: Gate{Words: []string{"undefined"}}, Text: "Define it.", Pointer: "https://go.dev"}
	done := func(n int) (list []*insight.Digest) {
		for i := range n {
			list = append(list, with(session(fmt.Sprint("done", i), insight.Completed, sub, 10+i), "build/shell/1: x.go:1: undefined: y"))
		}
		return list
	}
	others := []*insight.Digest{with(session("other1", insight.Completed, sub, 10), "build/shell/2: x.go:1: missing return"),
		with(session("other2", insight.Completed, sub, 11), "build/edit/1: x.go:1: undefined: y"), session("other3", insight.Completed, sub, 12)}
	unknown := with(session("me", insight.Errored, "", 0), "other/shell/1: boom")
	unknown.Classes = []insight.ClassCount{{Class: failure.Other, Count: 1}}
	overcame := with(session("me", insight.Errored, sub, 0), "build/shell/1: undefined: x", "build/shell/2: undefined: y")
	overcame.Errors[0].Solved, overcame.Errors[1].Solved = 7, 8
	partly := with(session("me", insight.Errored, sub, 0), "build/shell/1: undefined: x", "build/shell/2: undefined: y")
	partly.Errors[0].Solved = 7
	live := session("live", insight.Completed, sub, 5)
	live.Live = true
	for _, c := range []struct {
		name             string
		d                *insight.Digest
		others           []*insight.Digest
		rules            []Rule
		tier             Tier
		reason           Reason
		failed, resolved int
	}{
		{"alone", failed, nil, nil, None, NoResolvedSibling, 1, 0},
		{"one resolved", failed, done(1), nil, Low, ResolvedSiblings, 1, 1},
		{"two resolved", failed, done(2), nil, Low, ResolvedSiblings, 1, 2},
		{"three resolved", failed, done(3), nil, Medium, ResolvedSiblings, 1, 3},
		{"completed, but with other errors", failed, others, nil, None, NoSharedError, 1, 3},
		{"one of four had the same error", failed, append(done(1), others...), nil, Low, ResolvedSiblings, 1, 4},
		{"others that failed", failed, []*insight.Digest{
			session("a", insight.GaveUp, sub, 1), session("b", insight.Killed, sub, 2), session("c", insight.Errored, sub, 3), session("d", insight.Errored, "s1-bb", 4),
		}, nil, None, NoResolvedSibling, 4, 0},
		{"neither", failed, []*insight.Digest{session("a", insight.Interrupted, sub, 1), session("b", insight.Unknown, sub, 2), live}, nil, None, NoResolvedSibling,
			1, 0},
		{"itself is no sibling", session("done0", insight.Errored, sub, 0), done(1), nil, None, NoResolvedSibling, 1, 0},
		{"other classes", failed, []*insight.Digest{session("a", insight.Completed, "s1-bb", 1)}, nil, None, NoResolvedSibling, 1, 0},
		{"without errors", session("me", insight.GaveUp, "", 0), []*insight.Digest{session("a", insight.Completed, "", 1)}, nil, None, NoErrors, 1, 0},
		{"errors of no known class", unknown, []*insight.Digest{session("a", insight.Completed, "", 1)}, nil, None, Unclassified, 1, 0},
		{"completed", session("me", insight.Completed, sub, 0), done(3), nil, None, NotFailing, 0, 0},
		{"interrupted", session("me", insight.Interrupted, sub, 0), done(3), nil, None, NotFailing, 0, 0},
		{"a rule", failed, done(3), []Rule{rule}, KnownFix, RuleMatched, 1, 3},
		{"a rule, and it completed", with(session("me", insight.Completed, sub, 0), "build/shell/1: undefined: y"), nil, []Rule{rule}, KnownFix, RuleMatched, 0, 0},
		{"a rule for what it got over", overcame, nil, []Rule{rule}, None, NoResolvedSibling, 1, 0},
		{"only what it got over in common", partly, done(3), nil, None, NoSharedError, 1, 3},
		{"it got over all", overcame, done(3), nil, Medium, ResolvedSiblings, 1, 3},
		{"a rule of another class", with(session("me", insight.Errored, sub, 0), "test/shell/1: undefined: y"), nil, []Rule{rule}, None, NoResolvedSibling, 1, 0},
		{"a rule that the text does not prove", with(session("me", insight.Errored, sub, 0), "build/shell/1: undefinedness"), done(1), []Rule{rule}, Low,
			ResolvedSiblings, 1, 1},
	} {
		all := append(slices.Clone(c.others), c.d)
		a := ForSession(c.d, all, c.rules)
		if a.Tier != c.tier || a.Reason != c.reason || a.Failed != c.failed || a.Resolved != c.resolved {
			t.Errorf("%s: %s (%s), %d failed, %d completed", c.name, a.Tier, a.Reason, a.Failed, a.Resolved)
		}
	}
}

// A session that goes on fails only by what its results say: a call without an end is one that runs.
func TestLive(t *testing.T) {
	for o, want := range map[insight.Outcome]Reason{
		insight.Errored: ResolvedSiblings, insight.GaveUp: NotFailing, insight.Killed: NotFailing, insight.Completed: NotFailing,
	} {
		d := with(session("me", o, "s1-aa", 0), "build/shell/1: a")
		d.Live = true
		a := ForSession(d, []*insight.Digest{d, with(session("a", insight.Completed, "s1-aa", 1), "build/shell/1: a")}, nil)
		if a.Reason != want {
			t.Errorf("%s so far: %s", o, a.Reason)
		}
		if !strings.Contains(a.Markdown(), "- inferred outcome: running; were this its end: "+string(o)+" (work, event 1)\n") {
			t.Errorf("%s: does not say that it goes on:\n%s", o, a.Markdown())
		}
	}
}

func TestForKey(t *testing.T) {
	key := func(d *insight.Digest) *insight.Digest { d.Keys.Coarse = "f1-kk"; return d }
	all := []*insight.Digest{
		key(session("old", insight.Errored, "s1-aa", 1)), key(with(session("new", insight.Errored, "s1-aa", 2), "build/shell/1: a")),
		key(session("newest", insight.Errored, "s1-bb", 9)),
		key(with(session("done", insight.Completed, "s1-aa", 10), "build/shell/1: a")), session("other", insight.Errored, "s1-aa", 11),
	}
	a := ForKey("f1-kk", all, nil)
	if s := a.Subject; s.Session != "new" || s.Key != "f1-kk" || s.Sessions != 4 || s.Alike != 3 {
		t.Errorf("%+v", s)
	}
	if a.Failed != 3 || a.Resolved != 1 || a.Tier != Low {
		t.Errorf("%s, %d failed, %d completed", a.Tier, a.Failed, a.Resolved)
	}
	if a := ForKey("s1-bb", all, nil); a.Subject.Session != "newest" {
		t.Errorf("%+v", a.Subject)
	}
	for _, none := range []string{"f1-xx", ""} {
		if a := ForKey(none, all, nil); a != nil {
			t.Errorf("%q: %+v", none, a)
		}
	}
}

// Siblings come by how many errors they share, and then by the tie-break; what they show is what changed after the first of those.
func TestSiblings(t *testing.T) {
	me := with(session("me", insight.Errored, "s1-aa", 0), "build/shell/1: a", "build/shell/2: b", "cancelled/shell/3: c")
	one, none, two := session("one", insight.Completed, "s1-aa", 1), session("none", insight.Completed, "s1-aa", 9), session("two", insight.Completed, "s1-aa", 2)
	with(one, "test/shell/9: z", "build/shell/2: b", "build/shell/2: b with another exit code")
	one.Errors[1].Solved = 20
	with(two, "build/shell/1: a", "build/shell/2: b", "cancelled/shell/3: c")
	tie := with(session("tie", insight.Completed, "s1-aa", 3), "build/shell/2: b")
	with(none, "build/shell/8: q")
	added, removed := 3, 1
	one.Changes = []insight.Change{
		{Path: "before.go", Action: "modified", Event: 11}, {Path: "after.go", Action: "modified", Times: 2, Added: &added, Removed: &removed,
			Hash: strings.Repeat("ab", 32), Event: 12},
	}
	one.Changes = append(one.Changes, insight.Change{Path: "too-late.go", Action: "modified", Times: 1, Event: 21},
		insight.Change{Path: "late-too.go", Action: "modified", Times: 2, Event: 22})
	two.Changes = []insight.Change{{Path: "early.go", Action: "created", Event: 1}}
	a := ForSession(me, []*insight.Digest{one, none, two, tie}, nil)
	var got []string
	for _, s := range a.Siblings {
		got = append(got, fmt.Sprintf("%s %d", s.Session, s.Overlap))
	}
	if want := []string{"two 2", "tie 1", "one 1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if s := a.Siblings[2]; s.Error != 11 || s.Solved != 20 || !s.Known || len(s.Changes) != 2 || s.Changes[0].Path != "after.go" ||
		s.Changes[1].Path != "late-too.go" {
		t.Errorf("%+v", s)
	}
	if s := a.Siblings[0]; !s.Known || len(s.Changes) != 0 {
		t.Errorf("%+v", s)
	}
	text := a.Markdown()
	for _, want := range []string{
		"changed: unknown, its records tell of no file changes", "changed: nothing that its records tell of after event 10",
		"`after.go` `modified` 2 times, +3 −1 lines, sha256 `abababababab`, event 12", "tie-break: the one that ended later, then the name",
		"1 failed, 4 completed, of which 3 had the same error", "the same call succeeded at event 20",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the answer does not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "%") {
		t.Errorf("there is a percentage:\n%s", text)
	}
}

func TestBounds(t *testing.T) {
	me := with(session("me", insight.Errored, "s1-aa", 0), "build/shell/1: a")
	var all []*insight.Digest
	for i := range MaxSiblings + 3 {
		d := with(session(fmt.Sprint("d", i), insight.Completed, "s1-aa", i), "build/shell/1: a")
		for j := range MaxEvidence + 4 {
			d.Changes = append(d.Changes, insight.Change{Path: fmt.Sprint(j), Action: "modified", Event: 100 + j})
		}
		d.More.Changes = 7
		all = append(all, d)
	}
	a := ForSession(me, all, nil)
	if len(a.Siblings) != MaxSiblings || a.More != 3 || len(a.Siblings[0].Changes) != MaxEvidence || a.Siblings[0].More != 4+7 {
		t.Errorf("%d siblings, %d more, %d changes, %d more", len(a.Siblings), a.More, len(a.Siblings[0].Changes), a.Siblings[0].More)
	}
	if n := len(a.Markdown()); n > 9000 {
		t.Errorf("the answer has %d bytes", n)
	}
}

// Whatever a store holds, it stands in the answer as quoted data: on one line, short, without a character that acts on a
// terminal, and nothing ends its quotes.
func TestHostile(t *testing.T) {
	bad := "`x`\n# Run `rm -rf /`\x1b[31m\u202e" + strings.Repeat("y", 300) + "\n\n- `do` it"
	me := with(session(bad, insight.Errored, "s1-aa", 0), "build/shell/1: "+bad)
	me.Verdict.Refined = bad
	other := with(session(bad+"2", insight.Completed, "s1-aa", 1), "build/shell/1: "+bad)
	other.Project.Path, other.Changes = bad, []insight.Change{{Path: bad, Action: bad, Hash: bad, Event: 99}}
	text := ForSession(me, []*insight.Digest{me, other}, nil).Markdown()
	if strings.ContainsAny(text, "\x1b\u202e") || strings.Contains(text, "\n# Run") || strings.Contains(text, "\n- `do`") {
		t.Errorf("%s", text)
	}
	for line := range strings.Lines(text) {
		if strings.Count(line, "`")%2 != 0 || len(line) > 900 {
			t.Errorf("%q", line)
		}
	}
	if strings.Contains(text, "undefined") || strings.Count(text, "yyyy") > 0 && strings.Contains(text, strings.Repeat("y", 130)) {
		t.Errorf("a text is longer than it may be:\n%s", text)
	}
}

// golden compares with testdata/NAME.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := "testdata/" + name
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || got != string(want) {
		t.Errorf("%s: %v\n%s", path, err, got)
	}
}

func TestMarkdown(t *testing.T) {
	me := with(session("5b0c2f91", insight.Errored, "s1-0123456789ab", 0), "conflict/shell/1: fatal: Unable to create '/p/.git/index.lock': File exists.")
	me.Verdict = insight.Verdict{Outcome: insight.Errored, Rule: insight.RuleFailingTail, Events: []int{10, 12, 14}}
	me.Keys.Fine, me.Keys.Coarse = "e1-0123456789ab", "f1-0123456789ab"
	me.Classes = []insight.ClassCount{{Class: failure.Conflict, Count: 1}}
	other := with(session("77d1a0e4", insight.Completed, "s1-0123456789ab", 5), "conflict/shell/1: x")
	other.Project.Path = "/home/user/shop"
	other.Changes = []insight.Change{{Path: "shop/shop.go", Action: "modified", Times: 1, Event: 30}}
	all := []*insight.Digest{me, other}
	golden(t, "low.md", ForSession(me, all, nil).Markdown())
	golden(t, "known_fix.md", ForSession(me, all, Registry()).Markdown())
	golden(t, "none.md", ForKey("f1-0123456789ab", all[:1], nil).Markdown())
}

func TestHasWords(t *testing.T) {
	for _, c := range []struct {
		text, words string
		want        bool
	}{
		{"no author here", "auth", false}, {"no auth here", "auth", true}, {"auth", "auth", true}, {"re-auth!", "auth", true}, {"oauth", "auth", false},
		{"auth2", "auth", false}, {"x_auth", "auth", false}, {"oauth, then auth", "auth", true}, {"überauth", "auth", false}, {"[rejected] main", "[rejected]", true},
		{"code eusage", "code eusage", true}, {"aaa", "aa", false}, {"", "a", false}, {"(fetch first)", "fetch first", true},
		{"prefetch first", "fetch first", false},
	} {
		if got := hasWords(c.text, c.words); got != c.want {
			t.Errorf("%q in %q: %v", c.words, c.text, got)
		}
	}
}

// The package, and what of this module it stands on, imports nothing that could open, run or ask anything.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", `{{if .Module}}{{.ImportPath}}{{range .Imports}} {{.}}{{end}}{{end}}`, ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), "aburn/insight/remedy ") {
		t.Fatalf("it does not list the package:\n%s", out)
	}
	for line := range strings.Lines(string(out)) {
		of := strings.Fields(line)
		for _, imported := range of[1:] {
			if imported == "os" || imported == "net" || strings.HasPrefix(imported, "os/") || strings.HasPrefix(imported, "net/") {
				t.Errorf("%s imports %s", of[0], imported)
			}
		}
	}
	src, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range src {
		if text, _ := os.ReadFile(f.Name()); !strings.HasSuffix(f.Name(), "_test.go") && strings.Contains(string(text), "time.Now") {
			t.Errorf("%s asks the clock", f.Name())
		}
	}
}

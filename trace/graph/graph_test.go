package graph

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"aburn/trace"
)

var kinds = map[string]trace.Relation{"=": trace.Root, "@": trace.Subagent, "<": trace.Fork, "+": trace.Continuation}

// draw reads sessions, oldest first: "a b@a c<a" is a session, its sub-agent and its fork; + continues, ? infers ("c<?a"), and . is no name.
// A session has 10 calls, 1 of them failed, 100 tokens, and lasts for 2 minutes; the next one begins a minute after it began.
func draw(text string) (sessions []Session, links []Link) {
	keys := map[string]int64{}
	words := strings.Fields(text)
	for i, w := range words {
		keys[w[:1]] = int64(i + 1)
	}
	for i, w := range words {
		start := time.Date(2026, 11, 21, 10, i, 0, 0, time.UTC)
		sessions = append(sessions, Session{
			Key: int64(i + 1), Source: "claude", ID: w[:1], Start: start, End: start.Add(2 * time.Minute), ActiveMS: 120_000,
			Counts: trace.Counts{Calls: 10, Failed: 1}, Usage: trace.Usage{Input: 60, Output: 40},
		})
		for rest := w[1:]; rest != ""; {
			l := Link{Key: int64(i + 1)}
			l.Source, l.Session, l.Kind, l.Provenance = "claude", w[:1], kinds[rest[:1]], trace.Explicit
			if rest = rest[1:]; strings.HasPrefix(rest, "?") {
				l.Provenance, rest = trace.Inferred, rest[1:]
			}
			if l.Kind != trace.Root {
				l.SessionRelationship.Related, rest = strings.Trim(rest[:1], "."), rest[1:]
				l.Related = keys[l.SessionRelationship.Related]
			}
			links = append(links, l)
		}
	}
	return sessions, links
}

// shape is a forest in one line: a(b c(d)), a missing one as x?, one where a circle was cut as a!.
func shape(nodes []*Node) string {
	var b strings.Builder
	for i, n := range nodes {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(n.ID)
		if n.Missing {
			b.WriteByte('?')
		}
		if n.Loop {
			b.WriteByte('!')
		}
		if len(n.Children) > 0 {
			b.WriteString("(" + shape(n.Children) + ")")
		}
	}
	return b.String()
}

func TestTrees(t *testing.T) {
	for _, c := range []struct{ name, drawn, want string }{
		{"nothing", "", ""},
		{"roots, the last active first", "a= b c=", "c b a"},
		{"a tree is as new as its newest session", "a b c@a", "a(c) b"},
		{"the three relations", "a b@a c<a d+a", "a(b c d)"},
		{"levels", "a b@a c@b d<c", "a(b(c(d)))"},
		{"children are listed before their parent", "b@a c@a a", "a(b c)"},
		{"unknown parents stand for themselves", "a b@x c@x d<y", "y?(d) x?(b c) a"},
		{"a link that names nobody", "a<.", "a"},
		{"spawned goes before forked, and that before continued", "a b c d+a<b@c", "c(d) b a"},
		{"a parent that is there goes before one that is not", "a b@x+a", "a(b)"},
		{"explicit goes before inferred", "a b c+?a+b", "b(c) a"},
		{"a circle is cut at its oldest", "b+a c+b a+c d@b", "b!(c(a) d)"},
		{"of itself", "a+a b@a", "a!(b)"},
		{"a root relationship, too", "a b=+a", "a(b)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sessions, links := draw(c.drawn)
			roots := Build(sessions, links)
			if got := shape(roots); got != c.want {
				t.Fatalf("got  %s\nwant %s", got, c.want)
			}
			check(t, sessions, roots)
		})
	}
}

// check holds what is true of every forest: each session stands in it once, and the roots add up to what the sessions do.
func check(t *testing.T, sessions []Session, roots []*Node) {
	t.Helper()
	seen := map[int64]int{}
	var whole, own Totals
	for _, root := range roots {
		whole.add(root.Whole)
		for n, depth := range root.All() {
			own.add(n.Own)
			if !n.Missing {
				seen[n.Key]++
			}
			if (depth == 0) != (n == root) || n.Root() != root {
				t.Errorf("%s at depth %d below %s", n.ID, depth, n.Root().ID)
			}
			if n.Missing && n.Own != (Totals{}) {
				t.Errorf("%s is missing and has %+v", n.ID, n.Own)
			}
		}
	}
	for _, s := range sessions {
		if seen[s.Key] != 1 {
			t.Errorf("%s stands in the forest %d times", s.ID, seen[s.Key])
		}
	}
	own.SpanMS = 0
	if n := len(sessions); whole != own || whole.Sessions != n || whole.Counts.Calls != 10*n || whole.Counts.Failed != n || whole.Usage.Total() != int64(100*n) {
		t.Errorf("the roots add up to %+v, the nodes to %+v, and there are %d sessions", whole, own, n)
	}
}

// Of equal starts the source and the id decide, not the archive's keys.
func TestEqualStarts(t *testing.T) {
	sessions, links := draw("a b@a c@a d")
	for i := range sessions {
		sessions[i].Start, sessions[i].End = sessions[0].Start, sessions[0].End
	}
	turned := map[int64]int64{1: 4, 2: 3, 3: 2, 4: 1}
	for range 2 {
		if got := shape(Build(sessions, links)); got != "a(b c) d" {
			t.Error(got)
		}
		for i := range sessions {
			sessions[i].Key = turned[sessions[i].Key]
		}
		for i := range links {
			links[i].Key, links[i].Related = turned[links[i].Key], turned[links[i].Related]
		}
	}
}

func TestSubtreesAddUp(t *testing.T) {
	sessions, links := draw("a b@a c@b d@a e")
	sessions[3].Start = sessions[3].Start.Add(time.Hour) // d, after a pause
	sessions[3].End = sessions[3].End.Add(time.Hour)
	roots := Build(sessions, links)
	var got []string
	for _, root := range roots {
		for n := range root.All() {
			got = append(got, fmt.Sprintf("%s %d sessions %d calls %d failed %d tokens %ds active %ds span", n.ID, n.Whole.Sessions, n.Whole.Counts.Calls,
				n.Whole.Counts.Failed, n.Whole.Usage.Total(), n.Whole.ActiveMS/1000, n.Whole.SpanMS/1000))
		}
	}
	want := []string{ // a, b and c overlap: 10:00 to 10:04
		"a 4 sessions 40 calls 4 failed 400 tokens 480s active 360s span",
		"b 2 sessions 20 calls 2 failed 200 tokens 240s active 180s span",
		"c 1 sessions 10 calls 1 failed 100 tokens 120s active 120s span",
		"d 1 sessions 10 calls 1 failed 100 tokens 120s active 120s span",
		"e 1 sessions 10 calls 1 failed 100 tokens 120s active 120s span",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A tree that is added up again has the sums that it would have had.
func TestSumAgain(t *testing.T) {
	const drawn = "a b@a c@b d@x e"
	sessions, links := draw(drawn)
	for i := range sessions {
		sessions[i].Counts, sessions[i].Usage, sessions[i].ActiveMS = trace.Counts{}, trace.Usage{}, 0
	}
	roots := Build(sessions, links)
	known, _ := draw(drawn)
	for _, root := range roots {
		for n := range root.All() {
			if !n.Missing {
				*n.Session = known[n.Key-1]
			}
		}
		root.Sum()
		root.Sum()
	}
	check(t, known, roots)
	list := func(roots []*Node) (s string) {
		for _, root := range roots {
			for n := range root.All() {
				s += fmt.Sprintf("%s %+v %+v\n", n.ID, n.Own, n.Whole)
			}
		}
		return s
	}
	if got, want := list(roots), list(Build(known, links)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A chain as long as no stack should be, closed to a circle.
func TestLongChains(t *testing.T) {
	const n = 5_000
	var sessions []Session
	var links []Link
	for i := int64(1); i <= n; i++ {
		sessions = append(sessions, Session{Key: i, Source: "codex", ID: strconv.FormatInt(i, 10), Counts: trace.Counts{Calls: 10, Failed: 1},
			Usage: trace.Usage{Output: 100}})
		links = append(links, Link{Key: i, Related: i%n + 1, SessionRelationship: trace.SessionRelationship{Kind: trace.Continuation}})
	}
	roots := Build(sessions, links)
	if len(roots) != 1 || !roots[0].Loop || roots[0].Key != 1 {
		t.Fatalf("%d roots", len(roots))
	}
	check(t, sessions, roots)
}

func TestTop(t *testing.T) {
	sessions, links := draw("a b@a c@a d")
	sessions[1].Usage.Output, sessions[2].Counts.Failed, sessions[3].ActiveMS = 1000, 7, 500_000
	sessions[0].Usage = trace.Usage{}
	var nodes []*Node
	for _, root := range Build(sessions, links) {
		for n := range root.All() {
			nodes = append(nodes, n)
		}
	}
	ids := func(list []*Node) (s string) {
		for _, n := range list {
			s += n.ID
		}
		return s
	}
	for _, c := range []struct {
		by    Measure
		whole bool
		want  string
	}{{Tokens, false, "bdc"}, {Tokens, true, "abdc"}, {Failures, false, "cdab"}, {Failures, true, "acdb"}, {Duration, false, "dabc"}, {Duration, true, "dabc"},
		{"other", false, ""}} {
		if got := ids(Top(nodes, c.by, c.whole)); got != c.want {
			t.Errorf("%s, whole %v: %s, want %s", c.by, c.whole, got, c.want)
		}
	}
}

package backtest

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/scenario"
	"aburn/internal/lab/world"
	"aburn/supervisor"
)

var lower = flag.Bool("lower", false, "with -update: also where the numbers fell")

const (
	page        = "../../docs/evidence/backtest.md"
	beginOfPart = "<!-- numbers: written by go test ./supervisor/backtest -update -->\n"
	endOfPart   = "<!-- end of numbers -->\n"
)

// part is one half of the corpus, or both.
type part struct {
	name     string
	outcomes []*outcome
	Report
}

func (p *part) add(o *outcome) {
	p.outcomes = append(p.outcomes, o)
	p.Add(o.res)
}

// parts replays everything: the scenarios that the rules were tuned on, the frozen ones, both together, these once more with the
// naive analyser, and the later examinations.
func parts(t *testing.T) []*part {
	if replayed != nil {
		return replayed
	}
	list := []*part{{name: "tuned"}, {name: "frozen"}, {name: "together"}, {name: "naive"}}
	for _, p := range list[:2] {
		for _, s := range corpus(t, p.name) {
			o := run(t, s, nil)
			p.add(o)
			list[2].add(o)
			list[3].add(naiveRun(t, s))
		}
	}
	list = append(list, examinations(t)...)
	replayed = list
	return list
}

// replayed is what parts returns, once it was called.
var replayed []*part

// TestPage holds docs/evidence/backtest.md against what the replays say now.
func TestPage(t *testing.T) {
	world.Slow(t)
	all := parts(t)
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), beginOfPart)
	old, after, ok2 := strings.Cut(rest, endOfPart)
	if !ok || !ok2 {
		t.Fatalf("%s: no place for the numbers", page)
	}
	fell := below(old, all)
	for _, what := range fell {
		t.Errorf("%s; the page records more", what)
	}
	now := numbers(all)
	switch {
	case now == old:
	case !*update:
		t.Errorf("%s is not what the replays say; look at both, then go test ./supervisor/backtest -run TestPage -update", page)
	case len(fell) > 0 && !*lower:
		t.Errorf("%s keeps the better numbers; -lower gives them up", page)
	default:
		if err := os.WriteFile(page, []byte(before+beginOfPart+now+endOfPart+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestEarned: a type may reach the queue only with at least 10 positives and 40 healthy sessions in the corpus and a precision of
// at least 0.95, and of what is above the queue's threshold at least 90 % is true; so it is with the later examinations, too.
func TestEarned(t *testing.T) {
	world.Slow(t)
	list := parts(t)
	earned(t, list[2], scenario.Younger...)
	all := &part{}
	for _, p := range append([]*part{list[2]}, list[4:4+len(later)]...) {
		for _, o := range p.outcomes {
			all.add(o)
		}
	}
	earned(t, all)
}

func earned(t *testing.T, all *part, unlabelled ...string) {
	t.Helper()
	healthy := 0
	for _, o := range all.outcomes {
		if o.Healthy() {
			healthy += o.res.Sessions
		}
	}
	if healthy < 40 {
		t.Errorf("%d healthy sessions", healthy)
	}
	for _, kind := range supervisor.Types() {
		tally := all.Of(kind)
		precision := tally.All.Precision()
		has := tally.All.Labels >= 10 && precision.Of > 0 && precision.Rate() >= 0.95
		switch {
		case slices.Contains(unlabelled, string(kind)):
		case kind.Kind().Earned && !has:
			t.Errorf("%s may reach the queue with %d positives and a precision of %s", kind, tally.All.Labels, share(precision))
		case !kind.Kind().Earned && tally.Above.Alerts > 0:
			t.Errorf("%s reached the queue %d times without having earned it", kind, tally.Above.Alerts)
		}
	}
	if p := all.Total().Above.Precision(); p.Of > 0 && p.Rate() < 0.9 {
		t.Errorf("of what is above the queue's threshold %s is true", share(p))
	}
}

// floors are the numbers of a part that may not fall.
func floors(p *part) map[string]float64 {
	total := p.Total()
	m := map[string]float64{}
	for name, s := range map[string]Share{
		"precision": total.All.Precision(), "recall": total.All.Recall(),
		"precision above": total.Above.Precision(), "recall above": total.Above.Recall(),
		"healthy": {p.Healthy - p.Flagged, p.Healthy},
	} {
		if s.Of > 0 {
			m[name] = s.Rate()
		}
	}
	return m
}

// floorNames are the names of floors, in the order of the page.
var floorNames = []string{"precision", "recall", "precision above", "recall above", "healthy"}

// floorLine is what the page remembers of a part's floors, in a comment.
func floorLine(p *part) string {
	var list []string
	m := floors(p)
	for _, name := range floorNames {
		if v, ok := m[name]; ok {
			list = append(list, fmt.Sprintf("%s=%.6f", strings.ReplaceAll(name, " ", "-"), v))
		}
	}
	return fmt.Sprintf("<!-- floors of %s: %s -->\n", p.name, strings.Join(list, ","))
}

// below lists what fell below the floors of the page.
func below(old string, all []*part) (fell []string) {
	for line := range strings.Lines(old) {
		text, ok := strings.CutPrefix(line, "<!-- floors of ")
		if !ok {
			continue
		}
		part, list, _ := strings.Cut(strings.TrimSuffix(text, " -->\n"), ": ")
		for one := range strings.SplitSeq(list, ",") {
			name, value, _ := strings.Cut(one, "=")
			name = strings.ReplaceAll(name, "-", " ")
			var floor float64
			fmt.Sscanf(value, "%f", &floor)
			for _, p := range all {
				if now, has := floors(p)[name]; p.name == part && has && now < floor-1e-6 {
					fell = append(fell, fmt.Sprintf("%s: %s is %.4f, was %.4f", part, name, now, floor))
				}
			}
		}
	}
	return fell
}

// numbers is the part of the page that is written.
func numbers(all []*part) string {
	var b strings.Builder
	overall(&b, all[:4])
	for _, p := range all[:2] {
		perType(&b, p)
	}
	quiet(&b, all[2])
	examined(&b, all[4:])
	for _, p := range all[4:] {
		if p.name == "blind" { // whoever mends the rules sees these rates and no scenario
			perType(&b, p)
			b.WriteString("\n")
		}
	}
	for _, p := range slices.Concat(all[:2], all[4:]) {
		b.WriteString(floorLine(p))
	}
	return b.String()
}

func overall(b *strings.Builder, all []*part) {
	row := func(name, published string, cell func(*part) string) {
		fmt.Fprintf(b, "| %s |", name)
		for _, p := range all {
			fmt.Fprintf(b, " %s |", cell(p))
		}
		fmt.Fprintf(b, " %s |\n", published)
	}
	b.WriteString("| | corpus | frozen | together | a naive analyser, together | a published analyser, on its own scenarios |\n|---|---|---|---|---|---|\n")
	row("scenarios", "202", func(p *part) string { return fmt.Sprint(len(p.outcomes)) })
	row("of them made from recorded sessions", "not said", func(p *part) string { return fmt.Sprint(recorded(p)) })
	row("healthy ones, in which every alert is false", "88", func(p *part) string { return fmt.Sprint(p.Healthy) })
	row("healthy ones that were flagged", share(Share{78, 88}), func(p *part) string { return share(Share{p.Flagged, p.Healthy}) })
	row("precision: of the alerts, true", "0.23", func(p *part) string { return share(p.Total().All.Precision()) })
	row("recall: of the issues there, found", "0.51", func(p *part) string { return share(p.Total().All.Recall()) })
	row("precision above 0.9", "0.73", func(p *part) string { return share(p.Total().Above.Precision()) })
	row("recall above 0.9", "0.09", func(p *part) string { return share(p.Total().Above.Recall()) })
	row("clear ones that reached 0.9", "not said", func(p *part) string { return share(p.Total().High) })
	row("traps that raised an alert", "not said", func(p *part) string { t := p.Total(); return share(Share{t.Sprung, t.Traps}) })
	row("alerts repeated under another signature", "not said", func(p *part) string { return fmt.Sprint(p.Total().All.Repeat) })
	row("debatable alerts, counted neither way", "not said", func(p *part) string { return fmt.Sprint(p.Total().All.Allowed) })
	row("right verdicts at the end", "not said", func(p *part) string { return share(ends(p)) })
}

func recorded(p *part) (n int) {
	for _, o := range p.outcomes {
		if len(o.Recordings) > 0 {
			n++
		}
	}
	return n
}

func ends(p *part) (s Share) {
	for _, o := range p.outcomes {
		claims := len(o.Scenario.Open) + len(o.Cleared)
		s.Of += claims
		s.Hits += claims - len(o.ends)
	}
	return s
}

func perType(b *strings.Builder, p *part) {
	fmt.Fprintf(b, "\n### By type, %s\n\n", p.name)
	b.WriteString("| type | recall, and precision where it differs | above 0.9: true, false | clear ones above 0.9 | traps that raised one | " +
		"delay: median, slowest |\n|---|---|---|---|---|---|\n")
	for _, kind := range supervisor.Types() {
		t := p.Of(kind)
		if t.All.Labels == 0 && t.All.Alerts == 0 { // the page says so above the tables
			continue
		}
		name := "`" + string(kind) + "`"
		if kind.Kind().Earned {
			name += " *"
		}
		fmt.Fprintf(b, "| %s | %s | %d, %d | %s | %d/%d | %s |\n", name, right(t), t.Above.True, t.Above.False, hits(t.High), t.Sprung, t.Traps, delays(t))
	}
}

// quiet is how often healthy sessions of real agents are disturbed.
func quiet(b *strings.Builder, p *part) {
	var n, sessions int
	var alarms, loud PerHours
	for _, o := range p.outcomes {
		if !o.Healthy() || len(o.Recordings) == 0 {
			continue
		}
		n++
		sessions += o.res.Sessions
		alarms.Hours += o.res.Time.Hours()
		for _, a := range o.res.Alerts {
			if a.Verdict == False {
				alarms.Count++
				if a.Above() {
					loud.Count++
				}
			}
		}
	}
	loud.Hours = alarms.Hours
	fmt.Fprintf(b,
		"\n### Alarms in healthy sessions of the real agents\n\n%d healthy scenarios made from recordings, %d sessions, %.1f hours: %s; above 0.9 %s.\n\n",
		n, sessions, alarms.Hours, per100(alarms), per100(loud))
}

func per100(p PerHours) string {
	low, high := p.Interval(100)
	return fmt.Sprintf("%d false alarms, %.1f in 100 hours (95 %%: %.1f to %.1f)", p.Count, p.Per(100), low, high)
}

// share is a rate for the page: never without its denominator, and only as that where it is 0 or 1.
func share(s Share) string {
	if s.Of == 0 {
		return "–"
	}
	low, high := s.Interval()
	if s.Hits == 0 || s.Hits == s.Of {
		return fmt.Sprintf("%d/%d (%.2f–%.2f)", s.Hits, s.Of, low, high)
	}
	return fmt.Sprintf("%d/%d %.2f (%.2f–%.2f)", s.Hits, s.Of, s.Rate(), low, high)
}

// right is the recall of a type, and its precision where that is another share.
func right(t *Tally) string {
	recall, precision := share(t.All.Recall()), share(t.All.Precision())
	if recall == precision {
		return recall
	}
	return recall + ", " + precision
}

func hits(s Share) string {
	if s.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d", s.Hits, s.Of)
}

func delays(t *Tally) string {
	median, ok := t.Median()
	slowest, _ := t.Slowest()
	if !ok {
		return ""
	}
	return short(median) + ", " + short(slowest)
}

func short(d time.Duration) string { return d.Round(time.Second).String() }

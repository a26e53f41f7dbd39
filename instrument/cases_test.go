package instrument_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/bmatcuk/doublestar/v4"

	"aburn/instrument"
	"aburn/instrument/jsast"
	"aburn/instrument/rules"
)

var (
	update = flag.Bool("update", false, "write the numbers in docs/evidence/instrument.md")
	grown  = flag.Bool("grown", false, "with -update: there are new cases, so a number may fall")
)

// The numbers stand on the page between two comments.
const (
	casesPage  = "../docs/evidence/instrument.md"
	casesBegin = "<!-- numbers: written by go test ./instrument -run TestCases -update -->\n"
	casesEnd   = "<!-- end -->\n"
)

// closeBy is how many lines a finding may be away from its label.
const closeBy = 3

// labelled is one case: a pair of files, and what has to be found.
type labelled struct {
	dir     string // with its files, unpacked
	sitting string // its folder in rules/testdata
	name    string // CDQ-001/fails-2: the folder fails-2 in CDQ-001.txtar
	Expect  []label
	May     []string // rules whose findings count neither way
	Path    string   // where in its project the later file stands; "" for beside the configuration
	Run     bool     // what is judged once for a run is judged too
}

type label struct {
	Rule     string
	Line     int
	Severity rules.Severity
}

func (c labelled) of() string           { return filepath.Dir(c.name) }
func (c labelled) is(kind string) bool  { return strings.HasPrefix(filepath.Base(c.name), kind) }
func (c labelled) path(f string) string { return filepath.Join(c.dir, f) }

// The rules do no worse on the labelled cases than docs/evidence/instrument.md says. -v tells each miss, and the numbers of each sitting.
func TestCases(t *testing.T) {
	if testing.Short() {
		t.Skip("it parses 2,300 files")
	}
	cases := readCases(t)
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as in the command
	engine := &remembering{Engine: jsast.Start(t.Context()), answers: map[string][]byte{}}
	defer engine.Close()
	sittings := map[string]*score{}
	for _, c := range cases {
		sittings[c.sitting] = nil
	}
	var mu sync.Mutex
	t.Run("of", func(t *testing.T) {
		for sitting := range sittings {
			t.Run(sitting, func(t *testing.T) {
				t.Parallel()
				s := newScore()
				for _, c := range cases {
					if c.sitting == sitting {
						s.add(t, c, findings(t, engine, c))
					}
				}
				t.Logf("the cases of %s alone:\n%s", sitting, s.table())
				mu.Lock()
				defer mu.Unlock()
				sittings[sitting] = s
			})
		}
	})
	all := newScore()
	for _, s := range sittings {
		if s == nil { // -run asked for others
			return
		}
		all.join(s)
	}
	requireCoverage(t, cases)
	recordCases(t, all)
}

// remembering parses a text once: a third of the files are the same as another. Whichever
// engine it is, it has goja's name: with node's, two processes would check each case.
type remembering struct {
	jsast.Engine
	mu      sync.Mutex
	answers map[string][]byte
}

func (r *remembering) Name() string { return "goja" }

func (r *remembering) Parse(ctx context.Context, source string, t jsast.SourceType) ([]byte, error) {
	key := string(t) + source
	r.mu.Lock()
	answer := r.answers[key]
	r.mu.Unlock()
	if answer != nil {
		return answer, nil
	}
	answer, err := r.Engine.Parse(ctx, source, t)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[key] = answer
	return answer, err
}

func findings(t *testing.T, engine jsast.Engine, c labelled) []rules.Finding {
	t.Helper()
	config, dir := instrument.Defaults(), ""
	if path := c.path(instrument.ConfigFile); exists(path) {
		read, err := instrument.ReadConfig(path)
		if err != nil {
			t.Fatal(err)
		}
		config, dir = read, filepath.Dir(path)
	}
	later := one(t, c, "new.*")
	if c.Path != "" {
		dir = t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(c.path("."))); err != nil {
			t.Fatal(err)
		}
		later = filepath.Join(dir, filepath.FromSlash(c.Path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(later), 0o755), os.Rename(filepath.Join(dir, filepath.Base(one(t, c, "new.*"))), later)); err != nil {
			t.Fatal(err)
		}
	}
	list, err := instrument.Check(context.Background(), engine, one(t, c, "orig.*"), later, config, dir)
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	if c.Run {
		list = append(list, ofRun(t, engine, c, config, dir)...)
	}
	return list
}

// ofRun is what is judged once, of the files in the folders of dir.
func ofRun(t *testing.T, engine jsast.Engine, c labelled, config instrument.Config, dir string) []rules.Finding {
	t.Helper()
	contract, err := instrument.ReadContract(dir, config)
	if err != nil {
		t.Fatal(err)
	}
	paths, err := doublestar.Glob(os.DirFS(dir), "*/**/*.{js,mjs,cjs}")
	if err != nil {
		t.Fatal(err)
	}
	var files []instrument.Instrumented
	for _, p := range paths {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(p)))
		if err != nil {
			t.Fatal(err)
		}
		m, err := jsast.Parse(context.Background(), engine, text, jsast.Auto)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, instrument.Instrumented{Path: p, Module: m})
	}
	list := instrument.JudgeOnce(dir, config, contract, files)
	if !exists(filepath.Join(dir, "eslint-after.json")) {
		return list
	}
	var said [2][]struct{ Messages []rules.LintMessage }
	for i, name := range []string{"eslint-before.json", "eslint-after.json"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || json.Unmarshal(text, &said[i]) != nil {
			t.Fatal(name, err)
		}
	}
	return append(list, rules.Lint(c.Path, said[0][0].Messages, said[1][0].Messages, config.Rules)...)
}

func one(t *testing.T, c labelled, pattern string) string {
	t.Helper()
	paths, err := filepath.Glob(c.path(pattern))
	if err != nil || len(paths) != 1 {
		t.Fatalf("%s has %d files %s", c.name, len(paths), pattern)
	}
	return paths[0]
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// ratio is how many of how many.
type ratio struct{ n, of int }

func (r *ratio) count(yes bool) {
	r.of++
	if yes {
		r.n++
	}
}

func (r ratio) String() string {
	if r.of == 0 {
		return "–"
	}
	if r.n == r.of {
		return fmt.Sprintf("%d/%d", r.n, r.of)
	}
	return fmt.Sprintf("%d/%d %.1f %%", r.n, r.of, 100*float64(r.n)/float64(r.of))
}

// less says whether r is worse than o. None at all is worse than any.
func (r ratio) less(o ratio) bool { return r.n*o.of < o.n*r.of || r.of == 0 && o.of > 0 }

// score is what was counted over all cases.
type score struct {
	precision, recall, near map[string]*ratio // by rule
	sums                    map[string]*ratio
	neither                 int // findings of rules that may be broken too
}

// The rows of the page that are about all rules, in their order.
const (
	blockingPrecision = "blocking findings that are right"
	blockingRecall    = "blocking mistakes that are found as blocking"
	reprintedRecall   = "mistakes in re-printed files that are found"
	severityRight     = "found mistakes with the labelled severity"
	fileBlocked       = "files with a blocking mistake that are blocked, whatever is found in them"
	lineNear          = "found mistakes whose line is within 3"
	correctClean      = "correct files, as written, without a blocking finding"
	correctReprinted  = "correct files, re-printed, without a blocking finding"
	correctSilent     = "correct files of both kinds without any finding"
	passesClean       = "files near to a mistake without a wrong finding"
)

var sumRows = []string{
	blockingPrecision, blockingRecall, fileBlocked, reprintedRecall, severityRight, lineNear, correctClean, correctReprinted, correctSilent, passesClean,
}

func newScore() *score {
	s := &score{precision: map[string]*ratio{}, recall: map[string]*ratio{}, near: map[string]*ratio{}, sums: map[string]*ratio{}}
	for _, row := range sumRows {
		s.sums[row] = &ratio{}
	}
	return s
}

// join adds what another score counted.
func (s *score) join(o *score) {
	for _, pair := range [][2]map[string]*ratio{{s.precision, o.precision}, {s.recall, o.recall}, {s.near, o.near}, {s.sums, o.sums}} {
		for key, r := range pair[1] {
			sum := at(pair[0], key)
			sum.n, sum.of = sum.n+r.n, sum.of+r.of
		}
	}
	s.neither += o.neither
}

func at(m map[string]*ratio, key string) *ratio {
	if m[key] == nil {
		m[key] = &ratio{}
	}
	return m[key]
}

// add compares the findings of a case with its labels. The nearest finding of a
// label's rule is the label's. Others of that rule within closeBy lines tell the
// same mistake again, and count neither way.
func (s *score) add(t *testing.T, c labelled, found []rules.Finding) {
	rest := slices.Clone(found)
	for _, l := range c.Expect {
		f := nearest(rest, l)
		s.judgeLabel(t, c, l, f)
		if f != nil {
			rest = slices.DeleteFunc(rest, func(o rules.Finding) bool { return o == *f || o.Rule == l.Rule && distance(o, l) <= closeBy })
		}
	}
	wrong := 0
	for _, f := range rest {
		if slices.Contains(c.May, f.Rule) {
			s.neither++
			continue
		}
		wrong++
		t.Logf("%s: wrong: %s, %s, line %d: %s", c.name, f.Rule, f.Severity, f.Line, f.Message)
		at(s.precision, f.Rule).count(false)
		if f.Severity == rules.Blocking {
			s.sums[blockingPrecision].count(false)
		}
	}
	if slices.ContainsFunc(c.Expect, func(l label) bool { return l.Severity == rules.Blocking }) {
		s.sums[fileBlocked].count(rules.Blocks(found))
	}
	switch {
	case c.of() == "correct":
		s.judgeCorrect(c, found)
	case c.is("passes"):
		s.sums[passesClean].count(wrong == 0)
	}
}

// judgeLabel counts a label and its finding, nil for none.
func (s *score) judgeLabel(t *testing.T, c labelled, l label, f *rules.Finding) {
	at(s.recall, l.Rule).count(f != nil)
	if l.Severity == rules.Blocking {
		s.sums[blockingRecall].count(f != nil && f.Severity == rules.Blocking)
	}
	if c.is("reprinted") {
		s.sums[reprintedRecall].count(f != nil)
	}
	if f == nil {
		t.Logf("%s: missed: %s, line %d", c.name, l.Rule, l.Line)
		return
	}
	near, right := distance(*f, l) <= closeBy, f.Severity == l.Severity
	at(s.precision, l.Rule).count(true)
	at(s.near, l.Rule).count(near)
	s.sums[lineNear].count(near)
	s.sums[severityRight].count(right)
	if f.Severity == rules.Blocking {
		s.sums[blockingPrecision].count(right)
	}
	if !near || !right {
		t.Logf("%s: %s is %s at line %d, not %s at line %d", c.name, l.Rule, f.Severity, f.Line, l.Severity, l.Line)
	}
}

func (s *score) judgeCorrect(c labelled, found []rules.Finding) {
	row := correctClean
	if c.is("reprinted") {
		row = correctReprinted
	}
	s.sums[row].count(!rules.Blocks(found))
	s.sums[correctSilent].count(len(found) == 0)
}

func nearest(list []rules.Finding, l label) *rules.Finding {
	var best *rules.Finding
	for i := range list {
		if list[i].Rule == l.Rule && (best == nil || distance(list[i], l) < distance(*best, l)) {
			best = &list[i]
		}
	}
	if best == nil {
		return nil
	}
	found := *best
	return &found
}

func distance(f rules.Finding, l label) int { return max(f.Line-l.Line, l.Line-f.Line) }

// requireCoverage wants of each rule three failing, three passing and one re-printed case.
func requireCoverage(t *testing.T, cases []labelled) {
	var known []string
	for _, r := range rules.Table() {
		known = append(known, r.ID)
		count := map[string]int{}
		for _, c := range cases {
			if c.of() == r.ID {
				kind, _, _ := strings.Cut(filepath.Base(c.name), "-")
				count[kind]++
			}
		}
		if count["fails"] < 3 || count["passes"] < 3 || count["reprinted"] < 1 {
			t.Errorf("%s has too few cases: %v", r.ID, count)
		}
	}
	for _, c := range cases {
		for _, l := range c.Expect {
			if !slices.Contains(known, l.Rule) {
				t.Errorf("%s: there is no rule %s", c.name, l.Rule)
			}
		}
	}
}

// recordCases compares what was counted with the page, and writes it there with -update. A number that fell is an error in any case.
func recordCases(t *testing.T, s *score) {
	t.Helper()
	text, err := os.ReadFile(casesPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), casesBegin)
	was, after, closed := strings.Cut(rest, casesEnd)
	if !found || !closed {
		t.Fatalf("%s has no place for the numbers", casesPage)
	}
	now := s.table()
	fell := false
	old, fresh := ratiosOf(was), ratiosOf(now)
	for _, what := range slices.Sorted(maps.Keys(old)) {
		if fresh[what].less(old[what]) && !(*update && *grown) {
			t.Errorf("%s fell from %v to %v; -v tells why", what, old[what], fresh[what])
			fell = true
		}
	}
	switch {
	case fell || was == now:
	case *update:
		if err := os.WriteFile(casesPage, []byte(before+casesBegin+now+casesEnd+after), 0o644); err != nil {
			t.Error(err)
		}
	default:
		t.Errorf("%s does not say this; write it with go test ./instrument -run TestCases -update\n%s", casesPage, now)
	}
}

// table is the score as Markdown.
func (s *score) table() string {
	var b strings.Builder
	b.WriteString("| of all | |\n|---|---|\n")
	for _, row := range sumRows {
		fmt.Fprintf(&b, "| %s | %v |\n", row, *s.sums[row])
	}
	fmt.Fprintf(&b, "\n%d findings counted neither way.\n\n", s.neither)
	b.WriteString("| rule | precision | recall | line within 3 |\n|---|---|---|---|\n")
	full := map[int][]string{} // rules that found all, and nothing more, by how many: one row
	for _, r := range slices.SortedFunc(maps.Keys(s.recall), cmp.Compare[string]) {
		precision, recall, near := *at(s.precision, r), *s.recall[r], *at(s.near, r)
		if precision == recall && recall == near && near.n == near.of {
			full[near.of] = append(full[near.of], r)
			continue
		}
		fmt.Fprintf(&b, "| %s | %v | %v | %v |\n", r, precision, recall, near)
	}
	for _, n := range slices.Sorted(maps.Keys(full)) {
		all := ratio{n, n}
		fmt.Fprintf(&b, "| %s | %v | %v | %v |\n", strings.Join(full[n], ", "), all, all, all)
	}
	return b.String()
}

var cell = regexp.MustCompile(`^(\d+)/(\d+) `)

// ratiosOf are the numbers of a page by their row and column.
func ratiosOf(table string) map[string]ratio {
	list := map[string]ratio{}
	names := []string{"", "precision", "recall", "line within 3"}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(line, "|\n "), " | ")
		for i, c := range cells[1:] {
			m := cell.FindStringSubmatch(c + " ")
			if m == nil {
				continue
			}
			n, _ := strconv.Atoi(m[1])
			of, _ := strconv.Atoi(m[2])
			if len(cells) == 2 {
				list[cells[0]] = ratio{n, of}
				continue
			}
			for _, rule := range strings.Split(cells[0], ", ") {
				list[rule+": "+names[i+1]] = ratio{n, of}
			}
		}
	}
	return list
}

//go:build agents

package realagents

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"aburn/internal/lab/testkit/model"
	"aburn/internal/lab/tracetest"
	"aburn/trace"
	"aburn/web/graphpage"
)

// examined is a conversation of a real client whose truth was written down from its script alone, before aburn was first asked
// about it. What aburn's commands say is held to it number by number.
type examined struct {
	script  model.Script
	files   map[string]string
	prepare func(*world)
	play    func(*world)
	// truth has a line a session, and below it one for each of its calls and file changes:
	//
	//	session NAME OUTCOME RELATION[:NAME] [COUNT=N …]    counts that are not named are 0, "?" is not known
	//	call ID TOOL STATUS [denied=WHO] [exit=N]           "?" for an id or tool that the client makes up; "open" is no result
	//	file ACTION PATH ADDED REMOVED                      $HOME stands for the home
	//
	// A session's name is A, B, C in order of its start or by its id, a sub-agent's the call that started it.
	truth string
}

// counted are the numbers of each session that the truth has.
var counted = []string{"prompts", "responses", "calls", "failed", "denied", "no_result", "subagents", "changes", "errors", "interrupts",
	"compacted", "input", "cache_read", "cache_write", "output"}

func (x examined) run(t *testing.T) {
	t.Helper()
	t.Parallel()
	w := newWorld(t, "examined", x.script, x.files)
	if x.prepare != nil {
		x.prepare(w)
	}
	x.play(w)
	w.grow()
	grown := w.aburn("export", "--format", "jsonl")
	w.more = append(w.more, "ABURN_HOME="+filepath.Join(w.home, "fresh"))
	marks := &marks{TB: t}
	marks.ingested(w)
	names := w.names()
	truth := strings.ReplaceAll(x.truth, "$HOME", w.home)
	told := marks.sessions(w, names)
	marks.compare(truths(t, truth), told)
	marks.sums(w, truths(t, truth))
	fresh := w.aburn("export", "--format", "jsonl")
	marks.same("the archive that grew with the sessions", sortedLines(grown) == sortedLines(fresh), true)
	t.Logf("examined: %d of %d numbers are right", marks.right, marks.all)
}

// grow ingests what is there by now, into the archive that is ingested into again and again.
func (w *world) grow() {
	w.Helper()
	w.aburn("ingest", "--json")
}

func sortedLines(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// names are the truth's names of the sessions that aburn knows, by source/id.
func (w *world) names() map[string]string {
	w.Helper()
	names := map[string]string{"claude/" + sessionA: "A", "claude/" + sessionB: "B", "claude/" + sessionC: "C"}
	nodes := w.nodes()
	slices.SortFunc(nodes, func(a, b graphpage.Node) int { return cmp.Compare(a.Session, b.Session) }) // Codex's ids are in the order of time
	next := 'A'
	for _, n := range nodes {
		key := n.Source + "/" + n.Session
		if n.Source == "codex" && n.Relation != trace.Subagent {
			names[key] = string(next)
			next++
		}
		if names[key] == "" {
			names[key] = cmp.Or(n.ParentCall, "nobody knows whose: "+key)
		}
	}
	return names
}

func (w *world) nodes() []graphpage.Node {
	w.Helper()
	var answer struct{ Nodes []graphpage.Node }
	w.says(&answer, "graph", "--json")
	return answer.Nodes
}

// account is what is said of a session: its facts by name, its calls and its changes, each a line of facts.
type account struct {
	facts        map[string]string
	calls, files [][]string
}

// truths reads a truth.
func truths(t testing.TB, text string) map[string]*account {
	t.Helper()
	all := map[string]*account{}
	var last *account
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "session" && len(words) >= 4:
			last = &account{facts: map[string]string{}}
			all[words[1]] = last
			for _, name := range counted {
				last.facts[name] = "0"
			}
			last.facts["outcome"] = words[2]
			last.facts["relation"], last.facts["related"], _ = strings.Cut(words[3], ":")
			for _, word := range words[4:] {
				name, value, _ := strings.Cut(word, "=")
				if !slices.Contains(counted, name) {
					t.Fatalf("no such count: %s", word)
				}
				last.facts[name] = value
			}
		case words[0] == "call" && len(words) >= 4:
			exit, denied := "?", "-"
			for _, word := range words[4:] {
				if n, ok := strings.CutPrefix(word, "exit="); ok {
					exit = n
				} else if who, ok := strings.CutPrefix(word, "denied="); ok {
					denied = who
				} else {
					t.Fatalf("what is %s?", word)
				}
			}
			last.calls = append(last.calls, []string{words[1], words[2], words[3], denied, exit})
		case words[0] == "file" && len(words) == 5:
			last.files = append(last.files, words[1:])
		default:
			t.Fatalf("no truth: %s", line)
		}
	}
	for _, a := range all {
		byPath(a.files)
	}
	return all
}

// byPath puts changes into the order of their paths; those of one file stay in theirs.
func byPath(files [][]string) {
	slices.SortStableFunc(files, func(a, b []string) int { return cmp.Compare(a[1], b[1]) })
}

// marks are given for each number.
type marks struct {
	testing.TB
	right, all int
}

func (m *marks) same(what string, got, want any) {
	m.Helper()
	if want == "?" {
		return
	}
	m.all++
	if got == want {
		m.right++
		return
	}
	m.Errorf("%s is %v, in truth %v", what, got, want)
}

// ingested holds that all was read, and that reading again brings nothing.
func (m *marks) ingested(w *world) {
	m.Helper()
	type report struct {
		Sources []struct {
			Source       string
			Skipped      []struct{ Path, Text string }
			New, Updated int
			DamagedAll   int `json:"damaged_all"`
		}
	}
	var first, again report
	w.says(&first, "ingest", "--json")
	w.says(&again, "ingest", "--json")
	for i, s := range first.Sources {
		m.same(s.Source+": skipped", fmt.Sprint(s.Skipped), "[]")
		m.same(s.Source+": damaged", s.DamagedAll, 0)
		m.same(s.Source+": new or updated the second time", again.Sources[i].New+again.Sources[i].Updated, 0)
	}
}

// sessions is what aburn sessions and aburn show say.
func (m *marks) sessions(w *world, names map[string]string) map[string]*account {
	m.Helper()
	var list struct {
		Sessions []struct {
			Source, Session, Outcome, Stated, Relation string
			Counts, Usage                              map[string]any
		}
	}
	w.says(&list, "sessions", "--subagents", "--json")
	related := map[string]string{}
	for _, n := range w.nodes() {
		if n.Related != "" {
			related[n.Source+"/"+n.Session] = cmp.Or(names[n.Source+"/"+n.Related], n.Related)
		}
	}
	all := map[string]*account{}
	for _, s := range list.Sessions {
		key := s.Source + "/" + s.Session
		tr, err := tracetest.Parse([]byte(w.aburn("show", key, "--json")))
		if err != nil {
			w.Fatalf("show %s: %v", key, err)
		}
		a := shown(tr)
		a.facts = map[string]string{"outcome": s.Stated, "relation": s.Relation, "related": related[key]}
		m.same(key+": listed outcome", s.Outcome, string(tr.Outcome))
		for _, name := range counted {
			a.facts[name] = "0"
			if n, ok := s.Counts[name]; ok {
				a.facts[name] = fmt.Sprint(n)
			} else if n, ok := s.Usage[name].(float64); ok {
				a.facts[name] = strconv.FormatFloat(n, 'f', -1, 64)
			}
		}
		all[names[key]] = a
	}
	return all
}

// shown is the calls and changes of a trace.
func shown(tr *trace.SessionTrace) *account {
	a := &account{}
	for _, c := range tr.Calls() {
		if !c.Counts() {
			continue
		}
		status, denied, exit := "open", "-", "-"
		if r := c.Last(); r != nil {
			status, denied = string(r.Status), cmp.Or(r.Denied, "-")
			if r.ExitCode != nil {
				exit = strconv.Itoa(*r.ExitCode)
			}
		}
		a.calls = append(a.calls, []string{c.Call.Call, c.Call.Tool, status, denied, exit})
	}
	for _, e := range tr.Events {
		if f, ok := e.Body.(*trace.FileChange); ok && e.Copied == "" {
			a.files = append(a.files, []string{f.Action, f.Path, lineCount(f.Added), lineCount(f.Removed)})
		}
	}
	byPath(a.files)
	return a
}

func lineCount(n *int) string {
	if n == nil {
		return "-"
	}
	return strconv.Itoa(*n)
}

// compare holds what is told to the truth.
func (m *marks) compare(truth, told map[string]*account) {
	m.Helper()
	for name := range told {
		if truth[name] == nil {
			m.same("session "+name, "told", "not there")
		}
	}
	for name, want := range truth {
		got := told[name]
		m.same(name+": is known", got != nil, true)
		if got == nil {
			got = &account{}
		}
		for fact, value := range want.facts {
			m.same(name+": "+fact, got.facts[fact], value)
		}
		m.rows(name+": call", got.calls, want.calls, []string{"id", "tool", "status", "denied", "exit code"})
		m.rows(name+": change", got.files, want.files, []string{"action", "path", "added", "removed"})
	}
}

func (m *marks) rows(what string, got, want [][]string, columns []string) {
	m.Helper()
	m.same(what+"s", len(got), len(want))
	for i, row := range want {
		for j, column := range columns {
			value := "nothing"
			if i < len(got) {
				value = got[i][j]
			}
			m.same(fmt.Sprintf("%s %d %v: %s", what, i+1, row, column), value, row[j])
		}
	}
}

// sums holds what aburn tools and the trees of aburn graph add up to.
func (m *marks) sums(w *world, truth map[string]*account) {
	m.Helper()
	var tools struct{ All map[string]any }
	w.says(&tools, "tools", "--json")
	sum := func(names ...string) (n int) {
		for _, a := range truth {
			for _, name := range names {
				value, err := strconv.Atoi(a.facts[name])
				if err != nil {
					m.Fatal(err)
				}
				n += value
			}
		}
		return n
	}
	for _, name := range []string{"calls", "failed", "denied", "no_result"} {
		m.same("tools: "+name, fmt.Sprint(tools.All[name]), fmt.Sprint(sum(name)))
	}
	var whole graphpage.Sums
	for _, n := range w.nodes() {
		if n.Parent == 0 {
			whole.Prompts += n.Whole.Prompts
			whole.Calls += n.Whole.Calls
			whole.Failed += n.Whole.Failed
			whole.Tokens += n.Whole.Tokens
		}
	}
	m.same("graph: prompts", whole.Prompts, sum("prompts"))
	m.same("graph: calls", whole.Calls, sum("calls"))
	m.same("graph: failed", whole.Failed, sum("failed"))
	m.same("graph: tokens", int(whole.Tokens), sum("input", "cache_read", "cache_write", "output"))
}

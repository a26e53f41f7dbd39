package lesson

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"

	"aburn/insight"
	"aburn/insight/failure"
	"aburn/trace"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var today = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// session is one of the project /p that ended so many days ago.
func session(id string, days int, o insight.Outcome) *insight.Digest {
	end := today.AddDate(0, 0, -days)
	return &insight.Digest{Source: "claude", ID: id, Project: trace.Project{Path: "/p", Key: "/p"}, Start: end.Add(-time.Hour), End: end,
		Verdict: insight.Verdict{Outcome: o}, Decisive: -1}
}

func failed(d *insight.Digest, class failure.Class, head string, count, solved int) *insight.Digest {
	d.Errors = append(d.Errors, insight.ErrorGroup{Class: class, Type: trace.ShellTool, Head: head, Hash: "h" + head, Count: count, First: 10 + len(d.Errors),
		Solved: solved})
	return d
}

func looped(d *insight.Digest, path string) *insight.Digest {
	d.Loops = append(d.Loops, insight.EditLoop{Path: path, Edits: 5, First: 3})
	return d
}

func phase(d *insight.Digest, command, name, result string) *insight.Digest {
	d.Phases = append(d.Phases, insight.PhaseUse{Command: command, Phase: name, Result: result, First: 7})
	return d
}

func world() []*insight.Digest {
	a, b, c, d := session("a", 0, insight.Errored), session("b", 30, insight.Completed), session("c", 60, insight.Interrupted), session("d", 1, insight.Errored)
	c.Relation, d.Live = trace.Subagent, true
	for _, s := range []*insight.Digest{a, b, c} {
		failed(s, failure.Test, "FAIL", 2, 0)
	}
	b.Errors[0].Solved = 40
	failed(failed(a, failure.Build, "undefined: x", 1, 0), failure.Build, "only once", 9, 0)
	failed(d, failure.Build, "undefined: x", 1, 12)
	failed(failed(a, failure.Cancelled, "stopped", 1, 0), failure.Other, "", 1, 0)
	failed(failed(b, failure.Cancelled, "stopped", 1, 0), failure.Other, "", 1, 0)
	looped(looped(a, "shop.go"), "alone.go")
	looped(b, "shop.go")
	other := looped(session("e", 2, insight.Completed), "alone.go") // of another project
	other.Project = trace.Project{Path: "/q", Key: "/q"}
	phase(phase(phase(a, "build", "GREEN", "failed"), "build", "GREEN", "failed"), "build", "RED", "completed")
	phase(phase(b, "build", "GREEN", "failed"), "build", "RED", "failed")
	return []*insight.Digest{c, a, other, d, b}
}

func TestFind(t *testing.T) {
	l := Find(world(), today, 0)
	var got []string
	for _, one := range l.Lessons {
		got = append(got, fmt.Sprintf("%s %s: %d in %d, %d failed, %d completed, %d solved, %.3f", one.Kind, one.What(), one.Times, one.Sessions, one.Failed,
			one.Completed, one.Solved, one.Weight))
	}
	want := []string{ // 2^(-1/30) is 0.977
		"error error: build of shell: `undefined: x`: 2 in 2, 1 failed, 0 completed, 1 solved, 1.977",
		"error error: test of shell: `FAIL`: 6 in 3, 1 failed, 1 completed, 1 solved, 1.750",
		"edit_loop edit loop: `shop.go` in `/p`: 10 in 2, 1 failed, 1 completed, 0 solved, 1.500",
		"phase failed phase: `build GREEN` in `/p`: 3 in 2, 1 failed, 1 completed, 0 solved, 1.500",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if l.Sessions != 4 || l.Subagents != 1 || l.Total != 4 {
		t.Errorf("%+v", l)
	}
	test := l.Lessons[1]
	if e := test.Evidence; len(e) != 3 || e[0].Session != "a" || e[1].Session != "b" || e[2].Session != "c" || e[0].Event != 10 || e[0].Times != 2 {
		t.Errorf("%+v", e)
	}
	if test.First.Format("0102") != "0922" || test.Last.Format("0102") != "1121" {
		t.Errorf("from %s to %s", test.First, test.Last)
	}
	if one := Find(world(), today, 1); len(one.Lessons) != 1 || one.Total != 4 || !reflect.DeepEqual(one.Lessons[0], l.Lessons[0]) {
		t.Errorf("%+v", one)
	}
}

// Nothing is nothing; one session teaches nothing, however often it fails.
func TestNothing(t *testing.T) {
	for _, all := range [][]*insight.Digest{nil, {failed(failed(session("a", 0, insight.Errored), failure.Test, "FAIL", 50, 0), failure.Test, "FAIL", 1, 0)}} {
		if l := Find(all, today, 0); l.Total != 0 || l.Lessons == nil {
			t.Errorf("%+v", l)
		}
	}
}

func TestOrder(t *testing.T) {
	all := world()
	want := Find(all, today, 0)
	r := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if got := Find(all, today, 0); !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v\nnot\n%+v", got, want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	text := Find(world(), today, 3).Markdown()
	const path = "testdata/lessons.md"
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || text != string(want) {
		t.Errorf("%v\n%s", err, text)
	}
}

// Of many sessions the newest are named, and the others counted.
func TestEvidence(t *testing.T) {
	var all []*insight.Digest
	for i := range 9 {
		all = append(all, failed(session(fmt.Sprint("s", i), i, insight.Errored), failure.Test, "FAIL", 1, 0))
	}
	l := Find(all, today, 0).Lessons[0]
	if len(l.Evidence) != MaxEvidence || l.Evidence[0].Session != "s0" || l.Evidence[4].Session != "s4" || l.Sessions != 9 || l.Failed != 9 {
		t.Errorf("%+v", l)
	}
}

// The package, and what of this module it stands on, imports nothing that could open, run or ask anything.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", `{{if .Module}}{{.ImportPath}}{{range .Imports}} {{.}}{{end}}{{end}}`, ".").Output()
	if err != nil || !strings.Contains(string(out), "aburn/insight/lesson ") {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		for _, imported := range strings.Fields(line) {
			if imported == "os" || imported == "net" || strings.HasPrefix(imported, "os/") || strings.HasPrefix(imported, "net/") {
				t.Errorf("%s", line)
			}
		}
	}
}

// TestFromTheFuture: a session whose clock was wrong is no more recent than now, so that the others still differ in how recent they are.
func TestFromTheFuture(t *testing.T) {
	far := time.Date(9999, 12, 31, 23, 0, 0, 0, time.UTC)
	of := func(future bool) []Lesson {
		a, b, c := session("a", 0, insight.Errored), session("b", 1, insight.Errored), session("c", 300, insight.Errored)
		d, e := session("d", 301, insight.Errored), session("e", 302, insight.Errored)
		if future {
			a.End = far
		}
		for _, s := range []*insight.Digest{a, b} {
			failed(s, failure.Test, "recent", 1, 0)
		}
		for _, s := range []*insight.Digest{c, d, e} {
			failed(s, failure.Test, "old", 9, 0)
		}
		return Find([]*insight.Digest{a, b, c, d, e}, today, 0).Lessons
	}
	want, got := of(false), of(true)
	if len(got) != 2 || got[0].Head != "recent" || got[0].Weight != want[0].Weight || got[1].Weight != want[1].Weight {
		t.Errorf("%+v, want %+v", got, want)
	}
}

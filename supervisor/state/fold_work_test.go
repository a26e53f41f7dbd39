package state

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/drawn"
	"aburn/logfmt"
)

// drawRun shows a run as one would draw it: build>RED.GREEN>
func drawRun(r *Run) string {
	if r == nil {
		return "none"
	}
	out := r.Cmd
	if r.Start.Is() {
		out += ">"
	}
	for _, p := range r.Phases {
		out += " "
		if p.Skipped != "" {
			out += "(" + p.Skipped + ")"
		}
		out += p.Name
		if p.Start.Is() {
			out += ">"
		}
		switch {
		case p.End.Is() && p.Failed:
			out += "!"
		case p.End.Is():
			out += "."
		}
	}
	switch {
	case r.End.Is() && r.Failed:
		out += " !"
	case r.End.Is():
		out += " ."
	}
	return out
}

func TestRuns(t *testing.T) {
	runs := func(s *State, a *Session, _ time.Time) string {
		list := []string{drawRun(a.Own.Run)}
		for _, r := range a.Own.Before {
			list = append(list, drawRun(r))
		}
		return strings.Join(list, " after ")
	}
	tell(t, runs, []story{
		{"PROMPT", "none"},
		{"build>", "build>"},
		{"build> build.", "build> ."},
		{"build> build!", "build> !"},
		{"build> build! build.", "build> ."}, // how it ended in the end
		{"build> build! build>", "build> after build> !"},
		{"build> build>", "build> after build>"},
		{"build.", "build ."},
		{"plan> plan. build>", "build> after plan> ."},
		{"ship> build> build. ship:RED>", "ship> RED> after build> ."}, // one command within another
		{"build> build:RED> build:RED. build:GREEN> build:GREEN. build:RED>", "build> RED>. GREEN>. RED>"},
		{"build> build:RED> build:RED! build:RED>", "build> RED>! RED>"},
		{"build> build:RED> build:GREEN>", "build> RED> GREEN>"}, // the end was forgotten
		{"build> build:RED.", "build> RED."},
		{"build> build:RED> build:RED. build:RED.", "build> RED>."}, // said twice
		{"build> build:GREEN>", "build> (RED)GREEN>"},
		{"build:GREEN>", "build GREEN>"}, // what was before the log is unknown
		{"build:RED> build:REFACTOR>", "build RED> (GREEN)REFACTOR>"},
		{"build> build:RED> build:RED. build:REFACTOR>", "build> RED>. (GREEN)REFACTOR>"},
		{"build> build:RED> build:RED. build:GREEN> build:GREEN. build:REFACTOR> build:REFACTOR. build:RED>", "build> RED>. GREEN>. REFACTOR>. RED>"},
		{"build> tester~build:RED> tester~build:RED. build:GREEN>", "build> GREEN>"}, // another one did it
		{"build> tester~build:RED> tester~build:RED. build:REFACTOR>", "build> (GREEN)REFACTOR>"},
		{"build> tester~build:GREEN> tester~build:GREEN. build:REFACTOR>", "build> REFACTOR>"},
		{"build> build:RED> build:RED. tester~build:GREEN> build:REFACTOR>", "build> RED>. REFACTOR>"}, // beside each other: nobody knows
		{"build> build:RED> build:RED. tester~test:GREEN> build:REFACTOR>", "build> RED>. REFACTOR>"},  // whatever it calls its command
		{"build> build:DOCS> build:DOCS. build:RED> build:RED. build:DOCS> build:REFACTOR>", "build> DOCS>. RED>. DOCS> (GREEN)REFACTOR>"},
		{"build> build:DOCS> build:GREEN>", "build> DOCS> (RED)GREEN>"},
		{"tester~build>", "none"},
	})
}

// Phases that sub-agents do one after the other have the order of their command.
func TestPhasesOfAgents(t *testing.T) {
	skipped := func(s *State, a *Session, _ time.Time) string {
		var list []string
		for _, g := range a.Agents {
			list = append(list, g.Type+" "+drawRun(g.Line.Run))
		}
		return strings.Join(list, ", ")
	}
	tell(t, skipped, []story{
		{"build> t~build:RED> t~build:RED. c~build:REFACTOR>", "t build RED>., c build (GREEN)REFACTOR>"},
		{"build> t~build:RED> t~build:RED. c~build:GREEN> c~build:GREEN. r~build:REFACTOR>", "t build RED>., c build GREEN>., r build REFACTOR>"},
		{"build> t~build:RED> c~build:REFACTOR>", "t build RED>, c build REFACTOR>"}, // beside each other
		{"build> c~build:GREEN>", "c build (RED)GREEN>"},
		{"c~build:GREEN>", "c build GREEN>"}, // what was before is unknown
		{"build> t~build:RED> t~build:RED. c~build:GREEN> c~build:GREEN. t~build:RED> t~build:RED. c~build:REFACTOR>",
			"t build RED>. RED>., c build GREEN>. (GREEN)REFACTOR>"},
	})
}

func TestPhases(t *testing.T) {
	phase := func(s *State, a *Session, _ time.Time) string {
		p := a.Own.Run.Phases[len(a.Own.Run.Phases)-1]
		var edits []string
		for _, e := range p.Edits {
			edits = append(edits, e.Path)
		}
		return fmt.Sprintf("failed=%d passed=%d unsure=%d declared=%v edits=%d%v", p.TestFailed.Ord, p.TestPassed.Ord, p.TestUnsure, p.Declared, p.Edited, edits)
	}
	tell(t, phase, []story{
		{"build:RED> Bash'go test ./...'!1 Bash'go test ./...'!1", "failed=3 passed=0 unsure=0 declared=false edits=0[]"},
		{"build:RED> Bash'go test ./...'", "failed=0 passed=3 unsure=0 declared=false edits=0[]"},
		{"build:RED> Bash'go test ./... | tail -5'", "failed=0 passed=0 unsure=1 declared=false edits=0[]"},
		{"build:RED> Bash'go test ./...'?", "failed=0 passed=0 unsure=1 declared=false edits=0[]"},
		{"build:RED> Bash'go test ./...'!int", "failed=0 passed=0 unsure=1 declared=false edits=0[]"},
		{"build:RED> Bash'go test ./...'!no", "failed=0 passed=0 unsure=0 declared=false edits=0[]"},
		{"build:RED> Bash'go vet'!1", "failed=0 passed=0 unsure=0 declared=false edits=0[]"},
		{"build:RED> tester~Bash'go test ./...'!1", "failed=3 passed=0 unsure=0 declared=false edits=0[]"},
		{"build:RED> Edit'a.go'=v1 Edit'a_test.go'=v1 Edit'README.md'=v1 Edit'testdata/a.go'=v1", "failed=0 passed=0 unsure=0 declared=false edits=1[a.go]"},
		{"build:RED> tester~Edit'a.go'=v1", "failed=0 passed=0 unsure=0 declared=false edits=1[a.go]"},
		{"build:RED> Edit'a.go'!", "failed=0 passed=0 unsure=0 declared=false edits=0[]"},
		{"build:RED> Edit'a.go'=v1 Edit'a.go'=v1", "failed=0 passed=0 unsure=0 declared=false edits=1[a.go]"}, // the second changed nothing
		{"build:RED> Edit'~/notes.go'=v1 Edit'../other/a.go'=v1 Edit'/tmp/a.go'=v1 Read'a.go'", "failed=0 passed=0 unsure=0 declared=false edits=0[]"},
		{"build:GREEN> Edit'a.go'=v1", "failed=0 passed=0 unsure=0 declared=false edits=0[]"}, // that is what it is for
		{"build:RED> build:RED.'Wrote 3 failing tests'", "failed=0 passed=0 unsure=0 declared=true edits=0[]"},
		{"build:RED> build:RED.'no failures seen'", "failed=0 passed=0 unsure=0 declared=false edits=0[]"},
		{"build:RED> build:RED.{tests_failing=3}", "failed=0 passed=0 unsure=0 declared=true edits=0[]"},
		{"build:RED> build:RED.{tests_failing=0}", "failed=0 passed=0 unsure=0 declared=false edits=0[]"},
		{"build:RED> build*'2 tests fail' build:RED.", "failed=0 passed=0 unsure=0 declared=true edits=0[]"},
	})
}

func TestTests(t *testing.T) {
	tests := func(s *State, a *Session, _ time.Time) string {
		var list []string
		for _, c := range a.Tests {
			list = append(list, fmt.Sprintf("%s: runs=%d pass=%d-%d broke=%d fail=%d", c.Input, c.Runs, c.FirstPass.Ord, c.LastPass.Ord, c.Broke.Ord, c.LastFail.Ord))
		}
		return fmt.Sprintf("%s; progress %d", strings.Join(list, ", "), a.Progress.Ord)
	}
	tell(t, tests, []story{
		{"Bash'go test'", "go test: runs=1 pass=2-2 broke=0 fail=0; progress 0"},
		{"Bash'go test' Bash'go test'!1", "go test: runs=2 pass=2-2 broke=4 fail=4; progress 4"},
		{"Bash'go test' Bash'go test'!1 Bash'go test'", "go test: runs=3 pass=2-6 broke=0 fail=4; progress 6"},
		{"Bash'go test'!1 Bash'go test'!1 Bash'go test'", "go test: runs=3 pass=6-6 broke=0 fail=4; progress 6"},
		{"Bash'go test' Bash'go test'!1 Bash'go test'!1", "go test: runs=3 pass=2-2 broke=4 fail=6; progress 4"},
		{"Bash'go test'!1 Bash'go test ./a'", "go test: runs=1 pass=0-0 broke=0 fail=2, go test ./a: runs=1 pass=4-4 broke=0 fail=0; progress 0"},
		{"Bash'go test' tester~Bash'go test'#2!1", "go test: runs=2 pass=2-2 broke=4 fail=4; progress 4"}, // described otherwise
		{"Skill'go test'", "; progress 0"},
	})
}

func TestFiles(t *testing.T) {
	files := func(s *State, a *Session, _ time.Time) string {
		var list []string
		for _, f := range a.Files {
			seen := map[uint32]string{}
			story := ""
			for _, v := range f.Hashes {
				if seen[v.Hash] == "" {
					seen[v.Hash] = string(rune('a' + len(seen)))
				}
				story += seen[v.Hash]
			}
			list = append(list, fmt.Sprintf("%s %s of %d", f.Path, story, f.Edits))
		}
		return fmt.Sprintf("%s; epoch %d, progress %d", strings.Join(list, ", "), a.Epoch, a.Progress.Ord)
	}
	tell(t, files, []story{
		{"Edit'a.go'=1 Edit'a.go'=2 Edit'a.go'=1 Edit'a.go'=2", "a.go abab of 4; epoch 8, progress 4"},
		{"Edit'a.go'=1 Edit'a.go'=1", "a.go a of 2; epoch 2, progress 2"},
		{"Edit'a.go'=1 Edit'b.go'=1 Edit'a.go'=2", "b.go a of 1, a.go ab of 2; epoch 6, progress 6"},
		{"Edit'a.go'=1 /feature Edit'a.go'=2", "a.go a of 1, a.go a of 1; epoch 4, progress 4"},
		{"Edit'a.go'=1 tester~Edit'a.go'=2", "a.go ab of 2; epoch 4, progress 4"},
		{"Edit'a.go'", "a.go a of 1; epoch 2, progress 0"}, // changed, but into what nobody knows
		{"Edit'a.go'! Edit'a.go'!no Edit'a.go'? Read'a.go'", "; epoch 0, progress 0"},
	})
}

func TestRecent(t *testing.T) {
	recent := func(s *State, a *Session, _ time.Time) string {
		keys, results := map[uint32]int{}, map[uint32]int{}
		var list []string
		for _, d := range a.Own.Recent {
			if _, ok := keys[d.Key]; !ok {
				keys[d.Key] = len(keys) + 1
			}
			if _, ok := results[d.Result]; !ok {
				results[d.Result] = len(results) + 1
			}
			marks := ""
			for mark, on := range map[string]bool{"!": d.Failed, "no": d.Denied, "?": d.Unsure, "e": d.Edit} {
				if on {
					marks += mark
				}
			}
			list = append(list, fmt.Sprintf("%s%s %d=%d@%d", d.Tool, marks, keys[d.Key], results[d.Result], d.Epoch))
		}
		return strings.Join(list, ", ")
	}
	tell(t, recent, []story{
		{"Bash'ls' Bash'ls' Bash'pwd'", "Bash 1=1@0, Bash 1=1@0, Bash 2=2@0"},
		{"Bash'ls' Bash'ls'!1", "Bash 1=1@0, Bash! 1=2@0"},
		{"Bash'ls'@a Bash'ls'@b Bash'ls'@-", "Bash 1=1@0, Bash 1=2@0, Bash 1=3@0"},
		{"Bash'ls' Bash'ls'#2 Bash'ls'#2", "Bash 1=1@0, Bash 2=2@0, Bash 2=2@0"},
		{"Bash'ls'!no Bash'ls'? Bash'ls'!int", "Bashno 1=1@0, Bash? 1=2@0, Bash? 1=3@0"},
		{"Bash'ls' PROMPT Bash'ls'", "Bash 1=1@0, Bash 1=1@3"},
		{"Bash'ls' PROMPT&'<x>' Bash'ls'", "Bash 1=1@0, Bash 1=1@0"},                                  // no person asked again
		{"Bash'ls' STOP PROMPT&'look again' Bash'ls' Bash'ls'", "Bash 1=1@0, Bash 1=1@6, Bash 1=1@6"}, // but a schedule did
		{"Bash'ls' Edit'a.go'=1 Bash'ls'", "Bash 1=1@0, Edite 2=2@0, Bash 1=1@4"},
		{"Bash'ls' twice Bash'ls'", "Bash 1=1@0, Bash 1=1@0"},
		{"Bash'ls' tester~Bash'ls'", "Bash 1=1@0"},
		{"Bash'serve'&", ""},
	})
}

func TestFails(t *testing.T) {
	fails := func(s *State, a *Session, _ time.Time) string {
		f := a.Own.Fails
		return fmt.Sprintf("%d of %d from %d to %d", f.Count, len(f.Inputs), f.First.Ord, f.Last.Ord)
	}
	tell(t, fails, []story{
		{"Bash'a'!1 Bash'b'!1 Bash'b'!2", "3 of 2 from 2 to 6"},
		{"Bash'a'!1 Bash'b' Bash'c'!1", "1 of 1 from 6 to 6"},
		{"Bash'a'!1 Bash'b'!no Bash'b'? Bash'b'!int Bash'c'!1", "2 of 2 from 2 to 10"},
		{"Bash'a'!1 Bash'aburn log build MILESTONE' Bash'c'!1", "2 of 2 from 2 to 6"},
		{"Bash'a'!1 PROMPT", "1 of 1 from 2 to 2"}, // it can still be told at the prompt
		{"Bash'a'!1 PROMPT Bash'c'!1", "1 of 1 from 5 to 5"},
		{"Bash'a'!1 Bash'b'!1 Bash'c'!1 Bash'd'!1 Bash'e'!1 PROMPT Bash'f'!1", "6 of 6 from 2 to 13"}, // a trouble is not over because somebody said go on
		{"Bash'a'!1 Bash'b'!1 Bash'c'!1 Bash'd'!1 Bash'e'!1 PROMPT Bash'f' Bash'g'!1", "1 of 1 from 15 to 15"},
		{"build> build:RED> Bash'go test ./a'!1 Bash'go test ./b'!1 Bash'make x'!1 Bash'go test ./c'!1", "1 of 1 from 8 to 8"},
		{"build> build:GREEN> Bash'go test ./a'!1 Bash'go test ./b'!1", "2 of 2 from 4 to 6"},
		{"Bash'a'!1 PROMPT&'<x>' Bash'c'!1", "2 of 2 from 2 to 5"},
		{"Bash'a'!1 Bash'grep x y'!1 Bash'c'!1", "2 of 2 from 2 to 6"}, // nothing found is an answer
		{"Bash'a'!1 Bash'grep x y'!2 Bash'c'!1", "3 of 3 from 2 to 6"},
		{"Bash'a'!1 tester~Bash'b' Bash'c'!1", "2 of 2 from 2 to 6"},
		{"Bash'a'!1 twice", "1 of 1 from 2 to 2"},
	})
	s, _ := fold(t, "@A PROMPT tester~Bash'a'!1 PROMPT tester~Bash'b'!1")
	if n := session(t, s, "A").Agents[0].Line.Fails.Count; n != 2 {
		t.Errorf("a prompt for the session is none for its sub-agent: %d", n)
	}
}

func TestMilestones(t *testing.T) {
	said := func(s *State, a *Session, _ time.Time) string {
		r, m := a.Own.Run, a.Own.Same
		return fmt.Sprintf("%d of %d, same %d since %d, progress %d", len(r.Milestones), r.Reached, m.Count, m.First.Ord, a.Progress.Ord)
	}
	tell(t, said, []story{
		{"build> build*'one' build*'two'", "2 of 2, same 1 since 3, progress 3"},
		{"build> build*'one' build*'one' build*'one'", "3 of 3, same 3 since 2, progress 2"},
		{"build> build*'one' Edit'a'=1 build*'one'", "2 of 2, same 1 since 5, progress 4"},
		{"build> build* build*", "2 of 2, same 0 since 0, progress 3"},
		{"build> { build*'one' build*'two' }*10", "12 of 20, same 1 since 21, progress 21"},
	})
}

// Other tools' entries may have no exit code; ours have none where nobody knows.
func TestTestsOfOthers(t *testing.T) {
	for _, tc := range []struct{ source, event, data, want string }{
		{"", "TOOL_FAILED", `{"tool":"Bash","head":"go test"}`, "failed"},
		{"", "TOOL_FAILED", `{"tool":"Bash","head":"go test | tail"}`, "unsure"},
		{"cursor", "TOOL", `{"tool":"Bash","head":"go test","outcome":"ok"}`, "passed"},
		{"cursor", "TOOL", `{"tool":"Bash","head":"go test || true","outcome":"ok"}`, "unsure"},
		{"cursor", "TOOL", `{"tool":"Bash","head":"go test"}`, "unsure"},
		{"cursor", "TOOL_FAILED", `{"tool":"Bash","head":"go test","outcome":"interrupted"}`, "unsure"},
		{"claude", "TOOL_FAILED", `{"tool":"Bash","head":"go test"}`, "unsure"},
		{"codex", "TOOL", `{"tool":"Bash","head":"go test","outcome":"ok"}`, "unsure"},
	} {
		s, _ := fold(t, "@A build:RED>")
		s.Apply(&logfmt.Entry{Time: drawn.Epoch, Cmd: "build", Event: logfmt.Event(tc.event), Session: "A", Source: tc.source, Data: []byte(tc.data)}, false)
		p := s.Sessions[0].Own.Run.Phases[0]
		got := map[bool]string{p.TestFailed.Is(): "failed", p.TestPassed.Is(): "passed", p.TestUnsure > 0: "unsure"}[true]
		if got != tc.want || (len(s.Sessions[0].Tests) == 1) != (tc.want != "unsure") {
			t.Errorf("%+v: %s", tc, got)
		}
	}
}

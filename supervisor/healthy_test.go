package supervisor

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// healthy draws sessions in which everything goes as it should, at any pace: long
// test runs, users who are away, background work, sub-agents, retries after edits.
type healthy struct {
	*rand.Rand
	b     strings.Builder
	files int
	calls int
	edits int
	fault string // woven in before the slice
	codex bool
	quiet int // minutes of work since the newest progress
}

func (h *healthy) say(format string, args ...any) { fmt.Fprintf(&h.b, format+" ", args...) }

func (h *healthy) maybe(percent int) bool { return h.IntN(100) < percent }

// pass lets minutes of work pass without progress, as many as a phase allows.
func (h *healthy) pass(most int) {
	m := min(h.IntN(most+1), 2-h.quiet)
	if m > 0 {
		h.quiet += m
		h.say("+%dm", m)
	}
	h.say("+%ds", h.IntN(20))
}

func (h *healthy) look() {
	for range h.IntN(5) {
		h.calls++
		h.say(pick(h.Rand, "Read'f%d.go'", "Grep'x%d'", "Bash'cat f%d.go'", "Bash'ls d%d'", "Bash'git log -%d'"), h.calls)
	}
	if h.maybe(15) {
		h.calls++
		h.say("Bash'wc -l f%d'!1 Read'f%d'", h.calls, h.calls)
	}
}

func (h *healthy) edit(path string) {
	h.edits++
	h.quiet = 0
	h.say("Edit'%s'=%d", path, h.edits)
	if h.maybe(5) { // taken back and done otherwise
		h.say("Edit'%s'=%d Edit'%s'=%d Edit'%s'=%d", path, h.edits+1, path, h.edits, path, h.edits+2)
		h.edits += 2
	}
}

func (h *healthy) test(result string) {
	how := pick(h.Rand, "", "", "", "(40s)", "(4m)", "(22m)")
	if result == "" && !h.codex && h.maybe(15) {
		h.calls++
		name := h.calls
		h.say("Bash'go test ./...'&t%d", name)
		if h.maybe(50) {
			h.look()
		}
		h.say("STOP +%dm PROMPT&t%d", h.IntN(40), name)
	}
	h.say("Bash'go test ./...'%s%s", how, result)
	h.quiet = 0 // its result is another than before, or an edit follows
}

// interrupt is what comes between: users, permissions, questions, sub-agents.
func (h *healthy) interrupt() {
	h.calls++
	n := h.IntN(12)
	if h.codex && (n == 2 || n == 5) {
		return // it reminds nobody, and tells of its agents otherwise
	}
	switch n {
	case 0:
		h.say("STOP +%dm PROMPT'go on'", h.IntN(600))
	case 1:
		h.say("Bash'git push origin b%d'<p%d PERMISSION +%ds ^p%d", h.calls, h.calls, h.IntN(240), h.calls)
	case 2:
		h.say("Bash'docker build %d'<p%d PERMISSION NOTIFY'permission_prompt' +%dm ^p%d!no", h.calls, h.calls, h.IntN(5), h.calls)
	case 3:
		h.say("AskUserQuestion'q%d'<q%d +%dm ^q%d", h.calls, h.calls, h.IntN(9), h.calls)
	case 4:
		h.say("Agent'a%d'<a%d (looker +%dm looker~Read'l%d' +%dm looker~Bash'make %d'(%dm) +%dm looker~Grep'k%d' looker)'completed' ^a%d",
			h.calls, h.calls, h.IntN(8), h.calls, h.IntN(12), h.calls, 1+h.IntN(30), h.IntN(12), h.calls, h.calls)
	case 5:
		h.say("Agent'b%d'&b%d (scout& scout~Read'l%d' +2m scout~Read'm%d' scout)'completed' PROMPT&b%d", h.calls, h.calls, h.calls, h.calls, h.calls)
	case 6:
		h.say("COMPACT'auto' +30s")
	case 7:
		h.say("INTERRUPT +%dm PROMPT'otherwise'", h.IntN(200))
	case 8:
		h.say("TURN_FAILED'rate_limit' +%dm PROMPT'again'", h.IntN(90))
	case 9:
		for range 1 + h.IntN(3) {
			h.say("Bash'make gen%d'!2", h.calls)
		}
	case 10:
		h.say("PROMPT'and mind this'")
	}
}

func (h *healthy) slice(n int) {
	h.say("build:RED>")
	h.look()
	h.pass(4)
	h.files++
	h.edit(fmt.Sprintf("pkg/f%d_test.go", h.files))
	h.interrupt()
	h.test("!1")
	h.look()
	h.say(pick(h.Rand, "build:RED.", "build:RED.'fails as it should'", "build:RED.{tests_failing=1}"))
	h.say("build:GREEN>")
	for range h.IntN(4) {
		h.pass(1)
		h.edit(fmt.Sprintf("pkg/f%d.go", h.files))
		h.look()
		h.test("!1")
		h.interrupt()
	}
	h.edit(fmt.Sprintf("pkg/f%d.go", h.files))
	h.test("")
	h.say("build:GREEN.")
	if h.maybe(60) {
		h.say("build:REFACTOR>")
		h.pass(1)
		h.edit(fmt.Sprintf("pkg/f%d.go", h.files))
		h.interrupt()
		if h.maybe(30) {
			h.test("!1")
			h.edit(fmt.Sprintf("pkg/f%d.go", h.files))
		}
		h.test("")
		h.say("build:REFACTOR.")
	}
	h.say("build*'slice %d'", n)
}

func (h *healthy) session() string {
	h.say("claude")
	if h.codex = h.maybe(30); h.codex {
		h.say("codex")
	}
	h.say("SESSION_START'startup'")
	if h.maybe(50) {
		h.say("PROMPT/plan plan>")
		h.look()
		h.interrupt()
		h.edit("docs/plan.md")
		h.say("plan.[docs/plan.md] STOP +%dm", h.IntN(300))
	}
	h.say("PROMPT/build build>")
	slices := 1 + h.IntN(4)
	at := h.IntN(slices)
	for n := range slices {
		if n == at {
			h.say("%s", h.fault)
		}
		h.slice(n)
		if h.maybe(30) {
			h.say("STOP +%dm PROMPT", h.IntN(900))
		}
	}
	h.say("build. STOP")
	if h.maybe(50) {
		h.say("PROMPT/ship ship> Bash'git commit' ship. STOP")
	}
	if h.maybe(50) {
		h.say("SESSION_END'%s'", pick(h.Rand, "other", "clear", "prompt_input_exit"))
	}
	return h.b.String()
}

// Of sessions that are as they should be nothing is told, whatever their pace.
func TestHealthySessionsAreLeftAlone(t *testing.T) {
	for seed := range uint64(world.Storm(150)) {
		h := healthy{Rand: rand.New(rand.NewPCG(seed, 11))}
		drawing := "@A " + h.session()
		if h.maybe(30) {
			other := healthy{Rand: h.Rand}
			drawing += " @B " + other.session()
		}
		st := live(t, drawing, 8*60*minutes)
		if told := st.summary(); told != "" {
			t.Errorf("seed %d: %s: %v\n%s", seed, told, st.first, drawing)
			for _, i := range st.open {
				t.Log(i.Says)
			}
			if t.Failed() && seed > 40 {
				return
			}
		}
	}
}

// What goes wrong in the middle of such a session is told, and nothing else.
func TestFaultsAreFound(t *testing.T) {
	faults := map[string]string{
		"loop A!":             "{ Bash'make all'!2 }*6",
		"tool_failure_run A!": "Bash'q1'!1 Bash'q2'!127 Read'q3'! Bash'q4'!1 Bash'q5'!2 Edit'q6'! Bash'q7'!1 Bash'q8'!1",
		"edit_churn A!":       "Edit'z.go'=z1 Bash'go vet'!1 Edit'z.go'=z2 Bash'go vet'!1 Edit'z.go'=z1 Edit'z.go'=z2 Edit'z.go'=z1",
		"phase_stuck A!": "build:RED> +4m Read'z1' +4m Grep'z2' +4m Read'z3' +4m Bash'ls z4' +4m Read'z5' +4m Read'z6' Edit'z_test.go'=z1 Bash'go test " +
			"z'!1 build:RED. build:GREEN> build:GREEN. build*'z'",
		"out_of_order A!":       "build:RED> Edit'z_test.go'=z1 Bash'go test z'!1 build:RED. build:REFACTOR> Edit'z.go'=z1 build:REFACTOR. build*'z'",
		"tdd_violation A!":      "build:RED> Edit'z.go'=z1 Bash'go test z'!1 build:RED. build:GREEN> Edit'z.go'=z2 build:GREEN. build*'z'",
		"agent_failed A!":       "Agent'z'<z (fixer fixer~Read'z1' fixer)'failed' ^z Read'z2'",
		"permission_wait A":     "Write'z'<z PERMISSION +30m ^z=z1",
		"question_wait A":       "AskUserQuestion'z'<z +30m ^z",
		"silence A":             "+50m Read'z'",
		"explicit_failure A!":   "build!'no disk' build>",
		"chain_broken -!":       "STOP PROMPT ship> ship. STOP PROMPT build>",
		"undeclared_command A!": "PROMPT/ship Bash'git tag z' Bash'git push z' Edit'CHANGELOG.md'=z1 STOP PROMPT",
		"abandoned_agent A":     "Agent'z'&z (fixer& fixer~Read'z1' +4m Edit'z.go'=z5 +4m Edit'z.go'=z6 +4m Edit'z.go'=z7 +4m Edit'z.go'=z8",
		"agent_silence A":       "Agent'z'&z (fixer& +4m Edit'z.go'=z5 +4m Edit'z.go'=z6 +4m Edit'z.go'=z7 +4m Edit'z.go'=z8",
	}
	for want, fault := range faults {
		t.Run(want, func(t *testing.T) {
			for seed := range uint64(world.Storm(6)) {
				h := healthy{Rand: rand.New(rand.NewPCG(seed, 12)), fault: fault}
				drawing := "@A " + h.session()
				if got := live(t, drawing, 0).summary(); got != want {
					t.Errorf("seed %d: told %q\n%s", seed, got, drawing)
				}
			}
		})
	}
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

package archived

import (
	"fmt"
	"math/rand/v2"
	"time"

	"aburn/trace"
	"aburn/trace/draft"
)

// scenario is the course of a session.
type scenario struct {
	name   string
	weight int  // among a thousand
	hooked bool // aburn's hooks record it
	play   func(s *sessionMaker)
}

func scenarios() []scenario {
	return []scenario{
		{"smooth", 400, false, smooth}, {"bumpy", 200, false, bumpy}, {"stuck", 80, false, func(s *sessionMaker) { s.work(2); s.stuck(s.failure()) }},
		{"rough", 30, false, rough}, {"gloomy", 20, false, gloomy}, {"loop", 40, false, loop}, {"stuck-loop", 15, false, stuckLoop},
		{"left", 40, false, left}, {"background", 15, false, background}, {"interrupted", 30, false, interrupted}, {"fatal", 25, false, fatal},
		{"recovered", 15, false, recovered}, {"refused", 15, false, refusal}, {"empty", 5, false, empty}, {"parallel", 15, false, parallel},
		{"parent", 20, false, parent}, {"fork", 15, false, fork},
		{"built", 10, true, built}, {"built-after-all", 3, true, builtAfterAll}, {"not-built", 3, true, notBuilt}, {"stopped", 2, true, stopped},
		{"killed", 2, true, killed},
	}
}

// How many sessions are not random: sessions without times, running ones, and ones that ran when the remedy was tried.
const (
	undated   = 6
	live      = 8
	straddled = 3
)

// choose chooses the scenario of the n-th session. The first sessions have one scenario each, so that a small archive
// has them all.
func (m *maker) choose(n int, s *sessionMaker) scenario {
	all := scenarios()
	if m.stores {
		all = inStores(all)
		if n < len(all) {
			return all[n].of(s)
		}
		return draw(s.r, all).of(s)
	}
	left := m.Units - len(m.sessions)
	var p scenario
	switch {
	case n < len(all):
		p = all[n]
	case n < len(all)+undated:
		s.now = time.Time{}
		p = all[n%3]
	case straddles(n):
		p = scenario{"straddled", 0, false, m.straddle}
	case left <= live:
		p = scenario{"live", 0, false, m.live}
	case s.agent.name == RemedyAgent:
		p = m.unreachable(s, draw(s.r, all))
	default:
		p = draw(s.r, all)
	}
	return p.of(s)
}

// of notes p in the session's truth and returns it.
func (p scenario) of(s *sessionMaker) scenario {
	s.t.Scenario = p.name
	return p
}

// straddles reports whether the n-th session ran when the remedy was tried.
func straddles(n int) bool {
	n -= len(scenarios()) + undated
	return n >= 0 && n < straddled
}

func draw(r *rand.Rand, all []scenario) scenario {
	at := r.IntN(1000)
	for _, p := range all {
		if at -= p.weight; at < 0 {
			return p
		}
	}
	return all[0]
}

// unreachable makes every fourth session of RemedyAgent fail with RemedyFailure, and after the remedy every eighth.
func (m *maker) unreachable(s *sessionMaker, p scenario) scenario {
	side, every := 0, 4
	if !s.now.Before(m.Now.Add(-RemedyAge)) {
		side, every = 1, 8
	}
	m.changed[side]++
	if m.changed[side]%every != 0 {
		return p
	}
	return scenario{"unreachable", 0, false, func(s *sessionMaker) { s.work(1); s.stuck(&registryFailure) }}
}

// straddle is a session that begins before the remedy and ends after it.
func (m *maker) straddle(s *sessionMaker) {
	s.now = m.Now.Add(-RemedyAge - time.Hour)
	s.work(2)
	s.pass(2 * time.Hour)
	s.work(1)
	s.outcome("completed")
}

// live is a running session. Half of these have failed so far.
func (m *maker) live(s *sessionMaker) {
	s.now = m.Now.Add(-time.Hour)
	s.work(3)
	s.t.Outcome = "completed"
	if s.r.IntN(2) == 0 {
		s.stuck(s.failure())
	}
	s.now = m.Now.Add(-30 * time.Second)
	s.answer()
	s.t.Live = true
}

func (s *sessionMaker) failure() *failure { return &failures[s.r.IntN(len(failures))] }

func (s *sessionMaker) outcome(outcome string) { s.t.Outcome = outcome }

func (s *sessionMaker) file() string { return fmt.Sprintf("src/file%d.go", s.r.IntN(400)) }

// work is a prompt and some turns in which nothing goes wrong.
func (s *sessionMaker) work(turns int) {
	s.prompt("please look after " + s.file())
	for range turns {
		file := s.file()
		s.do(plannedCall{typ: trace.ReadTool, what: file}, plannedCall{typ: trace.SearchTool, what: file})
		if s.r.IntN(3) == 0 {
			s.do(plannedCall{typ: trace.EditTool, what: file})
		}
		s.do(plannedCall{typ: trace.ShellTool, what: "git status", slow: s.r.IntN(150) == 0})
	}
}

// attempt is a call that fails with f, or the same call succeeding.
func (s *sessionMaker) attempt(f *failure, fails, again bool) plannedCall {
	a := plannedCall{typ: f.typ, what: f.command, again: again}
	if f.command == "" {
		a.what = "src/" + f.name + ".go"
	}
	if fails {
		a.failure = f
	} else {
		a.overcomes = f.name
	}
	return a
}

// stuck fails with f until it gives up.
func (s *sessionMaker) stuck(f *failure) {
	for i := range 4 + s.r.IntN(3) {
		s.do(s.attempt(f, true, i > 0))
	}
	s.answer()
	s.outcome("errored")
}

func smooth(s *sessionMaker) {
	for range 1 + s.r.IntN(2) {
		s.work(2 + s.r.IntN(4))
		s.answer()
	}
	s.outcome("completed")
}

// overcome fails with f, reads files, and succeeds.
func (s *sessionMaker) overcome(f *failure, times int) {
	for i := range times {
		s.do(s.attempt(f, true, i > 0))
		s.do(plannedCall{typ: trace.ReadTool, what: s.file()})
	}
	s.do(s.attempt(f, false, true))
}

func bumpy(s *sessionMaker) {
	s.work(3)
	s.overcome(s.failure(), 1+s.r.IntN(2))
	s.work(2)
	s.answer()
	s.outcome("completed")
}

// rough has errors of four classes, each more often than the next.
func rough(s *sessionMaker) {
	s.work(2)
	for i, k := range s.r.Perm(4) {
		s.overcome(&failures[k], 4-i)
	}
	s.work(2)
	s.answer()
	s.outcome("completed")
}

// gloomy ends with three failures among the last five results, which is too few to count as failed.
func gloomy(s *sessionMaker) {
	f := s.failure()
	s.work(3)
	for i := range 3 {
		s.do(s.attempt(f, true, i > 0))
	}
	s.answer()
	s.outcome("completed")
}

// loop changes one file again and again, sometimes back.
func loop(s *sessionMaker) {
	s.work(1)
	file := "src/loop.go"
	for i := range 4 + s.r.IntN(4) {
		s.do(plannedCall{typ: trace.EditTool, what: file, content: 1 + i%(2+s.r.IntN(3))})
		s.do(plannedCall{typ: trace.ShellTool, what: "git diff"})
	}
	s.answer()
	s.outcome("completed")
}

func stuckLoop(s *sessionMaker) {
	s.work(1)
	f := &failures[0]
	for i := range 4 {
		s.do(plannedCall{typ: trace.EditTool, what: "src/tests.go"})
		s.do(s.attempt(f, true, i > 0))
	}
	for range 4 {
		s.do(s.attempt(f, true, true))
	}
	s.answer()
	s.outcome("errored")
}

// left ends within a call. Claude Code's own transcript of such a session says that its process was killed.
func left(s *sessionMaker) {
	s.work(2)
	if s.r.IntN(2) == 0 {
		s.overcome(s.failure(), 1)
	}
	s.do(plannedCall{typ: trace.ShellTool, what: "npm start", left: true})
	s.outcome("gave_up")
	if s.m.stores {
		s.outcome("crashed")
		s.t.Refined = true
	}
}

// background has a call without an end, and goes on.
func background(s *sessionMaker) {
	s.work(1)
	s.do(plannedCall{typ: trace.ShellTool, what: "npm run watch", left: true})
	s.work(2)
	s.answer()
	s.outcome("completed")
}

func interrupted(s *sessionMaker) {
	s.work(2)
	if s.r.IntN(2) == 0 {
		s.overcome(s.failure(), 1)
	}
	s.b.Add(s.event(&trace.Interrupt{Reason: "user"}))
	s.outcome("interrupted")
}

func (s *sessionMaker) err(f *sessionError) {
	s.b.Add(s.event(&trace.Error{Code: f.code, Status: f.status, Fatal: true, Head: f.text, Digest: draft.Digest([]byte(f.text))}))
	s.t.Errors = append(s.t.Errors, Error{f.name, f.class})
}

func fatal(s *sessionMaker) {
	s.work(2)
	s.err(&sessionErrors[s.r.IntN(len(sessionErrors))])
	s.outcome("errored")
}

// recovered goes on after an error that ended a turn.
func recovered(s *sessionMaker) {
	s.work(1)
	f := &sessionErrors[s.r.IntN(len(sessionErrors))]
	s.err(f)
	s.work(2)
	s.t.GotOver = append(s.t.GotOver, f.name)
	s.answer()
	s.outcome("completed")
}

func refusal(s *sessionMaker) {
	s.work(2)
	f := &refusedCalls[s.r.IntN(len(refusedCalls))]
	s.do(s.attempt(f, true, false))
	s.work(1)
	s.answer()
	s.outcome("completed")
}

func empty(s *sessionMaker) {
	s.b.Add(s.event(&trace.Session{Marker: trace.Started}))
	s.outcome("unknown")
}

// parallel fails in one of three calls of one response.
func parallel(s *sessionMaker) {
	s.work(1)
	f := s.failure()
	s.do(plannedCall{typ: trace.SearchTool, what: s.file()}, s.attempt(f, true, false), plannedCall{typ: trace.SearchTool, what: s.file()})
	s.do(s.attempt(f, false, true), plannedCall{typ: trace.SearchTool, what: s.file()})
	s.answer()
	s.outcome("completed")
}

package pile

import (
	"fmt"
	"math/rand/v2"
	"time"

	"aburn/trace"
	"aburn/trace/draft"
)

// plot is what happens in a session.
type plot struct {
	name   string
	weight int  // among a thousand
	hooked bool // aburn's hooks record it
	play   func(s *story)
}

func plots() []plot {
	return []plot{
		{"smooth", 400, false, smooth}, {"bumpy", 200, false, bumpy}, {"stuck", 80, false, func(s *story) { s.work(2); s.stuck(s.flaw()) }},
		{"rough", 30, false, rough}, {"gloomy", 20, false, gloomy}, {"loop", 40, false, loop}, {"stuck-loop", 15, false, stuckLoop},
		{"left", 40, false, left}, {"background", 15, false, background}, {"interrupted", 30, false, interrupted}, {"fatal", 25, false, fatal},
		{"recovered", 15, false, recovered}, {"refused", 15, false, refusal}, {"empty", 5, false, empty}, {"parallel", 15, false, parallel},
		{"parent", 20, false, parent}, {"fork", 15, false, fork},
		{"built", 10, true, built}, {"built-after-all", 3, true, builtAfterAll}, {"not-built", 3, true, notBuilt}, {"stopped", 2, true, stopped}, {"killed", 2, true, killed},
	}
}

// The sessions that are not drawn: how many have no times, how many go on now, how many were going on when the remedy was
// tried.
const (
	undated   = 6
	live      = 8
	straddled = 3
)

// plot chooses what happens in the n-th session. The first sessions have one plot each, so that small piles hold some of all.
func (m *maker) plot(n int, s *story) plot {
	all := plots()
	if m.stores {
		all = inStores(all)
		if n < len(all) {
			return all[n].of(s)
		}
		return draw(s.r, all).of(s)
	}
	left := m.Units - len(m.sessions)
	var p plot
	switch {
	case n < len(all):
		p = all[n]
	case n < len(all)+undated:
		s.now = time.Time{}
		p = all[n%3]
	case straddles(n):
		p = plot{"straddled", 0, false, m.straddle}
	case left <= live:
		p = plot{"live", 0, false, m.live}
	case s.agent.name == RemedyAgent:
		p = m.unreachable(s, draw(s.r, all))
	default:
		p = draw(s.r, all)
	}
	return p.of(s)
}

// of notes that p is what happens in a session.
func (p plot) of(s *story) plot {
	s.t.Plot = p.name
	return p
}

// straddles says whether the n-th session was going on when the remedy was tried.
func straddles(n int) bool {
	n -= len(plots()) + undated
	return n >= 0 && n < straddled
}

func draw(r *rand.Rand, all []plot) plot {
	at := r.IntN(1000)
	for _, p := range all {
		if at -= p.weight; at < 0 {
			return p
		}
	}
	return all[0]
}

// unreachable makes every fourth session of RemedyAgent fail for RemedyFlaw, from the remedy on every eighth.
func (m *maker) unreachable(s *story, p plot) plot {
	side, every := 0, 4
	if !s.now.Before(m.Now.Add(-RemedyAge)) {
		side, every = 1, 8
	}
	m.changed[side]++
	if m.changed[side]%every != 0 {
		return p
	}
	return plot{"unreachable", 0, false, func(s *story) { s.work(1); s.stuck(&registry) }}
}

// straddle is a session that begins before the remedy and ends after it.
func (m *maker) straddle(s *story) {
	s.now = m.Now.Add(-RemedyAge - time.Hour)
	s.work(2)
	s.pass(2 * time.Hour)
	s.work(1)
	s.ends("completed")
}

// live is a session whose last event is now. Every other one fails so far.
func (m *maker) live(s *story) {
	s.now = m.Now.Add(-time.Hour)
	s.work(3)
	s.t.Outcome = "completed"
	if s.r.IntN(2) == 0 {
		s.stuck(s.flaw())
	}
	s.now = m.Now.Add(-30 * time.Second)
	s.say()
	s.t.Live = true
}

// flaw draws one.
func (s *story) flaw() *flaw { return &flaws[s.r.IntN(len(flaws))] }

// ends notes how the session ended.
func (s *story) ends(outcome string) { s.t.Outcome = outcome }

func (s *story) file() string { return fmt.Sprintf("src/file%d.go", s.r.IntN(400)) }

// work is a prompt and some turns in which nothing goes wrong.
func (s *story) work(turns int) {
	s.ask("please look after " + s.file())
	for range turns {
		file := s.file()
		s.do(act{typ: trace.ReadTool, what: file}, act{typ: trace.SearchTool, what: file})
		if s.r.IntN(3) == 0 {
			s.do(act{typ: trace.EditTool, what: file})
		}
		s.do(act{typ: trace.ShellTool, what: "git status", slow: s.r.IntN(150) == 0})
	}
}

// attempt is a call that fails by f, or does what would have.
func (s *story) attempt(f *flaw, fails, again bool) act {
	a := act{typ: f.typ, what: f.command, again: again}
	if f.command == "" {
		a.what = "src/" + f.name + ".go"
	}
	if fails {
		a.flaw = f
	}
	return a
}

// stuck fails by f until it gives up.
func (s *story) stuck(f *flaw) {
	for i := range 4 + s.r.IntN(3) {
		s.do(s.attempt(f, true, i > 0))
	}
	s.say()
	s.ends("errored")
}

func smooth(s *story) {
	for range 1 + s.r.IntN(2) {
		s.work(2 + s.r.IntN(4))
		s.say()
	}
	s.ends("completed")
}

// overcome fails by f, looks, and succeeds.
func (s *story) overcome(f *flaw, times int) {
	for i := range times {
		s.do(s.attempt(f, true, i > 0))
		s.do(act{typ: trace.ReadTool, what: s.file()})
	}
	s.do(s.attempt(f, false, true))
}

func bumpy(s *story) {
	s.work(3)
	s.overcome(s.flaw(), 1+s.r.IntN(2))
	s.work(2)
	s.say()
	s.ends("completed")
}

// rough has errors of four classes, each more often than the next.
func rough(s *story) {
	s.work(2)
	for i, k := range s.r.Perm(4) {
		s.overcome(&flaws[k], 4-i)
	}
	s.work(2)
	s.say()
	s.ends("completed")
}

// gloomy ends with three failures, too few among the last five results.
func gloomy(s *story) {
	f := s.flaw()
	s.work(3)
	for i := range 3 {
		s.do(s.attempt(f, true, i > 0))
	}
	s.say()
	s.ends("completed")
}

// loop changes one file again and again, sometimes back.
func loop(s *story) {
	s.work(1)
	file := "src/loop.go"
	for i := range 4 + s.r.IntN(4) {
		s.do(act{typ: trace.EditTool, what: file, content: 1 + i%(2+s.r.IntN(3))})
		s.do(act{typ: trace.ShellTool, what: "git diff"})
	}
	s.say()
	s.ends("completed")
}

func stuckLoop(s *story) {
	s.work(1)
	f := &flaws[0]
	for i := range 4 {
		s.do(act{typ: trace.EditTool, what: "src/tests.go"})
		s.do(s.attempt(f, true, i > 0))
	}
	for range 4 {
		s.do(s.attempt(f, true, true))
	}
	s.say()
	s.ends("errored")
}

// left ends within a call. Claude Code's own transcript of such a session says that its process was killed.
func left(s *story) {
	s.work(2)
	if s.r.IntN(2) == 0 {
		s.overcome(s.flaw(), 1)
	}
	s.do(act{typ: trace.ShellTool, what: "npm start", left: true})
	s.ends("gave_up")
	if s.m.stores {
		s.ends("killed")
		s.t.Refined = true
	}
}

// background has a call without an end, and goes on.
func background(s *story) {
	s.work(1)
	s.do(act{typ: trace.ShellTool, what: "npm run watch", left: true})
	s.work(2)
	s.say()
	s.ends("completed")
}

func interrupted(s *story) {
	s.work(2)
	if s.r.IntN(2) == 0 {
		s.overcome(s.flaw(), 1)
	}
	s.b.Add(s.event(&trace.Interrupt{Reason: "user"}))
	s.ends("interrupted")
}

// err is an error that no call has.
func (s *story) err(f *fault) {
	s.b.Add(s.event(&trace.Error{Code: f.code, Status: f.status, Fatal: true, Head: f.text, Digest: draft.Digest([]byte(f.text))}))
	s.t.Errors = append(s.t.Errors, Error{f.name, f.class})
}

func fatal(s *story) {
	s.work(2)
	s.err(&faults[s.r.IntN(len(faults))])
	s.ends("errored")
}

// recovered goes on after an error that ended a turn.
func recovered(s *story) {
	s.work(1)
	s.err(&faults[s.r.IntN(len(faults))])
	s.work(2)
	s.say()
	s.ends("completed")
}

func refusal(s *story) {
	s.work(2)
	f := &refused[s.r.IntN(len(refused))]
	s.do(s.attempt(f, true, false))
	s.work(1)
	s.say()
	s.ends("completed")
}

func empty(s *story) {
	s.b.Add(s.event(&trace.Session{Marker: trace.Started}))
	s.ends("unknown")
}

// parallel fails in one of three calls of one response.
func parallel(s *story) {
	s.work(1)
	f := s.flaw()
	s.do(act{typ: trace.SearchTool, what: s.file()}, s.attempt(f, true, false), act{typ: trace.SearchTool, what: s.file()})
	s.do(s.attempt(f, false, true), act{typ: trace.SearchTool, what: s.file()})
	s.say()
	s.ends("completed")
}

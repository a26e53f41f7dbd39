package home

import (
	"strings"

	"aburn/trace"
)

// transcript writes one transcript of Claude Code: a session's or a sub-agent's.
type transcript struct {
	*file
	r       *random
	t       *Session
	has     features
	session string // the session's id, also in a sub-agent
	agentID string // of a sub-agent
	depth   int
	cwd     string
	slug    string
	version string
	typed   bool // interactive, else through the SDK
	now     int64
	leaf    string // uuid of the record that the next one hangs on; empty for none
	prompt  string // promptId
	prompts int
	cache   int64 // tokens in the provider's cache
	billing
	task    string // a sub-agent's task
	about   string // the same in a few words
	kept    []kept // what a fork would copy, if keep
	keep    bool
	waiting []*spawned // background agents and commands that have not reported
	ends    []ended    // where turns ended
}

// kept is one record of the conversation for forks to copy.
type kept struct {
	line    []byte
	uuid    string
	request string // the session that asked for it, of an answer
	held    Copied // what all records to this one hold
}

// claudeSession writes one session of Claude Code, its sub-agents, and its forks.
func claudeSession(m *maker, r *random, has features) {
	cwd := m.project(r)
	t := &transcript{r: r, has: has, session: r.uuid(), cwd: cwd, slug: strings.ReplaceAll(cwd, "/", "-"), version: "2.1.329", typed: r.percent(40),
		now: m.begin(r), cache: int64(r.from(9000, 20000))}
	t.bills()
	if has["oldfork"] {
		t.version = "2.1.197"
	}
	for _, name := range []string{"rewound", "denied", "shell", "command", "branch"} {
		t.typed = t.typed || has[name]
	}
	if has["queued"] {
		t.typed = false
	}
	t.keep = (has["fork"] || has["refork"] || has["oldfork"] || has["branch"]) && !has["rewound"]
	t.t = &Session{Source: "claude", ID: t.session, Main: true, Kind: trace.Root, Outcome: trace.Completed, Linked: true}
	t.file = m.create("claude", ".claude/projects/"+t.slug+"/"+t.session+".jsonl")
	t.t.File = t.path
	turns := r.from(1, 9)
	if t.keep || has["resumed"] || has["resumed-kill"] || has["rewound"] {
		turns = max(turns, 3)
	}
	for i := range turns {
		t.turn(i, turns)
	}
	t.ending()
	t.exit()
	t.t.NoResult += len(t.waiting)
	if t.has["torn"] {
		t.torn()
	}
	t.close(t.now)
	m.note(t.t)
	if t.keep {
		t.forks(m)
	}
}

// turn writes what one prompt leads to.
func (t *transcript) turn(i, of int) {
	if i > 0 {
		t.now += int64(t.r.from(5, 900)) * 1000
		t.switches()
	}
	switch {
	case i == 0:
		if t.has["command"] {
			t.ask(askCommand)
		} else {
			t.ask(askPlain)
		}
		t.context()
	case t.has["resumed"] && i == of-1:
		t.exit()
		t.t.Resumed++
		t.now += int64(t.r.from(1, 48)) * 3600_000
		t.ask(askPlain)
	case t.has["resumed-kill"] && i == of-1:
		t.killedAndResumed()
		t.ask(askPlain)
	case t.has["rewound"] && i == of-1:
		t.rewound()
	default:
		t.ask(askPlain)
	}
	if t.has["denied"] && i == of-1 && t.r.percent(50) {
		t.refused()
		return
	}
	t.answers(t.r.from(1, 11), i == 0)
	if t.has["compacted"] && (i == 0 || t.r.percent(30)) {
		t.compact()
		t.answers(t.r.from(1, 4), false)
	}
	t.answer(nil, false)
	t.stop()
	t.reports()
	if t.has["shell"] && i == 0 {
		t.shellLine()
	}
	t.ends = append(t.ends, ended{t.leaf, len(t.kept), t.t.Calls})
}

// ending is what a session that does not end well ends with.
func (t *transcript) ending() {
	switch {
	case t.has["killed"], t.has["killed-agent"]:
		t.now += 60_000
		t.ask(askPlain)
		t.answers(t.r.from(0, 3), false)
		if t.has["killed-agent"] && !t.has["lostmeta"] {
			t.answer([]*call{t.agentCall(false, fateNone)}, true)
		} else if t.r.percent(80) {
			t.answer(t.calls(t.r.from(1, 3), fateNone), false)
		} else {
			t.answer(t.calls(1, fateGood), false) // between a result and the answer to it
		}
		t.t.Outcome = trace.Killed
	case t.has["interrupted"]:
		t.now += 60_000
		t.ask(askPlain)
		t.answers(t.r.from(0, 3), false)
		if t.r.percent(70) {
			t.answer(t.calls(1, fateInterrupted), false)
			t.stopped("[Request interrupted by user for tool use]", "")
		} else {
			t.stopped("[Request interrupted by user]", t.brokenOff())
		}
		t.t.Outcome = trace.Interrupted
	case t.has["error"]:
		t.now += 60_000
		t.ask(askPlain)
		t.answers(t.r.from(0, 3), false)
		t.apiError()
		t.t.Outcome = trace.Errored
	}
}

// answers writes n answers of the model that use tools.
func (t *transcript) answers(n int, first bool) {
	for i := range n {
		var calls []*call
		switch {
		case first && i == 0 && (t.has["agents"] || t.has["lostmeta"] && t.depth == 0) && t.depth < 3:
			for range t.r.from(1, 3) {
				calls = append(calls, t.agentCall(false, fateGood))
			}
		case first && i == 0 && t.has["background"] && t.depth == 0:
			for range t.r.from(1, 2) {
				calls = append(calls, t.agentCall(true, fateGood))
			}
		case t.has["background-shell"] && i == 0 && t.depth == 0:
			calls = []*call{t.backgroundShell()}
		case t.has["denied"] && t.r.percent(40):
			calls = t.calls(1, fateRule)
		case t.has["agents"] && t.depth < 2 && t.r.percent(8):
			calls = []*call{t.agentCall(false, fateGood)}
		default:
			calls = t.calls(parallel(t.r), fateAny)
		}
		t.answer(calls, true)
		if t.has["queued"] && i == 0 && t.depth == 0 {
			t.queued()
		}
		if t.has["retried"] && t.r.percent(30) {
			t.retry()
		}
	}
}

// parallel is how many calls an answer makes.
func parallel(r *random) int {
	if r.percent(75) {
		return 1
	}
	return r.from(2, 6)
}

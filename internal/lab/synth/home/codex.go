package home

import (
	"path"
	"time"

	"aburn/trace"
)

// rollout is one thread of Codex while it is written: a session's, a sub-agent's, or a review's.
type rollout struct {
	*file
	r        *random
	t        *Session
	has      features
	id, root string // the thread's id, and that of the session it belongs to
	turn     string // id of the turn that runs
	rootTurn string
	cwd      string
	name     string // agent_path
	legacy   bool   // as 0.130.0 wrote it
	code     bool   // code mode: tools are called from JavaScript
	exec     bool   // codex exec, a process a turn; else the terminal interface
	ordinal  int64  // of the next record
	history  int64  // items of the history
	now      int64
	turnsRun int        // turns that were begun, reviews too
	last     tokens     // of the last answer
	total    tokens     // of all
	cached   int64      // tokens in the provider's cache
	inherit  *inherited // what children that begin with their parent's records repeat
	message  string     // what the last answer said
	bill     codexBill
	untold   *Answer // the last answer, until a running total tells it
}

// tokens is usage as Codex tells it: in holds cached and written, out holds thought.
type tokens struct{ in, cached, written, out, thought int64 }

// inherited is the parent's records without their ordinals.
type inherited struct{ records []string }

// codexSession writes one session of Codex, its children, and its forks.
func codexSession(m *maker, r *random, has features) {
	now := m.begin(r)
	id := r.thread(now)
	t := &rollout{r: r, has: has, id: id, root: id, cwd: m.project(r), name: "/root", legacy: has["legacy"], code: has["code"] && !has["legacy"],
		exec: has["resumed"] || r.percent(50), now: now}
	if t.legacy {
		t.has = features{"legacy": true, "secrets": has["secrets"], "interrupted": has["interrupted"], "killed": has["killed"]}
	}
	t.bills()
	if t.has["inherit"] {
		t.inherit = &inherited{}
	}
	t.t = &Session{Source: "codex", ID: id, Main: true, Kind: trace.Root, Outcome: trace.Completed, Linked: true, Start: now}
	t.create(m, t.has["archived"])
	t.meta("")
	turns := r.from(1, 9)
	if has["resumed"] {
		turns = max(turns, 2)
	}
	t.turns(turns)
	t.close(t.now)
	m.note(t.t)
	if t.has["fork"] || t.has["refork"] {
		child := t.fork(m)
		if t.has["refork"] {
			child.fork(m)
		}
	}
}

// create makes the thread's file, named and filed by its time.
func (t *rollout) create(m *maker, archived bool) {
	at := time.UnixMilli(t.now).UTC()
	name := "rollout-" + at.Format("2006-01-02T15-04-05") + "-" + t.id + ".jsonl"
	where := path.Join("sessions", at.Format("2006/01/02"))
	if archived {
		where = "archived_sessions"
	}
	t.file = m.create("codex", path.Join(".codex", where, name))
	t.t.File = t.path
	if t.legacy {
		t.t.Legacy = 1
	}
}

// turns writes n turns and how the session ends.
func (t *rollout) turns(n int) {
	for i := range n {
		if i > 0 {
			t.now += int64(t.r.from(5, 900)) * 1000
		}
		if i > 0 && t.has["resumed"] && i == n-1 {
			t.now += int64(t.r.from(1, 48)) * 3600_000
			t.settings()
		}
		if i == 0 && t.has["review"] {
			t.review()
		}
		t.begun(i == 0)
		t.ask()
		if i == 0 {
			t.special()
		}
		t.works(t.r.from(1, 14))
		if t.has["compacted"] && (i == 0 || t.r.percent(30)) {
			t.compact()
			t.works(t.r.from(0, 3))
		}
		t.says()
		t.done("")
	}
	t.ending()
	if t.has["torn"] {
		t.torn()
	}
}

// special is what happens in the first turn only.
func (t *rollout) special() {
	if t.has["children"] || t.has["inherit"] || t.has["followup"] {
		t.helpers()
	}
	if t.has["long"] {
		t.long()
	}
	if t.has["blocked"] {
		t.blocked()
	}
	if t.has["dropped"] {
		t.dropped()
	}
}

// ending is what a session that does not end well ends with.
func (t *rollout) ending() {
	if !t.has["killed"] && !t.has["interrupted"] && !t.has["error"] {
		return
	}
	t.now += 90_000
	t.begun(false)
	t.ask()
	t.works(t.r.from(0, 3))
	switch {
	case t.has["killed"]:
		t.t.Outcome = trace.Killed
		if t.r.percent(70) {
			t.unfinished()
		}
	case t.has["interrupted"]:
		t.t.Outcome = trace.Interrupted
		t.interrupted()
	default:
		t.t.Outcome = trace.Errored
		t.fails()
	}
}

// works writes n answers that use tools.
func (t *rollout) works(n int) {
	for range n {
		switch {
		case t.code:
			t.script()
		case t.r.percent(75):
			t.uses(1)
		default:
			t.uses(t.r.from(2, 4))
		}
	}
}

func quoted(s string) string { return string(append(appendEscaped([]byte{'"'}, s), '"')) }

// fork writes a session that goes on from all of this one: it holds only its own records.
func (t *rollout) fork(m *maker) *rollout {
	r := t.r.fork(t.r.next())
	now := t.now + int64(r.from(60, 90000))*1000
	id := r.thread(now)
	c := &rollout{r: r, has: features{"secrets": t.has["secrets"]}, id: id, root: id, cwd: t.cwd, name: "/root", code: t.code, exec: t.exec, now: now,
		ordinal: t.ordinal, history: t.history,
		total: t.total, cached: t.cached, bill: t.bill}
	c.bill.draw = r.fork(0xb111)
	c.t = &Session{Source: "codex", ID: id, Main: true, Kind: trace.Fork, Related: t.id, Outcome: trace.Completed, Linked: true, Start: now}
	c.create(m, false)
	c.meta(`,"forked_from_id":"` + t.id + `","forked_from_ordinal_exclusive":` + itoa(t.ordinal) + `,"history_base":{"thread_id":"` + t.id +
		`","end_ordinal_exclusive":` + itoa(t.ordinal) +
		`,"end_byte_offset":` + itoa(t.size) + `}`)
	c.turns(r.from(1, 3))
	c.close(c.now)
	m.note(c.t)
	return c
}

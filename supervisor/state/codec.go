package state

import (
	"errors"
	"strconv"

	"aburn/logfmt"
	"aburn/supervisor/limits"
	"aburn/workflow"
)

// ErrState says that bytes are no State of this version, model and limits.
var ErrState = errors.New("not a state of this version, model and limits")

// stateVersion changes with the members that the walks below name, and with what
// the fold makes of an entry.
const stateVersion = 8

// AppendJSON appends the State as one JSON object. Two States are the same if and
// only if these bytes are.
func (s *State) AppendJSON(dst []byte) []byte {
	c := writer(dst)
	s.document(c)
	return c.out
}

// Load reads what AppendJSON wrote. The caller must not change data. On ErrState it
// has to fold the log again.
func Load(data []byte, model *workflow.Model, l *limits.Limits) (*State, error) {
	s := New(model, l)
	c := reader(data)
	s.document(c)
	if c.broken || c.i != len(data) {
		return nil, ErrState
	}
	return s, nil
}

// document is the State behind its version and basis, which say whether it can be used.
func (s *State) document(c *codec) {
	c.begin('{')
	version, model := int64(stateVersion), s.basis()
	if c.reading {
		version, model = 0, ""
	}
	c.int64("version", &version)
	c.str("model", &model)
	if version != stateVersion || model != s.basis() {
		c.broken = true
		return
	}
	s.state(c)
	s.fold.ids(c)
	c.end('}')
}

// basis is what the facts depend on besides the entries: the model, and the one
// limit that the fold asks for.
func (s *State) basis() string {
	if s.fold.basis == "" {
		s.fold.basis = s.model.Hash() + "-" + strconv.Itoa(s.limits.ToolFailureRunFailures)
	}
	return s.fold.basis
}

func (f *folder) ids(c *codec) {
	if !c.key("seen") {
		c.broken = true
		return
	}
	if !c.reading {
		c.out = append(f.seen.AppendText(append(c.out, '"')), '"')
		return
	}
	text, plain := c.quoted()
	c.broken = c.broken || !plain || !f.seen.RestoreText(text)
}

// Each struct names its members once, for writing and for reading.

func (s *State) state(c *codec) {
	c.uint64("entries", &s.Entries)
	c.uint64("repeats", &s.Repeats)
	c.mark("last", &s.Last)
	items(c, "sessions", &s.Sessions, maxSessions, pointer((*Session).code))
	items(c, "links", &s.Links, maxLinks, pointer((*Link).code))
	items(c, "advice", &s.Advice, maxAdvice, pointer((*Advice).code))
	items(c, "told", &s.Told, maxTold, object((*Told).code))
	c.int("forgot", &s.Forgot)
	c.int("unread", &s.Unread)
	c.mark("unread_at", &s.UnreadAt)
}

func (s *Session) code(c *codec) {
	id(c, "id", &s.ID)
	c.ref("source", &s.Source)
	c.ref("wt", &s.Wt)
	c.mark("first", &s.First)
	c.mark("last", &s.Last)
	c.int("heard", &s.Heard)
	c.bool("middle", &s.Middle)
	member(c, "proc", &s.Proc, (*Proc).code)
	member(c, "turn", &s.Turn, (*Turn).code)
	c.int("turns", &s.Turns)
	inside(c, "blocked", &s.Blocked, s.Blocked.Count == 0, (*Blocked).code)
	inside(c, "lost", &s.Lost, len(s.Lost.Calls) == 0, (*Lost).code)
	inside(c, "end", &s.End, !s.End.Is(), (*End).code)
	items(c, "waits", &s.Waits, maxWaits, object((*Wait).code))
	inside(c, "own", &s.Own, s.Own.zero(), (*Line).code)
	items(c, "agents", &s.Agents, maxAgents, pointer((*Agent).code))
	items(c, "calls", &s.Calls, maxCalls, pointer((*Call).code))
	items(c, "files", &s.Files, maxFiles, pointer((*File).code))
	items(c, "tests", &s.Tests, maxTests, pointer((*Test).code))
	items(c, "checks", &s.Checks, maxChecks, pointer((*Checked).code))
	items(c, "compactions", &s.Compactions, maxCompactions, object((*Compaction).code))
	c.mark("acted", &s.Acted)
	items(c, "claims", &s.Claims, maxClaims, pointer((*Claim).code))
	maybe(c, "invoked", &s.Invoked, (*Invocation).code)
	member(c, "progress", &s.Progress, (*Moment).code)
	c.mark("asked", &s.Asked)
	c.int("wanted", &s.Wanted)
	c.uint64("epoch", (*uint64)(&s.Epoch))
	c.clock("clock", &s.Clock)
}

func id(c *codec, name string, v *logfmt.SessionID) {
	s := string(*v)
	c.ref(name, &s)
	*v = logfmt.SessionID(s)
}

func (p *Proc) code(c *codec) {
	c.int64("pid", &p.PID)
	c.int64("start", &p.Start)
	c.ref("host", &p.Host)
}

func (t *Turn) code(c *codec) {
	c.bool("open", &t.Open)
	c.mark("start", &t.Start)
	c.bool("machine", &t.Machine)
	c.bool("steered", &t.Steered)
	c.int("calls", &t.Calls)
	c.mark("ended", &t.Ended)
	by := string(t.By)
	c.ref("by", &by)
	t.By = logfmt.Event(by)
}

func (e *End) code(c *codec) {
	c.mark("at", &e.Mark)
	c.ref("reason", &e.Reason)
	c.bool("in_turn", &e.InTurn)
	c.bool("waiting", &e.Waiting)
	items(c, "calls", &e.Calls, maxCalls, pointer((*Call).code))
}

func (b *Blocked) code(c *codec) {
	c.mark("first", &b.First)
	c.mark("last", &b.Last)
	c.mark("turn", &b.Turn)
	c.int("count", &b.Count)
	word(c, "kind", &b.Kind)
	c.ref("resets", &b.Resets)
}

func (v *Compaction) code(c *codec) {
	c.mark("at", &v.Mark)
	items(c, "looks", &v.Looks, maxLooks, hash)
	c.int("edits", &v.Edits)
}

func (l *Lost) code(c *codec) {
	c.mark("at", &l.Mark)
	c.mark("turn", &l.Turn)
	member(c, "proc", &l.Proc, (*Proc).code)
	items(c, "calls", &l.Calls, maxCalls, pointer((*Call).code))
	c.int("turns", &l.Turns)
}

func (w *Wait) code(c *codec) {
	c.mark("since", &w.Since)
	c.bool("question", &w.Question)
	c.ref("tool", &w.Tool)
	c.ref("input", &w.Input)
	c.ref("call", &w.Call)
	c.ref("agent", &w.Agent)
	c.mark("noted", &w.Noted)
}

func (l *Line) zero() bool {
	return l.Run == nil && len(l.Before) == 0 && len(l.Recent) == 0 && l.Fails.Count == 0 && l.Same == Repeat{}
}

func (l *Line) code(c *codec) {
	maybe(c, "run", &l.Run, (*Run).code)
	items(c, "before", &l.Before, maxRuns, pointer((*Run).code))
	items(c, "recent", &l.Recent, MaxRecent, tuple((*Did).tuple))
	inside(c, "fails", &l.Fails, l.Fails.Count == 0, (*Streak).code)
	member(c, "same", &l.Same, (*Repeat).code)
}

func (r *Run) code(c *codec) {
	c.ref("cmd", &r.Cmd)
	c.ref("wt", &r.Wt)
	c.mark("start", &r.Start)
	c.clock("clock", &r.At)
	c.mark("end", &r.End)
	c.bool("failed", &r.Failed)
	items(c, "phases", &r.Phases, maxPhases, pointer((*Phase).code))
	c.int("done", &r.Done)
	items(c, "milestones", &r.Milestones, maxMilestones, tuple((*Moment).tuple))
	c.int("reached", &r.Reached)
	c.uint64("through", &r.Through)
	c.bool("said", &r.Said)
	c.int("unsaid", &r.Unsaid)
	c.mark("silent", &r.Silent)
	items(c, "outputs", &r.Outputs, maxOutputs, object((*Output).code))
}

func (p *Phase) code(c *codec) {
	c.ref("name", &p.Name)
	c.mark("start", &p.Start)
	c.mark("end", &p.End)
	c.clock("clock", &p.At)
	c.bool("failed", &p.Failed)
	c.clock("end_clock", &p.EndAt)
	c.bool("regressed", &p.Regressed)
	c.ref("skipped", &p.Skipped)
	items(c, "edits", &p.Edits, maxEdits, tuple((*Edit).tuple))
	c.int("edited", &p.Edited)
	c.mark("test_failed", &p.TestFailed)
	c.mark("test_passed", &p.TestPassed)
	c.int("test_unsure", &p.TestUnsure)
	c.bool("declared", &p.Declared)
}

func (m *Moment) code(c *codec) {
	c.mark("at", &m.Mark)
	c.clock("clock", &m.Clock)
}

func (m *Moment) tuple(c *codec) {
	c.place(&m.Mark)
	c.number((*int64)(&m.Clock))
}

func (e *Edit) tuple(c *codec) {
	c.place(&e.Mark)
	c.again(&e.Path)
}

func (o *Output) code(c *codec) {
	c.ref("path", &o.Path)
	c.bool("hashed", &o.Hashed)
}

func (v *Call) code(c *codec) {
	c.mark("start", &v.Start)
	c.ref("id", &v.ID)
	c.ref("tool", &v.Tool)
	c.ref("input", &v.Input)
	c.uint32("key", &v.Key)
	c.ref("agent", &v.Agent)
	c.bool("background", &v.Background)
	c.ref("spawns", &v.Spawns)
	c.mark("cut", &v.Cut)
}

func (d *Did) tuple(c *codec) {
	c.place(&d.Mark)
	hash(&d.Key, c)
	c.again(&d.Tool)
	c.again(&d.Input)
	c.flags(&d.Failed, &d.Denied, &d.Unsure, &d.Edit, &d.Known, &d.Beside)
	hash(&d.Result, c)
	epoch := int64(d.Epoch - c.epoch)
	c.number(&epoch)
	d.Epoch = c.epoch + Epoch(epoch)
	c.epoch = d.Epoch
}

func (s *Streak) code(c *codec) {
	c.mark("first", &s.First)
	c.mark("last", &s.Last)
	c.int("count", &s.Count)
	items(c, "inputs", &s.Inputs, MaxInputs, hash)
}

func hash(v *uint32, c *codec) {
	n := int64(*v)
	c.number(&n)
	*v = uint32(n)
}

func name(v *string, c *codec) { c.string(v) }

func (r *Repeat) code(c *codec) {
	c.mark("first", &r.First)
	c.mark("last", &r.Last)
	c.uint32("key", &r.Key)
	c.int("count", &r.Count)
	c.uint64("epoch", (*uint64)(&r.Epoch))
}

func (f *File) code(c *codec) {
	c.ref("path", &f.Path)
	c.ref("wt", &f.Wt)
	items(c, "is", &f.Hashes, maxVersions, tuple((*Version).tuple))
	c.int("edits", &f.Edits)
}

func (v *Version) tuple(c *codec) {
	c.place(&v.Mark)
	hash(&v.Hash, c)
}

func (t *Test) code(c *codec) {
	c.uint32("key", &t.Key)
	c.ref("input", &t.Input)
	c.mark("first_pass", &t.FirstPass)
	c.mark("last_pass", &t.LastPass)
	c.mark("broke", &t.Broke)
	c.mark("last_fail", &t.LastFail)
	c.int("runs", &t.Runs)
}

func (a *Agent) code(c *codec) {
	c.ref("id", &a.ID)
	c.ref("type", &a.Type)
	c.ref("in", &a.In)
	c.ref("parent", &a.Parent)
	c.mark("spawned", &a.Spawned)
	c.mark("begun", &a.Begun)
	c.mark("last", &a.Last)
	c.mark("ended", &a.Ended)
	c.bool("failed", &a.Failed)
	c.ref("status", &a.Status)
	c.mark("cut", &a.Cut)
	c.bool("background", &a.Background)
	c.ref("call", &a.Call)
	inside(c, "line", &a.Line, a.Line.zero(), (*Line).code)
}

func (i *Invocation) code(c *codec) {
	c.mark("at", &i.Mark)
	c.ref("cmd", &i.Cmd)
	c.bool("declared", &i.Declared)
	c.int("turns", &i.Turns)
	c.int("calls", &i.Calls)
}

func (l *Link) code(c *codec) {
	c.ref("cmd", &l.Cmd)
	c.ref("wt", &l.Wt)
	c.mark("start", &l.Start)
	c.mark("complete", &l.Complete)
	c.mark("failed", &l.Failed)
	id(c, "session", &l.Session)
	c.bool("open", &l.Open)
	id(c, "by", &l.By)
	c.mark("left", &l.Left)
	items(c, "jumped", &l.Jumped, maxJumped, name)
	c.bool("heard", &l.Heard)
}

func (a *Advice) code(c *codec) {
	c.ref("task", &a.Task)
	c.ref("type", &a.Type)
	c.ref("signature", &a.Signature)
	id(c, "session", &a.Session)
	c.mark("queued", &a.Queued)
	c.mark("delivered", &a.Delivered)
	c.mark("seen", &a.Seen)
	c.bool("in_turn", &a.InTurn)
	c.mark("resolved", &a.Resolved)
	c.bool("same_turn", &a.SameTurn)
	c.ref("untold", &a.Untold)
	c.int("turns", &a.Turns)
}

func (t *Told) code(c *codec) {
	c.mark("at", &t.Mark)
	c.ref("signature", &t.Signature)
}

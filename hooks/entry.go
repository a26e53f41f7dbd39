package hooks

import (
	"bytes"
	"slices"
	"strconv"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/journal"
	"aburn/internal/proc"
	"aburn/internal/project"
	"aburn/internal/recent"
	"aburn/internal/scrub"
	"aburn/logfmt"
)

// recorder turns the plan of one run into entries while the log is locked.
type recorder struct {
	start   time.Time
	parent  int // the process that started the hook
	agent   *Agent
	payload *Payload
	proj    *project.Project
	plan    Plan
	known   *recent.Calls   // read before the lock was taken, for plan.Closer
	relay   []*logfmt.Entry // read before the lock was taken, from plan.Relay
	secrets scrub.Memory    // of the payload's call, for texts that repeat them

	wanted   recent.Troubles // those that the user wants to be told inside of a turn
	suspects recent.Troubles // of these, those that the call's end could be part of

	state recent.State
}

func (r *recorder) who() recent.Who {
	return recent.Who{Session: r.payload.Session, AgentID: r.payload.AgentID}
}

// entries runs under the log's lock, as the build function of the append.
func (r *recorder) entries(t journal.Tail) []*logfmt.Entry {
	r.state = r.active(t)
	entries := r.relayed()
	drafts := r.plan.Drafts
	if r.plan.Closer != nil {
		calls := r.calls(t.Backward())
		calls.Add(r.known)
		drafts = append(r.plan.Closer.Close(calls), drafts...)
	}
	if r.plan.Pair != nil {
		r.plan.Pair(recent.OldestOpen(t.Backward(), r.who(), Head(r.payload.Tool), InputKey(r.payload.Input)))
	}
	drafts = slices.DeleteFunc(drafts, func(d Draft) bool {
		return d.NotAfter != nil && slices.Contains(d.NotAfter, recent.Newest(t.Backward(), r.payload.Session))
	})
	r.suspects = r.suspect(t)
	process := r.proc(t)
	for _, d := range drafts {
		if d.Unnamed {
			r.name(&d, t)
		}
		if process != nil {
			d.Data.Raw("proc", process)
			process = nil
		}
		entries = append(entries, r.entry(d))
	}
	cost := time.Since(r.start).Microseconds()
	for i, d := range drafts {
		d.Data.Int("hook_us", cost).Int("lock_us", t.LockWait().Microseconds())
		entries[len(entries)-len(drafts)+i].Data = r.hidden(d.Data.Bytes())
	}
	return entries
}

// root finds the session of a sub-agent whose payload does not name it: the one under which the log has the sub-agent.
func (r *recorder) root(j *journal.Journal) {
	if !r.payload.Rootless {
		return
	}
	for _, limit := range [...]int64{journal.TailSize, farBack} {
		if session := recent.SessionOf(unlockedTail(j, limit), r.payload.AgentID); session != "" {
			r.payload.Session = session
			return
		}
	}
}

// name gives an event of a call an id, because the client gives calls none. Of several equal calls at once an end may
// get the id of another: nothing tells them apart.
func (r *recorder) name(d *Draft, t journal.Tail) {
	data := gjson.ParseBytes(d.Data.Bytes())
	tool, input := data.Get("tool").Str, data.Get("input").Str
	calls := recent.CallsOf(t.Backward(), r.who())
	id := ""
	if d.Event == logfmt.ToolStart {
		now := strconv.FormatInt(time.Now().UnixMilli(), 36)
		id = input + "-" + now
		for n := 2; calls.Ended(id) || calls.Find(id) != nil; n++ { // a parallel call of the same millisecond
			id = input + "-" + now + "-" + strconv.Itoa(n)
		}
	} else if call := calls.Newest(tool, input); call != nil {
		id = call.ToolUseID
	}
	d.Once = id
	d.Data.StrIf("tool_use_id", id)
}

// maxLearned bounds how much of a call's input is searched for secrets that its error may repeat, in bytes.
const maxLearned = 8 << 10

// learnSecrets keeps the secrets of the payload's call if one of the drafts has a text that may repeat them: an error, a reason,
// or another field beside a redaction. Most runs have none and search nothing.
func (r *recorder) learnSecrets() {
	may := r.plan.Closer != nil
	for _, d := range r.plan.Drafts {
		switch d.Event {
		case logfmt.ToolFailed, logfmt.ToolDenied, logfmt.TurnFailed:
			may = true
		default:
			may = may || bytes.Contains(d.Data.Bytes(), []byte("[redacted:"))
		}
	}
	if !may {
		return
	}
	for _, text := range [...]string{string(r.payload.Input), r.payload.Get("tool_calls").Raw} {
		r.secrets.Learn(text[:min(len(text), maxLearned)])
	}
}

// hidden is an entry's data without the secrets of the payload's call.
func (r *recorder) hidden(data []byte) []byte {
	if r.secrets.Empty() || len(data) == 0 {
		return data
	}
	return appendMapped(nil, gjson.ParseBytes(data), r.secrets.Hide)
}

// active is the current command and phase of the session or sub-agent. A new session
// has none. A sub-agent begins with its parent's. No payload names the parent of a
// nested sub-agent, so the session itself counts as the parent.
func (r *recorder) active(t journal.Tail) recent.State {
	if r.plan.New {
		return recent.State{Cmd: logfmt.SessionCmd}
	}
	if !r.spawns() {
		return recent.Active(t.Backward(), r.who())
	}
	s := recent.Active(t.Backward(), recent.Who{Session: r.payload.Session})
	s.ParentCmd = ""
	if s.Cmd != logfmt.SessionCmd {
		s.ParentCmd = s.Cmd
	}
	return s
}

func (r *recorder) spawns() bool {
	return len(r.plan.Drafts) > 0 && r.plan.Drafts[0].Event == logfmt.AgentSpawn
}

func (r *recorder) entry(d Draft) *logfmt.Entry {
	p := r.payload
	e := &logfmt.Entry{
		Time: time.Now(), Cmd: r.state.Cmd, Phase: r.state.Phase, Event: d.Event,
		Session: p.Session, Source: r.agent.Name, Wt: r.proj.Wt,
	}
	if p.AgentID != "" {
		e.Agent = &logfmt.Agent{Type: Head(p.AgentType), ID: p.AgentID, ParentCmd: r.state.ParentCmd}
	}
	if d.Once != "" {
		e.ID = logfmt.ToolID(r.agent.Name, p.Session, p.AgentID, d.Event, d.Once)
	}
	if d.Event.Lifecycle() {
		e.Branch, _ = scrub.Text(r.proj.Branch())
	}
	return e
}

// proc is the agent's process as JSON if this may be the session's first entry in that
// process, else nil. A process begins with a session's start or a prompt; a session
// that the tail does not know may have begun without us. To search the log for the
// process itself would mean to read the whole tail.
func (r *recorder) proc(t journal.Tail) []byte {
	if !r.begins() && (r.state.Known || recent.Knows(t.Backward(), r.payload.Session)) {
		return nil
	}
	p, ok := proc.Agent(r.parent)
	if !ok {
		return nil
	}
	var o logfmt.Object
	o.Int("pid", int64(p.PID))
	if p.Start > 0 {
		o.Int("start", p.Start)
	}
	return o.StrIf("host", proc.Host()).Bytes()
}

// begins reports whether a process may begin with this event.
func (r *recorder) begins() bool {
	for _, d := range r.plan.Drafts {
		if d.Event == logfmt.SessionStart || d.Event == logfmt.Prompt {
			return true
		}
	}
	return false
}

// farBack is how much of the log is searched for a named call that its tail does
// not have, in bytes.
const farBack = 4 << 20

// prepare lets the plan's closer look things up before the log is locked. It drops a
// closer that has nothing to close, which saves its work under the lock.
func (r *recorder) prepare(j *journal.Journal) {
	c := r.plan.Closer
	if c == nil {
		return
	}
	r.known = r.calls(unlockedTail(j, journal.TailSize))
	if slices.ContainsFunc(c.Wants(), func(id string) bool { return !r.known.Ended(id) && r.known.Find(id) == nil }) {
		r.known = r.calls(unlockedTail(j, farBack))
	}
	if !c.Prepare(r.known) {
		r.plan.Closer = nil
	}
}

func (r *recorder) calls(lines recent.Lines) *recent.Calls {
	if ids := r.plan.Closer.Wants(); ids != nil {
		return recent.CallsNamed(lines, r.who(), ids)
	}
	return recent.CallsOf(lines, r.who())
}

// unlockedTail reads the log from its end without the lock: a line may be missing.
func unlockedTail(j *journal.Journal, limit int64) recent.Lines {
	return func(yield func([]byte) bool) {
		for line, err := range j.Backward(journal.BackwardOptions{Limit: limit, Newest: true}) {
			if err != nil || !yield(line.JSON) {
				return
			}
		}
	}
}

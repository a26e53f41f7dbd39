package workers

import (
	"cmp"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"aburn/internal/project"
	"aburn/logfmt"
	"aburn/trace"
	"aburn/trace/draft"
)

// entry is a line of a ledger, as far as it says what happened.
type entry struct {
	Seq     uint64            `json:"seq"`
	At      time.Time         `json:"at"`
	Kind    logfmt.LedgerKind `json:"kind"`
	Gen     int               `json:"gen"`
	Task    string            `json:"task"`
	Digest  string            `json:"task_sha256"`
	Agent   string            `json:"agent"`
	Repo    string            `json:"repo"`
	Tree    string            `json:"tree"`
	Via     string            `json:"via"`
	Address string            `json:"address"`
	Session string            `json:"session"`
	Exit    *int              `json:"exit"`
	Signal  int               `json:"signal"`
	Reason  string            `json:"reason"`
	Why     string            `json:"why"`
	Is      string            `json:"is"`
	Gates   []string          `json:"gate_lines"`
	Message string            `json:"message"`
	Bytes   int64             `json:"bytes"`
	Sum     string            `json:"sha256"`
	Person  bool              `json:"person"`
	Key     string            `json:"key"`
	Action  string            `json:"action"`
	Subject string            `json:"subject"`
	Branch  string            `json:"branch"`
	Differs *int              `json:"differs"`
	Full    bool              `json:"full"`
}

// Words of a ledger.
const (
	started, passed, failed = "started", "passed", "failed"
	merged, failing         = "merged", "failing"
	changes                 = "changes"
	byPerson                = "manually_killed"
	send                    = "send-to-agent"
	inClone                 = "clone"
)

// line is an entry and where it stands.
type line struct {
	entry
	ref trace.Ref
}

// ledger makes the trace of one worker.
type ledger struct {
	b      *draft.Builder
	dir    string // of the ledger
	header header
	lines  []line
	seen   map[uint64]bool
	agent  string
	gates  string // the lines that a run tries, as one command
	open   string // the call of the run of its gates that has no end yet

	killed  *trace.Event // by a person, and not restored since
	ended   bool
	outcome trace.Outcome
	from    string
	taken   bool // its work came into a branch, or its gates passed last
	differs *int // files, by the last snapshot
}

// read adds the entries, except messages that were taken back later: nobody was told, so they are no event.
func (l *ledger) read() {
	gone := map[string]bool{}
	for i := range l.lines {
		if e := &l.lines[i]; e.Kind == logfmt.LedgerWithdrawn && e.Message != "" {
			gone[e.Message] = true
		}
	}
	for i := range l.lines {
		e := &l.lines[i]
		message := e.Kind == logfmt.LedgerMessage || e.Kind == logfmt.LedgerReacted && e.Action == send
		if !message || !gone[e.Message] {
			l.entry(&e.entry, e.ref)
		}
	}
}

// entry adds what an entry says. What a probe saw, and what aburn prepared, is no event.
func (l *ledger) entry(e *entry, ref trace.Ref) {
	if l.seen[e.Seq] {
		return
	}
	l.seen[e.Seq] = true
	at := trace.Event{Time: e.At.UTC().Truncate(time.Millisecond), Ref: ref, Record: strconv.FormatUint(e.Seq, 10)}
	switch e.Kind {
	case logfmt.LedgerRequested:
		l.requested(e, at)
	case logfmt.LedgerLaunched:
		l.add(at, &trace.SubagentSpawn{Session: e.Session, AgentID: "launch-" + strconv.Itoa(max(e.Gen, 1)), AgentType: l.agent})
		l.ended, l.killed, l.outcome, l.from = false, nil, "", ""
	case logfmt.LedgerLaunchFailed:
		l.error(at, "launch_failed", e.Why, true)
		l.decide(trace.Errored, "launch_failed")
	case logfmt.LedgerRestored:
		l.add(at, &trace.Session{Marker: trace.Resumed, Detail: "restored"})
		l.ended, l.killed, l.outcome, l.from = false, nil, "", ""
	case logfmt.LedgerKillAsked:
		if e.Reason == byPerson {
			l.killed = &at
		}
	case logfmt.LedgerCertificate:
		l.certificate(e, at)
	case logfmt.LedgerMessage:
		l.message(e, at)
	case logfmt.LedgerGate:
		l.gate(e, at)
	case logfmt.LedgerSnapshot, logfmt.LedgerPreserved:
		if e.Differs != nil {
			l.differs = e.Differs
		}
	case logfmt.LedgerMerged:
		l.take(at, "merged into "+e.Branch)
	default:
		l.forge(e, at)
	}
}

func (l *ledger) add(at trace.Event, b trace.Body) {
	at.Body = b
	l.b.Add(at)
}

// client adds a text that a program put before the agent or a person.
func (l *ledger) client(at trace.Event, head string, d trace.Digest) {
	at.By = "client"
	l.add(at, &trace.UserMessage{Digest: d, Machine: "other", Head: l.b.Head(head, trace.UserHead)})
}

func (l *ledger) error(at trace.Event, code, why string, fatal bool) {
	l.add(at, &trace.Error{Code: code, Head: l.b.Head(why, trace.ErrorHead), Fatal: fatal})
}

func (l *ledger) decide(o trace.Outcome, from string) { l.outcome, l.from = o, from }

// take notes that the worker's commits came somewhere, whatever becomes of its agent.
func (l *ledger) take(at trace.Event, how string) {
	l.taken = true
	l.add(at, &trace.Session{Marker: trace.Stopped, Detail: draft.Word(how)})
}

func (l *ledger) requested(e *entry, at trace.Event) {
	t := l.b.Trace()
	if l.agent = cmp.Or(e.Agent, l.agent); l.agent != "" {
		t.Agent.Name = draft.Word(l.agent)
	}
	if t.Project.Path == "" {
		if t.Project.Path = folder(e.Tree, e.Repo, l.header.Project); e.Via == inClone && e.Address != "" {
			t.Project.Path = l.treeInClone(e.Address)
		}
	}
	l.gates = strings.Join(e.Gates, " && ")
	l.add(at, &trace.Session{Marker: trace.Started, Detail: "spawn"})
	l.add(at, &trace.UserMessage{Digest: trace.Digest{Hash: hash(e.Digest)}, Head: l.b.Head(e.Task, trace.UserHead)})
}

// folder is where the agent of a tree works: the project's own folder in it. A worker in the person's own checkout has no
// folder of its own.
func folder(tree, repo, root string) string {
	if tree == repo || tree == root || tree == "" {
		return ""
	}
	rel, err := filepath.Rel(repo, root)
	if err != nil || repo == "" || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return tree
	}
	return filepath.Join(tree, rel)
}

// far reports whether the ledger is of a repository for workers of a project elsewhere, which alone knows what was merged.
func (l *ledger) far() bool {
	return filepath.Dir(l.header.Project) == filepath.Join(l.state(), project.FarDir)
}

// state is the user's folder that the ledger lies in, as workers/PROJECT/NAME.
func (l *ledger) state() string { return filepath.Dir(filepath.Dir(filepath.Dir(l.dir))) }

// treeInClone is where the agent of a worker in a clone works. The clone has a ledger of this worker too, which says so; here stands
// where its tree would be in the project.
func (l *ledger) treeInClone(clone string) string {
	return filepath.Join(l.state(), project.TreesDir, project.StateKey(clone), filepath.Base(l.dir))
}

// hash is the part of a SHA-256 that a trace keeps.
func hash(sum string) string {
	if len(sum) < 16 || strings.Trim(sum, "0123456789abcdef") != "" {
		return ""
	}
	return sum[:16]
}

func (l *ledger) certificate(e *entry, at trace.Event) {
	l.ended = true
	switch {
	case l.killed != nil:
		l.killed = &at // the agent may have said something since it was asked for
		l.decide(trace.Interrupted, "kill_asked")
	case e.Exit == nil && e.Signal == 0:
	case e.Exit != nil && *e.Exit == 0:
		l.decide(trace.Completed, "certificate: exit 0")
	case e.Exit != nil:
		l.decide(trace.Errored, "certificate: exit "+strconv.Itoa(*e.Exit))
	default:
		l.decide(trace.Killed, "certificate: "+trace.BySignal+strconv.Itoa(e.Signal))
	}
	l.add(at, &trace.Session{Marker: trace.Ended, Detail: strings.TrimPrefix(l.from, "certificate: ")})
}

func (l *ledger) message(e *entry, at trace.Event) {
	d := trace.Digest{Length: max(e.Bytes, 0), Hash: hash(e.Sum)}
	if !e.Person {
		l.client(at, "", d)
		return
	}
	l.add(at, &trace.UserMessage{Digest: d})
}

// gate adds a run of the gates as a call: aburn made it, and nobody else says how it ended.
func (l *ledger) gate(e *entry, at trace.Event) {
	if e.Is == started || l.open == "" {
		l.open = "gates-" + at.Record
		line := cmp.Or(strings.Join(e.Gates, " && "), l.gates)
		l.b.Call(at, &trace.ToolCall{Call: l.open, Tool: "gates", Type: trace.ShellTool, Head: l.b.Head(line, trace.CommandHead)})
	}
	if e.Is == started {
		return
	}
	r := trace.ToolResultEvent{Call: l.open, From: trace.FromToolResult, Status: trace.StatusCompleted}
	if e.Is == failed {
		no := true
		r.Status, r.IsError, r.Head = trace.StatusErrored, &no, l.b.Head(e.Why, trace.ErrorHead)
	}
	l.b.Result(at, r)
	l.open, l.taken = "", e.Is == passed
}

// forge adds what a pull request met, and what was done about it.
func (l *ledger) forge(e *entry, at trace.Event) {
	switch {
	case e.Kind == logfmt.LedgerPull && e.Is == merged:
		l.take(at, "pull request merged")
	case e.Kind == logfmt.LedgerCheck && e.Is == failing:
		l.error(at, "ci-failed", e.Why, false)
	case e.Kind == logfmt.LedgerReview && e.Is == changes:
		l.client(at, "changes requested", trace.Digest{})
	case e.Kind == logfmt.LedgerReacted && e.Action == send, e.Kind == logfmt.LedgerEscalated:
		l.client(at, string(e.Kind)+": "+e.Key, trace.Digest{})
	case e.Kind == logfmt.LedgerBudget && e.Full:
		l.client(at, "its budget is used up", trace.Digest{})
	}
}

// finish says how the worker ended. A person who killed it, and took nothing of what it changed, abandoned it: in a clone, or of another
// machine's worker, nobody knows what was taken. The trace's own outcome is what the ledger states.
func (l *ledger) finish() *trace.SessionTrace {
	l.read()
	t := l.b.Trace()
	if l.killed != nil && !l.taken && !l.far() && (l.differs == nil || *l.differs > 0) {
		l.add(*l.killed, &trace.Session{Marker: trace.Abandoned, Detail: "killed, and nothing of it was merged"})
	}
	if l.taken && l.outcome != trace.Errored {
		l.decide(trace.Completed, "merged, or its gates passed")
	}
	if l.outcome != "" {
		t.Outcome, t.OutcomeFrom = l.outcome, l.from
	}
	return l.b.Settle()
}

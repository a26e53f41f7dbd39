// Package attention says what waits for the user, what is stuck and what works, in all projects. It alone decides
// order and words, so that the page, aburn top and notices cannot differ. It writes nothing.
package attention

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/internal/agentcli"
	"aburn/internal/plain"
	"aburn/internal/scrub"
	"aburn/internal/units"
	"aburn/logfmt"
	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"aburn/supervisor/status"
)

// Group is the first order: what waits for the user stands before what is stuck, and that before what goes on by itself.
type Group int

const (
	Waiting Group = iota
	Stuck
	Living
)

// Kind is the second order: of things that wait, what is asked; of living sessions, whether they work.
type Kind int

const (
	Permission Kind = iota
	Question
	Plan
	TurnFailed // by a limit, a missing login or another error
	Foreign    // tasks in the queue that aburn did not sign
	Issue
	Working
	Idle
	Heard // its log tells neither the beginning nor the end of a turn
	Unhooked
)

// Item is one thing that the user is shown: a question, an issue, a session.
type Item struct {
	Group   Group
	Kind    Kind
	Root    string // of the project
	Log     string // the root whose log tells it: another one in a clone for workers
	Branch  string
	Source  string           // who recorded the session
	Session logfmt.SessionID // "" is the project
	Word    string           // for a column: permission, loop 97 %, GREEN 6m
	What    string           // in words, what is asked, wrong or done
	Quoted  string           // what it is about: a command, a question, an error; as far as the log has it
	Whole   string           // the same in lines, all of it, where the agent's own file says it
	Call    string           // the id of the call that waits
	Also    []string         // other things that are wrong in the session
	Type    string           // of an issue
	Proof   []logfmt.Seq
	Calls   []Call // around an issue
	Last    string // the session's newest entry, of a living one
	Heard   time.Time
	Since   time.Time // zero if unknown
	Proc    state.Proc
	Worker  *Worker // nil: it is a session or a project
}

// Call is a call around an issue: when it ended, and whether it proves it.
type Call = status.Call

// Worker is the card of a worker that a thing stands for.
type Worker struct {
	ID, Name string // ID is that of its card
	Mark     string
	Says     string // its state and the reason
	Task     string
	Attach   string // the command that leads to it
}

// LivingFor is how long after its last event a session counts as living.
const LivingFor = 12 * time.Hour

// Items are the things of all projects, in the order in which people are shown them: what waits, by what is asked; what is stuck; what
// works, then what has ended its turn; in each the oldest first.
//
// unhooked are sessions that only their own files tell of: with Root, Source, Session and Heard.
func Items(list []Project, unhooked []Item, at time.Time) (items []Item) {
	for i := range list {
		if list[i].Err == nil {
			items = append(items, ofProject(&list[i], at)...)
		}
	}
	for _, item := range unhooked {
		item.Group, item.Kind, item.Word, item.Since = Living, Unhooked, "running", item.Heard
		item.What = "no hooks: its own file was last written " + plain.Age(at.Sub(item.Heard))
		items = append(items, item)
	}
	slices.SortStableFunc(items, order)
	return items
}

func order(a, b Item) int {
	return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Kind, b.Kind), bySince(a.Since, b.Since), strings.Compare(a.Root, b.Root),
		cmp.Compare(a.Session, b.Session))
}

// bySince puts the oldest first, and what has no time last.
func bySince(a, b time.Time) int {
	if a.IsZero() != b.IsZero() {
		if a.IsZero() {
			return 1
		}
		return -1
	}
	return a.Compare(b)
}

// ofProject are the things of a project. A session stands in one group: what it waits for goes before its issues, and those before
// what it does.
func ofProject(p *Project, at time.Time) (items []Item) {
	r := &p.Report
	sessions := map[logfmt.SessionID]*status.SessionStatus{}
	for i := range r.Sessions {
		sessions[r.Sessions[i].Session] = &r.Sessions[i]
	}
	shown := map[logfmt.SessionID][]int{} // items of a session
	add := func(item Item) {
		item.Root, item.Log, item.Branch = p.Of, p.Root, r.Branch
		if one := sessions[item.Session]; one != nil {
			item.Source, item.Proc = cmp.Or(item.Source, one.Source), one.Proc
		}
		shown[item.Session] = append(shown[item.Session], len(items))
		items = append(items, item)
	}
	for i := range r.Waits {
		add(waitItem(p.Root, &r.Waits[i]))
	}
	for i := range r.Issues {
		is := &r.Issues[i]
		others := shown[is.Session]
		switch one := sessions[is.Session]; {
		case is.Type == limits.PermissionWait || is.Type == limits.QuestionWait, one != nil && isOver(one, at):
		case len(others) > 0 && is.Session != "":
			for _, k := range others {
				items[k].Also = append(items[k].Also, issueWord(is)+": "+text(is.Says))
			}
		case is.Level == "queue":
			add(issueItem(is))
		}
	}
	for i := range r.Sessions {
		one := &r.Sessions[i]
		if len(shown[one.Session]) > 0 || isOver(one, at) || one.State == state.Gone {
			continue
		}
		add(livingItem(one))
		for k := range r.Issues {
			if is := &r.Issues[k]; is.Session == one.Session {
				items[len(items)-1].Also = append(items[len(items)-1].Also, issueWord(is)+": "+text(is.Says))
			}
		}
	}
	return items
}

// isOver reports whether a session is none of now. One that crashed counts as long as a living one.
func isOver(one *status.SessionStatus, at time.Time) bool {
	return one.State == state.Ended || at.Sub(one.LastTime) > LivingFor && one.State != state.Permission && one.State != state.Question
}

func waitItem(root string, w *status.WaitFacts) Item {
	item := Item{Group: Waiting, Kind: kindOf(w), Source: w.Source, Session: w.Session, Call: w.Call}
	tool := cmp.Or(plain.Line(agentcli.ToolWord(w.Tool)), "an unknown tool")
	switch item.Kind {
	case Permission:
		item.Word, item.What, item.Quoted = "permission", "Permission for "+tool, w.Input
	case Question:
		item.Word, item.What, item.Quoted = "question", "Question", w.Input
	case Plan:
		item.Word, item.What, item.Quoted = "plan", "Its plan waits for your approval", w.Input
	case TurnFailed:
		item.Word, item.What, item.Quoted = "failed turn", "Its turn failed", w.Error
		if word, what := reasonOf(w.Error); word != "" {
			item.Word, item.What = word, what
		}
	case Foreign:
		item.Word, item.What = "queue", plain.Plural(int64(w.Tasks), "task")+" in the queue of "+plain.Line(filepath.Base(root))+" that aburn did not sign"
	}
	item.Quoted = text(item.Quoted)
	if w.Agent != "" {
		item.What += ", asked by its sub-agent " + text(w.Agent)
	}
	if w.Seq > 0 {
		item.Proof = []logfmt.Seq{w.Seq}
	}
	if w.Since != nil {
		item.Since = *w.Since
	}
	return item
}

// planTool is the call with which an agent hands in a plan.
const planTool = "ExitPlanMode"

func kindOf(w *status.WaitFacts) Kind {
	switch {
	case w.Kind == status.WaitPermission:
		return Permission
	case w.Kind == status.WaitQuestion && w.Tool == planTool:
		return Plan
	case w.Kind == status.WaitQuestion:
		return Question
	case w.Kind == status.WaitQueue:
		return Foreign
	}
	return TurnFailed
}

// reasonOf says whether a turn failed for a reason that only the user can end.
func reasonOf(failure string) (word, what string) {
	failure = strings.ToLower(failure)
	for _, r := range [...]struct{ mark, word, what string }{
		{"rate_limit", "limit", "A limit is reached"}, {"usage limit", "limit", "A limit is reached"}, {"quota", "limit", "A limit is reached"},
		{"billing", "limit", "The account has no credit"},
		{"authentication", "login", "It needs a login"}, {"unauthorized", "login", "It needs a login"}, {"oauth", "login", "It needs a login"},
		{"login", "login", "It needs a login"},
	} {
		if strings.Contains(failure, r.mark) {
			return r.word, r.what
		}
	}
	return "", ""
}

func issueItem(is *status.AdviceReport) Item {
	item := Item{Group: Stuck, Kind: Issue, Session: is.Session, Word: issueWord(is), What: text(is.Says), Type: string(is.Type), Proof: is.Evidence,
		Calls: is.Calls}
	if is.Since != nil {
		item.Since = *is.Since
	}
	return item
}

func issueWord(is *status.AdviceReport) string { return status.IssueWord(is.Type, is.Confidence) }

func livingItem(one *status.SessionStatus) Item {
	item := Item{Group: Living, Session: one.Session, Source: one.Source, Heard: one.LastTime, Since: one.LastTime}
	switch one.State {
	case state.Working:
		item.Kind, item.Word = Working, "working"
	case state.Idle:
		item.Kind, item.Word = Idle, "idle"
	default:
		item.Kind, item.Word = Heard, "last event"
	}
	if one.Since != nil {
		item.Since = *one.Since
	}
	item.What = plain.Line(one.Cmd)
	if one.Agents > 0 {
		item.What = units.Join(item.What, plain.Plural(int64(one.Agents), "sub-agent")+" at work")
	}
	if p := one.Phase; p != nil {
		name := plain.Line(p.Name)
		item.Word = name + " " + units.Milliseconds(p.WorkedMS)
		item.What = units.Join(item.What, fmt.Sprintf("%s for %s of %s", name, units.Milliseconds(p.WorkedMS), units.Milliseconds(p.Timeout)))
	}
	if one.Last != nil {
		item.Last, item.Quoted = plain.Line(string(one.Last.Event)), text(one.Last.Text)
	}
	return item
}

// text is a text of the log without secrets, on one line.
func text(s string) string {
	s, _ = scrub.Text(plain.Line(s))
	return s
}

// Age says how long something has lasted, as every place that shows it says: 40 s, 11 min, 2 h 5 min, 3 d.
func Age(d time.Duration) string {
	switch s := max(int64(d/time.Second), 0); {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min", s/60)
	case s < 86400:
		return fmt.Sprintf("%d h %d min", s/3600, s/60%60)
	default:
		return fmt.Sprintf("%d d", s/86400)
	}
}

// Mark is a thing's symbol, and Says its word: the same wherever it is shown.
func (i *Item) Mark() string {
	switch {
	case i.Worker != nil:
		return i.Worker.Mark
	case i.Group == Waiting:
		return "◆"
	case i.Group == Stuck:
		return "↻"
	case i.Kind == Working:
		return "●"
	}
	return "○"
}

// Says is what a session does, in front of since when.
func (i *Item) Says() string {
	switch {
	case i.Worker != nil:
		return i.Worker.Says
	case i.Group == Waiting:
		return "waits"
	case i.Group == Stuck:
		return i.Word
	case i.Kind == Working:
		return "works"
	case i.Kind == Idle:
		return "its turn is over"
	}
	return "last event"
}

// ProofWords names the entries that prove a thing.
func (i *Item) ProofWords() string {
	const most = 4
	var words []string
	for k, n := range i.Proof {
		if k == most {
			words = append(words, fmt.Sprintf("and %d more", len(i.Proof)-k))
			break
		}
		words = append(words, fmt.Sprint(n))
	}
	switch len(i.Proof) {
	case 0:
		return ""
	case 1:
		return "entry " + words[0] + " of the log"
	}
	return "entries " + strings.Join(words, ", ") + " of the log"
}

// ID names a thing as long as it says the same: a page's swap keeps the reader's focus, and a notice links to it.
func (i *Item) ID() string {
	if i.Worker != nil {
		return i.Worker.ID
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\x00%s\x00%d\x00%s", i.Root, i.Session, i.Group, i.Type)
	if i.Group == Waiting && len(i.Proof) > 0 {
		fmt.Fprintf(h, "\x00%d", i.Proof[0])
	}
	return fmt.Sprintf("c%x", h.Sum64())
}

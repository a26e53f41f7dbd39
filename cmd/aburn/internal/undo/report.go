package undo

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/history/undo"
	"aburn/internal/fault"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/queue"
	"aburn/internal/quote"
	"aburn/internal/scrub"
	"aburn/internal/term"
	"aburn/logfmt"
)

// Report is `aburn undo --json`.
type Report struct {
	Session string      `json:"session"`
	Prompt  *promptOf   `json:"prompt,omitempty"`
	To      string      `json:"to"`
	Before  string      `json:"before,omitempty"`
	Files   []undo.Step `json:"files"`
	Outside []string    `json:"outside,omitempty"`
	Commits []string    `json:"commits,omitempty"`
	Revert  string      `json:"revert,omitempty"`
	Redo    bool        `json:"redo"`
	Resumed bool        `json:"resumed"`
	Undone  bool        `json:"undone"`
}

type promptOf struct {
	Number int       `json:"number"`
	Entry  uint64    `json:"entry"`
	Time   time.Time `json:"time"`
	Head   string    `json:"head"`
}

func (j *job) report(x *asked, a *undo.Answer, skipped []string) *Report {
	r := &Report{Session: x.session, To: x.to.Ref, Files: a.Steps, Commits: a.Commits}
	number := slices.IndexFunc(x.record.prompts[x.session], func(p prompt) bool { return p.id == x.prompt.id }) + 1
	r.Prompt = &promptOf{number, uint64(x.prompt.seq), x.prompt.at, x.prompt.head}
	if r.Files == nil {
		r.Files = []undo.Step{}
	}
	for _, o := range x.record.outside {
		if session, p, _ := strings.Cut(o, "\x00"); session == x.session && !slices.Contains(r.Outside, p) && len(x.q.Only) == 0 {
			r.Outside = append(r.Outside, p)
		}
	}
	if len(x.q.Only) == 0 {
		r.Outside = append(r.Outside, skipped...)
	}
	switch n := len(r.Commits); {
	case n == 1:
		r.Revert = "git revert --no-edit " + r.Commits[0][:10]
	case n > 1:
		r.Revert = "git revert --no-edit " + r.Commits[n-1][:10] + "^.." + r.Commits[0][:10]
	}
	return r
}

// todo counts the files that are set back.
func (r *Report) todo() (n int) {
	for i := range r.Files {
		if r.Files[i].Action != undo.Leave {
			n++
		}
	}
	return n
}

// open counts the files about which a person has to decide.
func (r *Report) open() (n int) {
	for i := range r.Files {
		if f := &r.Files[i]; f.Action == undo.Leave && (f.Reason == undo.Conflict || f.Reason == undo.WhoseKnow) {
			n++
		}
	}
	return n
}

// print prints a report of which nothing is done.
func (j *job) print(r *Report) error {
	if j.cmd.Bool("json") {
		return j.a.PrintJSON(r)
	}
	j.show(r)
	if r.todo() == 0 {
		j.a.Note("there is nothing to set back")
		if r.Prompt != nil && r.Prompt.Number > 1 && len(r.Files) == 0 {
			j.a.Hint("aburn undo --to " + strconv.Itoa(r.Prompt.Number-1) + " goes back one prompt more")
		}
	}
	return nil
}

// done prints a report of what was done. What the table has shown already is not shown again.
func (j *job) done(r *Report) error {
	if j.cmd.Bool("json") {
		if err := j.a.PrintJSON(r); err != nil {
			return err
		}
	} else if n := r.todo(); r.Undone {
		what := " set back"
		if r.Redo {
			what = " as before the undo"
		}
		fmt.Fprintln(j.a.Screen(j.cmd), plain.Plural(int64(n), "file")+what)
		for i := range r.Files {
			if f := &r.Files[i]; f.Action == undo.Leave && (r.Redo || r.Resumed || f.Why == "it changed meanwhile") {
				j.a.Warn(plain.Line(f.Path) + " is left: " + f.Why)
			}
		}
		if !r.Redo {
			j.a.Hint("aburn undo --redo takes it back")
		}
	}
	if r.open() > 0 && !j.cmd.Bool("ours") {
		return fault.Exit(1)
	}
	return nil
}

// words are what happens to a file.
var words = map[undo.Action]string{
	undo.Restore: "set back", undo.Return: "comes back", undo.Remove: "is removed", undo.Merge: "set back, your change stays", undo.Leave: "is left",
}

func (j *job) show(r *Report) {
	out := j.a.Screen(j.cmd)
	if p := r.Prompt; p != nil {
		fmt.Fprintln(out, out.Paint(term.Bold, plain.Cut("Session "+plain.Line(r.Session)+", back to before prompt "+strconv.Itoa(p.Number)+": "+plain.Line(p.Head),
			term.TextWidth(out))))
	}
	width := 8
	for i := range r.Files {
		width = max(width, min(plain.Width(plain.Line(r.Files[i].Path)), 40))
	}
	for _, leave := range []bool{false, true} {
		for i := range r.Files {
			f := &r.Files[i]
			if (f.Action == undo.Leave) != leave {
				continue
			}
			text := f.Change + ", " + words[f.Action]
			if leave {
				text += ": " + f.Why
			}
			style := term.Plain
			if leave {
				style = term.Yellow
			}
			fmt.Fprintln(out, "  "+plain.Pad(plain.Line(f.Path), width)+"  "+out.Paint(style, text))
		}
	}
	for _, o := range r.Outside {
		fmt.Fprintln(out, "  "+out.Paint(term.Dim, plain.Line(o)+" (in no snapshot, not touched)"))
	}
	if len(r.Commits) > 0 {
		fmt.Fprintln(out, "  "+plain.Plural(int64(len(r.Commits)), "commit was", "commits were")+" made since; commits stay: "+r.Revert)
	}
	if n := r.open(); n > 0 && !j.cmd.Bool("ours") && !j.cmd.Bool("theirs") {
		j.a.Hint("--theirs sets back a file that you name and changed too: aburn undo --theirs FILE")
	}
}

// finish notes a plan that is written: in the log, in the queue for the agent, and as the last undo. It can be repeated.
func (j *job) finish(ctx context.Context, p *undo.Plan, redone bool) error {
	if p.Commit == "" {
		return nil
	}
	var o logfmt.Object
	var list []logfmtFile
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Action != undo.Leave {
			path, _ := scrub.Text(s.Path)
			list = append(list, logfmtFile{path, string(s.Action)})
		}
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	o.Str("what", plain.Plural(int64(len(list)), "file")).Str("to", p.To).Str("before", p.Before).Raw("files", text)
	if redone {
		o.Bool("redo", true)
	}
	session := logfmt.SessionID(p.Session)
	e := &logfmt.Entry{Time: j.now, Cmd: logfmt.SessionCmd, Event: logfmt.Undo, Session: session, Source: "aburn", Wt: j.w.Wt, Data: o.Bytes(),
		ID: logfmt.ToolID("aburn", session, "", logfmt.Undo, p.Commit)}
	if _, err := j.w.Log.Append(func(journal.Tail) []*logfmt.Entry { return []*logfmt.Entry{e} }); err != nil {
		return err
	}
	if err := j.tell(p, redone); err != nil {
		j.a.Warn("the agent is not told: " + err.Error())
	}
	return j.s.Finish(ctx, p, redone)
}

type logfmtFile struct {
	Path string `json:"path"`
	Done string `json:"done"`
}

// told is what the agent is told of a file.
var told = map[undo.Action]string{
	undo.Restore: "was set back", undo.Return: "is there again", undo.Remove: "was removed", undo.Merge: "was set back, and keeps what the user changed",
}

// mostNamed bounds the files that the agent is told by name.
const mostNamed = 20

// tell puts advice for the session into the queue: its memory of the files is wrong now.
func (j *job) tell(p *undo.Plan, redone bool) error {
	key, err := j.w.Key()
	if err != nil {
		return err
	}
	var text strings.Builder
	if redone {
		text.WriteString("The user took the last undo of your changes back, so these files are again as you left them:\n")
	} else {
		text.WriteString("The user took changes of yours back with aburn undo. Read these files again before you work on them:\n")
	}
	n := 0
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Action == undo.Leave {
			continue
		}
		if n++; n <= mostNamed {
			path, _ := scrub.Text(s.Path)
			text.WriteString("- " + quote.Text(path, 120) + " " + told[s.Action] + "\n")
		}
	}
	if n > mostNamed {
		text.WriteString("- and " + strconv.Itoa(n-mostNamed) + " more\n")
	}
	q := queue.New(j.w.Oss, key)
	desk, err := q.Lock(5 * time.Second)
	if err != nil {
		return err
	}
	_, err = desk.Put(queue.Task{
		ID: "undo-" + p.Commit[:16], CreatedAt: j.now, Source: "user", Type: "undo", Priority: queue.High, Session: logfmt.SessionID(p.Session),
		Prompt: strings.TrimSpace(text.String()), ExpiresAt: j.now.Add(30 * 24 * time.Hour),
	}, 0, j.now)
	if cerr := desk.Close(); err == nil {
		err = cerr
	}
	return err
}

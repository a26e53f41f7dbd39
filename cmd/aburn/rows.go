package main

import (
	"strconv"
	"strings"
	"time"

	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/logfmt"
)

// rows prints entries one a line, in columns that stay where they are, because
// nobody knows what a log that is being followed will bring.
//
//	time  session  command:phase  mark name  took  detail
//
// A sub-agent's entries are indented below those of its parent. On a terminal
// the day stands in a line of its own when it changes, elsewhere in each line.
type rows struct {
	out    *term.Out
	seq    bool // the number of the entry in front
	zone   *time.Location
	day    string
	agents map[string]map[string]bool // type → ids seen
}

func newRows(out *term.Out, zone *time.Location) *rows {
	return &rows{out: out, zone: zone, agents: map[string]map[string]bool{}}
}

// Widths of the columns on a narrow and on a wide terminal.
const (
	wideFrom = 110

	narrowSession, wideSession = 4, 8
	narrowWhere, wideWhere     = 11, 16
	narrowName, wideName       = 14, 20
	tookWidth                  = 6
	seqWidth                   = 7
)

func (r *rows) wide() bool { return r.out.Width() == 0 || r.out.Width() >= wideFrom }

func (r *rows) pick(narrow, wide int) int {
	if r.wide() {
		return wide
	}
	return narrow
}

// print writes one entry. now is for the day line only.
func (r *rows) print(e *record, now time.Time) error {
	_, err := r.out.Write([]byte(r.dayLine(e.Time, now) + r.line(e) + "\n"))
	return err
}

// dayLine is the line in front of the first entry of another day, and of the
// first entry at all if it is not from today.
func (r *rows) dayLine(t, now time.Time) string {
	if !r.out.Terminal() {
		return ""
	}
	day := t.In(r.zone).Format("Mon 2 Jan 2006")
	if r.day == "" {
		r.day = now.In(r.zone).Format("Mon 2 Jan 2006")
	}
	if day == r.day {
		return ""
	}
	r.day = day
	return r.out.Paint(term.Dim, "── "+day+" ──") + "\n"
}

func (r *rows) line(e *record) string {
	w := describe(&e.Entry)
	if e.open {
		w.detail = join(w.detail, "no end")
	}
	indent, tag := "", ""
	if e.Agent != nil {
		indent, tag = "  ", r.agentTag(e.Agent)
	}
	l := columns{out: r.out}
	if r.seq {
		l.add(term.Dim, plain.PadLeft(number(e.Seq), seqWidth), seqWidth)
	}
	layout := "15:04:05"
	if !r.out.Terminal() {
		layout = "2006-01-02 15:04:05"
	}
	l.add(term.Dim, e.Time.In(r.zone).Format(layout), len(layout))
	session := r.pick(narrowSession, wideSession)
	l.add(sessionStyle(e.Session), shortSession(e.Session, session), session)
	l.add(term.Plain, where(&e.Entry), r.pick(narrowWhere, wideWhere))
	l.add(w.style, indent+w.mark+" "+w.name, r.pick(narrowName, wideName))
	l.add(term.Dim, plain.PadLeft(w.took, tookWidth), tookWidth)
	return l.end(tag, w.path, join(w.detail, worktree(&e.Entry)))
}

func number(s logfmt.Seq) string {
	if s == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(s), 10)
}

// columns is one line that is being put together.
type columns struct {
	out  *term.Out
	b    strings.Builder
	used int
}

// add sets text into a column of a fixed width.
func (l *columns) add(style term.Style, text string, width int) {
	text = plain.Cut(plain.Line(text), width)
	if strings.TrimSpace(text) == "" { // nothing to paint, and blanks at the end of a line to cut
		style = term.Plain
	}
	l.b.WriteString(l.out.Paint(style, text))
	l.b.WriteString(strings.Repeat(" ", width-plain.Width(text)+1))
	l.used += width + 1
}

// end sets the last column, which takes what the terminal leaves: a tag, a path
// and a text. A path that is too long loses its beginning, a text its end.
func (l *columns) end(tag, path, text string) string {
	path, text = plain.Line(path), plain.Line(text)
	if width := l.out.Width(); width > 0 {
		left := max(width-l.used-plain.Width(tag), 8)
		if text == "" {
			path = plain.CutStart(path, left)
		}
		path = plain.CutStart(path, max(left-plain.Width(text)-3, left/2))
		text = plain.Cut(join(path, text), left)
	} else {
		text = join(path, text)
	}
	return strings.TrimRight(l.b.String()+tag+text, " ")
}

// where is the active command and phase; nothing when none is active.
func where(e *logfmt.Entry) string {
	if e.Cmd == logfmt.SessionCmd && e.Phase == "" {
		return "-"
	}
	if e.Phase == "" {
		return e.Cmd
	}
	return e.Cmd + ":" + e.Phase
}

// worktree is told where it matters: at the marks of a session and a command.
func worktree(e *logfmt.Entry) string {
	if e.Wt == "" || !(e.Event.Lifecycle() || e.Event == logfmt.SessionStart) {
		return ""
	}
	return "in " + e.Wt
}

// agentTag is the sub-agent's type, with its id as soon as there are two of the type.
func (r *rows) agentTag(a *logfmt.Agent) string {
	ids := r.agents[a.Type]
	if ids == nil {
		ids = map[string]bool{}
		r.agents[a.Type] = ids
	}
	ids[a.ID] = true
	name := a.Type
	if name == "" {
		name = "sub-agent"
	}
	if len(ids) > 1 && a.ID != "" {
		name += " " + a.ID[:min(len(a.ID), 4)]
	}
	return plain.Line("[" + name + "] ")
}

// shortSession is enough of a session's id to tell it from the others of the
// day. Ids that begin with the time (UUID version 7) differ at their end.
func shortSession(s logfmt.SessionID, n int) string {
	id := string(s)
	switch {
	case id == "":
		return "-"
	case len(id) <= n:
		return id
	case len(id) == 36 && id[14] == '7':
		return id[36-n:]
	}
	return id[:n]
}

// sessionStyle is a colour that a session keeps; red and green mean something else.
func sessionStyle(s logfmt.SessionID) term.Style {
	if s == "" {
		return term.Dim
	}
	sum := uint32(2166136261)
	for i := range len(s) {
		sum = (sum ^ uint32(s[i])) * 16777619
	}
	return [...]term.Style{term.Cyan, term.Magenta, term.Blue, term.Yellow}[sum%4]
}

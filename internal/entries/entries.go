// Package entries prints entries of the log, one a line, and filters them.
package entries

import (
	"strconv"
	"strings"
	"time"

	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/units"
	"aburn/logfmt"
)

// List prints entries one a line. The columns have fixed widths, because a followed log may bring longer words later.
//
//	time  session  command:phase  mark name  took  detail
//
// A sub-agent's entries are indented below those of its parent. On a terminal
// the day stands in a line of its own when it changes, elsewhere in each line.
type List struct {
	out    *term.Out
	Seq    bool // print the number of each entry
	zone   *time.Location
	day    string
	agents map[string]map[string]bool // type → ids seen
}

func NewList(out *term.Out, zone *time.Location) *List {
	return &List{out: out, zone: zone, agents: map[string]map[string]bool{}}
}

// Widths of the columns on a narrow and on a wide terminal.
const (
	WideFrom = 110

	narrowSession, WideSession = 4, 8
	narrowWhere, wideWhere     = 11, 16
	NarrowName, WideName       = 14, 20
	TookWidth                  = 6
	SeqWidth                   = 7
)

func (r *List) wide() bool { return r.out.Width() == 0 || r.out.Width() >= WideFrom }

func (r *List) pick(narrow, wide int) int {
	if r.wide() {
		return wide
	}
	return narrow
}

// Print writes one entry. now is for the day line only.
func (r *List) Print(e *Record, now time.Time) error {
	_, err := r.out.Write([]byte(r.dayLine(e.Time, now) + r.line(e) + "\n"))
	return err
}

// dayLine is the line above the first entry of another day, and above the very first entry if it is not of today.
func (r *List) dayLine(t, now time.Time) string {
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

func (r *List) line(e *Record) string {
	w := Describe(&e.Entry)
	if e.Open {
		w.Detail = units.Join(w.Detail, "no end")
	}
	indent, tag := "", ""
	if e.Agent != nil {
		indent, tag = "  ", r.agentTag(e.Agent)
	}
	l := NewColumns(r.out)
	if r.Seq {
		l.Add(term.Dim, plain.PadLeft(SeqText(e.Seq), SeqWidth), SeqWidth)
	}
	layout := "15:04:05"
	if !r.out.Terminal() {
		layout = "2006-01-02 15:04:05"
	}
	l.Add(term.Dim, e.Time.In(r.zone).Format(layout), len(layout))
	session := r.pick(narrowSession, WideSession)
	l.Add(SessionStyle(e.Session), ShortSession(e.Session, session), session)
	l.Add(term.Plain, place(&e.Entry), r.pick(narrowWhere, wideWhere))
	l.Add(w.Style, indent+w.Mark+" "+w.Name, r.pick(NarrowName, WideName))
	l.Add(term.Dim, plain.PadLeft(w.Took, TookWidth), TookWidth)
	return l.End(tag, w.Path, units.Join(w.Detail, worktree(&e.Entry)))
}

// SeqText is the number of an entry, "" if it has none.
func SeqText(s logfmt.Seq) string {
	if s == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(s), 10)
}

// Columns builds one line of columns.
type Columns struct {
	out  *term.Out
	text strings.Builder
	used int
}

func NewColumns(out *term.Out) *Columns { return &Columns{out: out} }

// Text is the columns so far, without blanks at the end, and how many cells they take with those.
func (l *Columns) Text() (text string, used int) {
	return strings.TrimRight(l.text.String(), " "), l.used
}

// Add appends a column of width cells; longer text is cut.
func (l *Columns) Add(style term.Style, text string, width int) {
	text = plain.Cut(plain.Line(text), width)
	if strings.TrimSpace(text) == "" { // nothing to paint, and blanks at the end of a line to cut
		style = term.Plain
	}
	l.text.WriteString(l.out.Paint(style, text))
	l.text.WriteString(strings.Repeat(" ", width-plain.Width(text)+1))
	l.used += width + 1
}

// End appends the last column, a tag, a path and a text, and returns the line. The column takes the rest of the terminal:
// a long path loses its beginning, a long text its end.
func (l *Columns) End(tag, path, text string) string {
	path, text = plain.Line(path), plain.Line(text)
	if width := l.out.Width(); width > 0 {
		left := max(width-l.used-plain.Width(tag), 8)
		if text == "" {
			path = plain.CutStart(path, left)
		}
		path = plain.CutStart(path, max(left-plain.Width(text)-3, left/2))
		text = plain.Cut(units.Join(path, text), left)
	} else {
		text = units.Join(path, text)
	}
	return strings.TrimRight(l.text.String()+tag+text, " ")
}

// place is the active command and phase, - if none is active.
func place(e *logfmt.Entry) string {
	if e.Cmd == logfmt.SessionCmd && e.Phase == "" {
		return "-"
	}
	if e.Phase == "" {
		return e.Cmd
	}
	return e.Cmd + ":" + e.Phase
}

// worktree is shown only where it matters: at the beginning and end of sessions and commands.
func worktree(e *logfmt.Entry) string {
	if e.Wt == "" || !(e.Event.Lifecycle() || e.Event == logfmt.SessionStart) {
		return ""
	}
	return "in " + e.Wt
}

// agentTag is the sub-agent's type, with its id once a second one of the type has come.
func (r *List) agentTag(a *logfmt.Agent) string {
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

// ShortSession is the n bytes of a session's id that tell it from others: the first, or the last of an id that begins with
// the time (UUID version 7).
func ShortSession(s logfmt.SessionID, n int) string {
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

// SessionStyle is the colour of a session, always the same one. Red and green are kept for outcomes.
func SessionStyle(s logfmt.SessionID) term.Style {
	if s == "" {
		return term.Dim
	}
	sum := uint32(2166136261)
	for i := range len(s) {
		sum = (sum ^ uint32(s[i])) * 16777619
	}
	return [...]term.Style{term.Cyan, term.Magenta, term.Blue, term.Yellow}[sum%4]
}

// Record is an entry with the JSON line that it was read from.
type Record struct {
	logfmt.Entry
	Line []byte
	Open bool // the start of a call that has no end
}

// Form is how entries are printed.
type Form int

const (
	People    Form = iota // one line in columns
	JSONLines             // the JSON line as it was read, without control characters
	Raw                   // as in the log: the JSON line, then the line for people
)

// Printer prints entries in one Form.
type Printer struct {
	Form Form
	Out  *term.Out
	List *List
	buf  []byte
}

func (p *Printer) Print(r Record, now time.Time) error {
	switch p.Form {
	case People:
		return p.List.Print(&r, now)
	case Raw:
		line, human := r.Line, r.Human()
		if p.Out.Terminal() {
			line, human = plain.AppendJSON(nil, line), plain.Line(human)
		}
		p.buf = append(append(append(p.buf[:0], line...), '\n'), human...)
	default:
		p.buf = plain.AppendJSON(p.buf[:0], r.Line)
	}
	p.buf = append(p.buf, '\n')
	_, err := p.Out.Write(p.buf)
	return err
}

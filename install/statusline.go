package install

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
)

// StatusLine is what an install does to an agent's status line: the command whose output the agent shows below its
// prompt. A settings file has at most one.
type StatusLine int

const (
	KeepStatus StatusLine = iota // aburn's is brought up to date, anything else stays
	AddStatus                    // add aburn's; another one is left alone
	WrapStatus                   // add aburn's; one that is there is called by it first
	DropStatus                   // take aburn's out, and leave the hooks
)

// Errors about status lines.
var (
	ErrSharedStatus = errors.New("a status line is for one person, and the project's settings are for everybody")
	ErrWindowsWrap  = errors.New("aburn doesn't wrap a status line on Windows, because nobody has tried it there")
)

// The arguments of a status line, which package hooks reads. That package and this one do not import each other;
// TestStatusLineRuns runs what is installed.
const (
	statusArg = "statusline"
	wrapArg   = "--wrap"
)

const statusKey = "statusLine"

// refreshEvery is in seconds. A line that says who waits has to be renewed while its own session does nothing.
const refreshEvery = 10

// statusCommand is the command line of aburn's status line. A wrapped one runs without aburn-hook too: an executable that
// is gone must not take the user's own line with it.
func (c call) statusCommand(wrapped string) string {
	line := shellQuote(c.path) + " " + c.agent.Name + " " + statusArg
	for _, arg := range c.folders {
		line += " " + argQuote(arg, runtime.GOOS == "windows")
	}
	if wrapped == "" {
		return line
	}
	return line + " " + wrapArg + " " + shellQuote(wrapped) + orShell + shellQuote(wrapped)
}

const orShell = " || sh -c "

// ownStatus reports whether a command line is aburn's status line for the agent, with any folders, and which line it wraps.
func ownStatus(a Agent, line string) (wrapped string, ok bool) {
	words, plain := shellWords(line)
	for i := 0; !plain; { // a wrapped line may hold orShell too, but what is before that has a quote that does not end
		n := strings.Index(line[i:], orShell)
		if n < 0 {
			return "", false
		}
		i += n + len(orShell)
		last, ok := shellWords(line[i:])
		if words, plain = shellWords(line[:i-len(orShell)]); plain && (!ok || len(last) != 1 || last[0] != words[len(words)-1]) {
			return "", false
		}
	}
	if n := len(words); n >= 2 && words[n-2] == wrapArg {
		words, wrapped = words[:n-2], words[n-1]
	}
	if len(words) < 3 || words[2] != statusArg {
		return "", false
	}
	_, ok = ownCall(a.Agent, "", words[0], append([]string{words[1]}, words[3:]...))
	return wrapped, ok
}

// statusCommandOf is the member with the command of the document's status line; nil if it has none, or one of another
// form.
func (d *document) statusCommandOf(m *member) *member {
	if m == nil || m.value.kind != object {
		return nil
	}
	command := m.value.last("command")
	if d.str(m.value.last("type")) != "command" || command == nil || command.value.kind != text {
		return nil
	}
	return command
}

// ownsStatus reports whether a status line is aburn's.
func (d *document) ownsStatus(a Agent, m *member) (wrapped string, ok bool) {
	command := d.statusCommandOf(m)
	if command == nil {
		return "", false
	}
	return ownStatus(a, d.str(command))
}

// status is aburn's status line as a registration without an event; nil if there is none. Wrapped says that it calls another
// line first.
func (d *document) status(a Agent) *Registration {
	m := d.root.last(statusKey)
	wrapped, own := d.ownsStatus(a, m)
	if !a.Settings.StatusLine || !own {
		return nil
	}
	r := &Registration{Shell: d.str(d.statusCommandOf(m)), Ours: true, Wrapped: wrapped != ""}
	r.Line, _ = place(d.data, m.keyStart)
	words, _ := shellWords(r.Shell)
	if n := strings.Index(r.Shell, orShell); n >= 0 && len(words) == 0 {
		words, _ = shellWords(r.Shell[:n])
	}
	if len(words) > 0 {
		r.Path = words[0]
	}
	return r
}

// statusLine returns the items that the root lacks for the status line.
func (e *ensurer) statusLine(c call, mode StatusLine) []item {
	m := e.root.last(statusKey)
	wrapped, own := e.ownsStatus(c.agent, m)
	command := e.statusCommandOf(m)
	switch {
	case own:
		if line := c.statusCommand(wrapped); line != e.str(command) {
			e.replace(command, line)
			e.moved++
		}
	case mode == KeepStatus:
	case m == nil || m.value.kind == null:
		t := tree{open: "{", items: []item{
			{"type", tree{raw: `"command"`}}, {"command", tree{raw: quote(c.statusCommand(""))}}, {"refreshInterval", tree{raw: strconv.Itoa(refreshEvery)}},
		}}
		return e.put(statusKey, m, t)
	case mode == WrapStatus && command != nil && strings.TrimSpace(e.str(command)) != "":
		e.replace(command, c.statusCommand(e.str(command)))
	}
	return nil
}

func (e *ensurer) replace(m *member, s string) {
	e.edits = append(e.edits, edit{m.value.start, e.text(m.value.start, m.value.end), quote(s)})
}

// dropStatus finds the edits that take aburn's status line out and leave everything else.
func (d *document) dropStatus(a Agent, was func(string) container) []edit {
	r := &remover{document: d, agent: a, was: was}
	gone := map[int]bool{}
	for i, m := range d.root.members {
		gone[i] = m.key == statusKey && r.statusLine(&d.root.members[i])
	}
	return append(r.edits, d.cut(d.root, was("").Inside, func(i int) bool { return gone[i] })...)
}

// statusLine takes aburn's status line out, and reports whether the member goes. A wrapped line comes back as it was
// written, or without a record in the shortest spelling.
func (r *remover) statusLine(m *member) bool {
	wrapped, own := r.ownsStatus(r.agent, m)
	switch {
	case !own:
		return false
	case wrapped != "":
		command, raw := r.statusCommandOf(m).value, quote(wrapped)
		if c := r.was(statusKey + ".command"); c.Was == wasText && unquote([]byte(c.Inside)) == wrapped {
			raw = c.Inside
		}
		r.edits = append(r.edits, edit{command.start, r.text(command.start, command.end), raw})
		return false
	case r.was(statusKey).Was == wasNull:
		r.edits = append(r.edits, edit{m.value.start, r.text(m.value.start, m.value.end), "null"})
		return false
	}
	return true
}

// statusContainers records the status line as it is without aburn's.
func (d *document) statusContainers(out []container) []container {
	m := d.root.last(statusKey)
	if m == nil || m.value.kind == null {
		return d.container(out, statusKey, m)
	}
	if command := d.statusCommandOf(m); command != nil {
		out = append(out, container{statusKey + ".command", wasText, d.text(command.value.start, command.value.end)})
	}
	return out
}

// statusNotes say why a status line was not added.
func (d *document) statusNotes(a Agent, mode StatusLine) (out []string) {
	m := d.root.last(statusKey)
	if _, own := d.ownsStatus(a, m); own || m == nil || mode != AddStatus && mode != WrapStatus {
		return nil
	}
	line, column := place(d.data, m.keyStart)
	text := "there is a status line of another form, so aburn left it alone"
	if mode == AddStatus && d.statusCommandOf(m) != nil {
		text = "you have a status line, so aburn left it alone: with --wrap, aburn's line runs yours first"
	}
	return []string{fmt.Sprintf("%s:%d:%d: %s", d.path, line, column, text)}
}

// planNoStatus plans to take only the status line out of the agent's file.
func planNoStatus(o Options, f FileChange) (FileChange, error) {
	t, err := f.begin(o)
	if err != nil || !t.exists || !f.what.mentioned(t.data) {
		return f, err
	}
	d, err := f.Agent.parse(f.Path, t.data)
	if err != nil {
		return f, err
	}
	if _, own := d.ownsStatus(f.Agent, d.root.last(statusKey)); !own {
		return f, nil
	}
	old := readRecord(t.real, o.Env)
	was := allAbsent
	if old != nil {
		was = old.was
	}
	f.edits = d.dropStatus(f.Agent, was)
	f.New = splice(t.data, f.edits)
	next, err := f.Agent.parse(f.Path, f.New)
	switch {
	case err != nil:
		return f, fmt.Errorf("%s: without the status line it would not parse, so aburn leaves it alone: %w", f.Path, err)
	case !next.owns(f.Agent):
		return planUninstall(o, f)
	case old == nil:
		return f, nil
	}
	f.Hook = old.Hook // the hooks stay installed, so the file keeps a record
	return f, f.prepare(o, t, d, next)
}

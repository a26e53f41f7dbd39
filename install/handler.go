package install

import (
	"runtime"
	"strconv"
	"strings"

	"aburn/internal/agentcli"
)

// hookName is the executable that the agents call.
const hookName = "aburn-hook"

// handlerName is the name of aburn's handlers, for agents that name them.
const handlerName = "aburn"

// guard is what stands around the command line for an agent that stops its work if a hook's program is missing, or
// prints something and fails.
type guard struct{ before, after string }

// The guards, by the shell that the agents run: sh, and on Windows PowerShell, of which older ones know no ||.
var (
	shGuard         = guard{"", " 2>/dev/null || true"}
	powershellGuard = guard{"try { & ", " 2>$null } catch {}; exit 0"} // not tried there
)

func (g guard) around(line string) string { return g.before + line + g.after }

// unguarded is the line without a guard, and whether it had one.
func unguarded(line string) (string, bool) {
	for _, g := range []guard{shGuard, powershellGuard} {
		if inner, ok := strings.CutSuffix(line, g.after); ok && strings.HasPrefix(inner, g.before) {
			return inner[len(g.before):], true
		}
	}
	return line, false
}

func (a *Adapter) events() []agentcli.Event { return a.Hooks.Events }

// handler is one command of a hook in a settings file.
type handler struct {
	event   string
	group   value
	value   value
	place   [2]int // of the group in its event, of the handler in its group
	command *member
	line    string   // the shell command line; "" in exec form
	path    string   // the executable, as written
	args    []string // its arguments
	argList *member  // where they stand, in exec form
	exec    bool     // exec form: path and args, no shell
	guarded bool     // the line has a guard
	timeout string   // as written; "" for the agent's default
}

// ours reports whether the handler runs aburn's hook for agent a, with any folders, and nothing else. A command that
// wraps the hook is not ours.
func (h handler) ours(a *agentcli.Agent) bool {
	_, ok := ownCall(a, h.event, h.path, h.args)
	return ok && (!h.guarded || a.Hooks.MissingBlocks)
}

// readHandler reads one handler object. A handler that is no command has no path.
func (d *document) readHandler(event string, group, v value) handler {
	h := handler{event: event, group: group, value: v}
	if t := v.last("type"); d.str(t) != "command" {
		return h
	}
	h.command = v.last("command")
	if t := v.last("timeout"); t != nil {
		h.timeout = d.text(t.value.start, t.value.end)
	}
	args := v.last("args")
	if args != nil && args.value.kind == array {
		h.exec, h.path, h.argList = true, d.str(h.command), args
		for _, e := range args.value.elems {
			if e.kind == text {
				h.args = append(h.args, unquote(d.data[e.start:e.end]))
			}
		}
		return h
	}
	h.line = d.str(h.command)
	var line string
	line, h.guarded = unguarded(h.line)
	if words, ok := shellWords(line); ok && len(words) > 0 {
		h.path, h.args = words[0], words[1:]
	}
	return h
}

// handlers lists the handlers of every event. It includes those that an agent ignores because the same key follows
// again: uninstall has to find them too.
func (d *document) handlers() []handler {
	var out []handler
	for _, hooks := range d.root.members {
		if hooks.key != "hooks" {
			continue
		}
		for _, event := range hooks.value.members {
			for g, group := range event.value.elems {
				out = append(out, d.groupHandlers(event.key, g, group)...)
			}
		}
	}
	return out
}

func (d *document) groupHandlers(event string, g int, group value) (out []handler) {
	for _, list := range group.members {
		if list.key != "hooks" {
			continue
		}
		for i, v := range list.value.elems {
			h := d.readHandler(event, group, v)
			h.place = [2]int{g, i}
			out = append(out, h)
		}
	}
	return out
}

// group is aburn's one group of an event. It has no matcher, so it matches everything.
func (c call) group(timeout int) tree {
	members := []item{
		{"type", tree{raw: `"command"`}},
		{"command", tree{raw: quote(c.command())}},
	}
	if c.agent.Hooks.Exec {
		members = append(members, item{"args", c.list()})
	}
	if c.agent.Hooks.Named {
		members = append(members, item{"name", tree{raw: quote(handlerName)}})
	}
	if c.agent.Hooks.Millis {
		timeout *= 1000
	}
	members = append(members, item{"timeout", tree{raw: strconv.Itoa(timeout)}})
	list := tree{open: "[", items: []item{{"", tree{open: "{", items: members}}}}
	return tree{open: "{", items: []item{{"hooks", list}}}
}

// call is how an agent's settings call the hook.
type call struct {
	agent   Agent
	path    string   // of the executable
	folders []string // project.FolderArgs
	event   string   // for an agent whose payloads do not name it
}

// of is the call at an event.
func (c call) of(event string) call {
	if c.agent.Hooks.EventArg {
		c.event = event
	}
	return c
}

// args are the arguments of the executable.
func (c call) args() []string {
	args := []string{c.agent.Name}
	if c.event != "" {
		args = append(args, c.event)
	}
	return append(args, c.folders...)
}

// list is args as JSON.
func (c call) list() tree {
	t := tree{open: "["}
	for _, arg := range c.args() {
		t.items = append(t.items, item{"", tree{raw: quote(arg)}})
	}
	return t
}

// command is the value of a handler's "command": the executable, or the command line for a shell.
func (c call) command() string {
	if c.agent.Hooks.Exec {
		return c.path
	}
	return c.line()
}

func (c call) line() string { return c.lineFor(runtime.GOOS == "windows") }

// lineFor is the command line on Windows or elsewhere. Without a guard, it is not known whether an agent there runs cmd or
// PowerShell.
func (c call) lineFor(windows bool) string {
	switch {
	case c.agent.Hooks.MissingBlocks && windows:
		return powershellGuard.around(c.powerShell())
	case c.agent.Hooks.MissingBlocks:
		return shGuard.around(c.bare(false))
	case windows:
		return windowsQuote(c.path) + strings.TrimPrefix(c.bare(true), shellQuote(c.path))
	}
	return c.bare(false)
}

// bare is the line without a guard.
func (c call) bare(windows bool) string {
	line := shellQuote(c.path)
	for _, arg := range c.args() {
		line += " " + argQuote(arg, windows)
	}
	return line
}

// argQuote writes an argument as one word of the user's shell: on Windows of cmd and PowerShell, which both know double
// quotes, and in which the forward slashes of a folder need none.
func argQuote(s string, windows bool) string {
	quoted := shellQuote(s)
	if windows && quoted != s && !strings.ContainsAny(s, "\\`\"$%") {
		return `"` + s + `"`
	}
	return quoted
}

// windowsQuote writes the path of a program as one word of cmd and, if it has no blank or the like, of PowerShell too. For
// cmd, apostrophes quote nothing; for PowerShell, a line that begins with a quoted word is no command.
func windowsQuote(path string) string {
	if strings.ContainsAny(path, " \t&|<>^()%!'`$,;=@{}[]~#") {
		return `"` + path + `"`
	}
	return path
}

// shellQuote writes s as one word of a POSIX shell and of fish. Codex's hook trust covers its result, so the result
// must never change for the same s.
func shellQuote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+@%:,", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// shellWords splits a command line of plain and quoted words of this system's shells.
func shellWords(line string) (words []string, ok bool) {
	return splitWords(line, runtime.GOOS == "windows")
}

// splitWords is not ok if a shell would act on anything in the line (variables, pipes, assignments …): then it is
// somebody's script. On Windows a backslash is part of a path, and an apostrophe in apostrophes is doubled.
func splitWords(line string, windows bool) (words []string, ok bool) {
	var word strings.Builder
	in := false
	end := func() {
		if in {
			words = append(words, word.String())
		}
		in = false
		word.Reset()
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == ' ' || c == '\t':
			end()
		case c == '\'':
			n := strings.IndexByte(line[i+1:], '\'')
			if n < 0 {
				return nil, false
			}
			word.WriteString(line[i+1 : i+1+n])
			in, i = true, i+1+n
			if windows && strings.HasPrefix(line[i+1:], "'") {
				word.WriteByte('\'')
			}
		case c == '"':
			n := strings.IndexByte(line[i+1:], '"')
			if n < 0 || strings.IndexByte(line[i+1:i+1+n], '`') >= 0 || !windows && strings.IndexByte(line[i+1:i+1+n], '\\') >= 0 {
				return nil, false
			}
			word.WriteString(line[i+1 : i+1+n])
			in, i = true, i+1+n
		case c == '\\' && i+1 < len(line) && !windows:
			i++
			word.WriteByte(line[i])
			in = true
		case strings.IndexByte("|&;<>()`*?[]#=!\n", c) >= 0:
			return nil, false
		default:
			word.WriteByte(c)
			in = true
		}
	}
	end()
	return words, true
}

package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"aburn/internal/agentcli"
)

// The MCP server, as tested with Claude Code 2.1.329 and Codex 0.169.0 (docs/reference/mcp.md).
const (
	ServerName = "aburn" // its name in the agents' settings
	serverName = "aburn" // the executable
	serverArg  = "mcp"
)

// Errors about where the server can be registered.
var (
	ErrNoServer      = errors.New("no " + serverName + " on PATH")
	ErrPassingServer = errors.New(serverName + " is in a folder for temporary files, and settings outlive it")
	ErrNoLocalServer = errors.New("--mcp has no --local: only your own settings and the project's")
	ErrOtherServer   = errors.New(`the MCP server "` + ServerName + `" is somebody else's`)
)

// server is the registration of aburn's MCP server in an agent's file, whose path where returns.
type server struct {
	where func(scope Scope, dir string, env func(string) string) (path, root string, err error)
}

func (s server) path(o Options) (path, root string, err error) { return s.where(o.Scope, o.Dir, o.Env) }

// serverProgram is the executable to register, by the rules of hookPath.
func serverProgram(o Options) (string, error) {
	if o.Scope == Project {
		return serverName, nil
	}
	path := lookPath(serverName, o.Env)
	if path == "" {
		path = o.Self
	}
	if path == "" {
		return "", ErrNoServer
	}
	if path = o.stable(path, serverName); passing(path, o.Env) {
		return "", fmt.Errorf("%w: %s", ErrPassingServer, path)
	}
	return path, nil
}

func (server) ensure(d *document, path string) (*ensurer, error) {
	e := &ensurer{document: d, style: d.style()}
	if d.root.kind != object {
		return nil, d.wrong(d.root, "the file", object)
	}
	entry := item{ServerName, tree{open: "{", lines: true, items: []item{
		{"type", tree{raw: `"stdio"`}}, {"command", tree{raw: quote(path)}}, {"args", tree{open: "[", items: []item{{"", tree{raw: quote(serverArg)}}}}},
	}}}
	servers := d.root.last("mcpServers")
	switch {
	case servers == nil || servers.value.kind == null:
		e.add(d.root, e.put("mcpServers", servers, tree{open: "{", lines: true, items: []item{entry}}))
		return e, nil
	case servers.value.kind != object:
		return nil, d.wrong(servers.value, `"mcpServers"`, object)
	}
	own := servers.value.last(ServerName)
	switch {
	case own == nil:
		e.add(servers.value, []item{entry})
	case !d.isServer(own):
		line, column := place(d.data, own.value.start)
		return nil, fmt.Errorf("%s:%d:%d: %w: %s", d.path, line, column, ErrOtherServer, new(ServerEntry).Runs())
	case d.str(own.under("command")) != path:
		at := own.under("command").value
		e.edits = append(e.edits, edit{at.start, d.text(at.start, at.end), quote(path)})
		e.moved++
	}
	return e, nil
}

// isServer reports whether the member runs aburn's server and nothing else.
func (d *document) isServer(m *member) bool {
	if kind := m.under("type"); kind != nil && d.str(kind) != "stdio" { // such a server is an address, not a program
		return false
	}
	args := m.under("args")
	if args == nil || args.value.kind != array || len(args.value.elems) != 1 || args.value.elems[0].kind != text {
		return false
	}
	arg := args.value.elems[0]
	return isServerProgram(d.str(m.under("command"))) && unquote(d.data[arg.start:arg.end]) == serverArg
}

// isServerProgram reports whether a command is aburn, in any folder.
func isServerProgram(command string) bool {
	name := command[strings.LastIndexAny(command, `/\`)+1:]
	return strings.TrimSuffix(name, ".exe") == serverName
}

func (s server) remove(d *document, was func(string) container, _ bool) []edit {
	r := &remover{document: d, was: was}
	gone := map[int]bool{}
	for i, m := range d.root.members {
		if m.key == "mcpServers" && m.value.kind == object {
			gone[i] = r.close("mcpServers", m.value, len(r.edits), func(i int) bool { return d.ownServer(&m.value.members[i]) })
		}
	}
	return append(r.edits, d.cut(d.root, was("").Inside, func(i int) bool { return gone[i] })...)
}

func (d *document) ownServer(m *member) bool { return m.key == ServerName && d.isServer(m) }

func (server) containers(d *document) []container {
	return d.container(d.container(nil, "", &member{value: d.root}), "mcpServers", d.root.last("mcpServers"))
}

func (server) owns(d *document) bool {
	for _, m := range d.root.members {
		for i := range m.value.members {
			if m.key == "mcpServers" && d.ownServer(&m.value.members[i]) {
				return true
			}
		}
	}
	return false
}

func (server) mentioned(data []byte) bool { return bytes.Contains(data, []byte(serverName)) }

func (server) notes(Options, *document) []string { return nil }

// registrar registers aburn's MCP server with an agent.
type registrar interface {
	// plan adds the registration of the server at path to the change, planRemoval its removal.
	plan(c *Change, o Options, a Agent, path string) error
	planRemoval(c *Change, o Options, a Agent) error
	// list returns the servers named aburn in sessions started in dir.
	list(a Agent, dir string, env func(string) string) []ServerEntry
}

func (c *Change) planServer(o Options) error {
	if o.Scope == Local {
		return ErrNoLocalServer
	}
	path, err := serverProgram(o)
	if err != nil {
		return err
	}
	c.programs = append(c.programs, path)
	for _, a := range o.Agents {
		if a.servers == nil {
			c.Notes = append(c.Notes, a.Title+" is not told about the MCP server: register `"+serverName+" "+serverArg+"` by hand")
			continue
		}
		if err := a.servers.plan(c, o, a, path); err != nil {
			return err
		}
	}
	return nil
}

func (c *Change) planNoServer(o Options) error {
	if o.Scope == Local {
		return ErrNoLocalServer
	}
	for _, a := range o.Agents {
		if a.servers == nil {
			continue
		}
		if err := a.servers.planRemoval(c, o, a); err != nil {
			return err
		}
	}
	return nil
}

// serverFile is a registrar that writes into the agent's own file of MCP servers.
type serverFile server

func (s serverFile) change(a Agent) FileChange {
	return FileChange{Agent: a, Server: true, what: server(s)}
}

func (s serverFile) plan(c *Change, o Options, a Agent, path string) error {
	f, err := planInstall(o, s.change(a), path)
	if err == nil {
		c.Files = append(c.Files, f)
	}
	return err
}

func (s serverFile) planRemoval(c *Change, o Options, a Agent) error {
	f, err := planUninstall(o, s.change(a))
	if err == nil {
		c.Files = append(c.Files, f)
	}
	return err
}

func (s serverFile) list(_ Agent, dir string, env func(string) string) (out []ServerEntry) {
	for _, scope := range []Scope{User, Project} {
		path, root, err := s.where(scope, dir, env)
		if err != nil {
			continue // no project here, or no home
		}
		if e, found := readServer(path, root); found {
			e.Scope = scope
			out = append(out, e)
		}
	}
	return out
}

// remainingServers names registrations of the server that an uninstall without --mcp leaves.
func (o Options) remainingServers() (out []string) {
	for _, a := range o.Agents {
		for _, s := range Servers(a, o.Dir, o.Env) {
			if s.Ours && s.Scope == o.Scope {
				out = append(out, fmt.Sprintf("%s still starts aburn's MCP server, which %s registers: uninstall-hooks --mcp removes it too", a.Title, s.Path))
			}
		}
	}
	return out
}

// ServerEntry is an MCP server named aburn in an agent's file.
type ServerEntry struct {
	Scope   Scope
	Path    string // of the file
	Line    int    // in the file, from 1; 0 if unknown
	Command string // the executable, as written
	Ours    bool   // the entry runs aburn's server
	Err     error  // the file cannot be read; the other fields are empty
}

// Runs says how a server differs from aburn's, for an error message.
func (s *ServerEntry) Runs() string {
	if s.Command == "" || isServerProgram(s.Command) {
		return "it does not run " + serverName + " " + serverArg
	}
	return "it runs " + s.Command
}

// Program returns the entry's executable; "" if it does not exist.
func (s *ServerEntry) Program(env func(string) string) string {
	if !filepath.IsAbs(s.Command) {
		return lookPath(s.Command, env)
	}
	return programIn(filepath.Dir(s.Command), filepath.Base(s.Command))
}

// Servers returns the MCP servers named aburn in the agent's sessions started in dir. It changes nothing.
func Servers(a Agent, dir string, env func(string) string) []ServerEntry {
	if a.servers == nil {
		return nil
	}
	return a.servers.list(a, dir, env)
}

// readServer reads the entry in one file. It reports whether there is one, or may be one in an unreadable file.
func readServer(path, root string) (ServerEntry, bool) {
	s := ServerEntry{Path: path}
	t, err := readTarget(path, root)
	if err != nil {
		s.Err = err
		return s, true
	}
	if !t.exists || !(server{}).mentioned(t.data) {
		return s, false
	}
	d, err := parse(path, t.data)
	if err != nil {
		s.Err = err
		return s, true
	}
	own := d.root.last("mcpServers").under(ServerName)
	if own == nil {
		return s, false
	}
	s.Command, s.Ours = d.str(own.under("command")), d.isServer(own)
	s.Line, _ = place(d.data, own.keyStart)
	return s, true
}

// Command is a command of an agent that changes a settings file which only the agent writes. It need not keep the
// file's other bytes.
type Command struct {
	Agent   *agentcli.Agent
	Program string   // path of the executable
	Args    []string // of it
}

// String returns the command as a person would type it.
func (c *Command) String() string {
	words := []string{c.Agent.Program}
	quoted := shellQuote
	if runtime.GOOS == "windows" {
		quoted = windowsQuote
	}
	for _, a := range c.Args {
		words = append(words, quoted(a))
	}
	return strings.Join(words, " ")
}

// commandDeadline ends a program that hangs.
const commandDeadline = 30 * time.Second

// Run runs the command. The error contains its output.
func (c *Command) Run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, commandDeadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Program, c.Args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", c, err, strings.TrimSpace(string(out)))
	}
	return nil
}

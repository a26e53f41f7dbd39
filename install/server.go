package install

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// The MCP server: where agents register it, established with Claude Code 2.1.329 and Codex 0.169.0 (docs/guide/mcp.md).
const (
	ServerName = "aburn" // under which the agents know it
	serverName = "aburn" // the executable
	serverArg  = "mcp"
)

// Errors about where the server can be registered.
var (
	ErrNoServer      = errors.New("no " + serverName + " on PATH")
	ErrPassingServer = errors.New(serverName + " lies in a folder for temporary files, and settings outlive it")
	ErrNoLocalServer = errors.New("--mcp has no --local: only your own settings and the project's")
	ErrOtherServer   = errors.New(`the MCP server "` + ServerName + `" is somebody else's`)
)

// server is the registration of aburn's MCP server in a file of the agent's, at the place that where says.
type server struct {
	where func(scope Scope, dir string, env func(string) string) (path, root string, err error)
}

func (s server) path(o Options) (path, root string, err error) { return s.where(o.Scope, o.Dir, o.Env) }

// serverProgram decides what the registration calls, as hookPath does for hooks.
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
	if passing(path, o.Env) {
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

// isServer says that the member runs aburn's server and nothing else.
func (d *document) isServer(m *member) bool {
	if kind := m.under("type"); kind != nil && d.str(kind) != "stdio" { // then the client asks an address, and runs nothing
		return false
	}
	args := m.under("args")
	if args == nil || args.value.kind != array || len(args.value.elems) != 1 || args.value.elems[0].kind != text {
		return false
	}
	arg := args.value.elems[0]
	return isServerProgram(d.str(m.under("command"))) && unquote(d.data[arg.start:arg.end]) == serverArg
}

// isServerProgram says whether a command is the executable, wherever it lies.
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

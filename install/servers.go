package install

import (
	"fmt"
	"path/filepath"
)

// registrar is how an agent learns of aburn's MCP server.
type registrar interface {
	// plan adds to the change what registers the server at path, planRemoval what takes it out again.
	plan(c *Change, o Options, a Agent, path string) error
	planRemoval(c *Change, o Options, a Agent) error
	// list are the servers of aburn's name that the agent knows for sessions started in dir.
	list(a Agent, dir string, env func(string) string) []ServerEntry
}

// planServer adds to the change what registers the server with the agents.
func (c *Change) planServer(o Options) error {
	if o.Scope == Local {
		return ErrNoLocalServer
	}
	path, err := serverProgram(o)
	if err != nil {
		return err
	}
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

// planNoServer adds to the change what takes the registrations out again.
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

// remainingServers says what still starts the server after an uninstall of the hooks of one scope alone.
func (o Options) remainingServers() (out []string) {
	for _, a := range o.Agents {
		for _, s := range Servers(a, o.Dir, o.Env) {
			if s.Ours && s.Scope == o.Scope {
				out = append(out, fmt.Sprintf("%s still starts aburn's MCP server, which %s registers: uninstall-hooks --mcp takes it out too", a.Title, s.Path))
			}
		}
	}
	return out
}

// ServerEntry is an MCP server of aburn's name in a file of an agent's.
type ServerEntry struct {
	Scope   Scope
	Path    string // of the file
	Line    int    // in it, from 1; 0 where it is not known
	Command string // the executable, as written
	Ours    bool   // it is aburn's server
	Err     error  // the file cannot be read, and nothing else is known
}

// Runs says what a server that is not aburn's runs, as far as that tells it from aburn's.
func (s *ServerEntry) Runs() string {
	if s.Command == "" || isServerProgram(s.Command) {
		return "it does not run " + serverName + " " + serverArg
	}
	return "it runs " + s.Command
}

// Program is the executable that the entry runs, "" if it is not there.
func (s *ServerEntry) Program(env func(string) string) string {
	if !filepath.IsAbs(s.Command) {
		return lookPath(s.Command, env)
	}
	return programIn(filepath.Dir(s.Command), filepath.Base(s.Command))
}

// Servers are the MCP servers of aburn's name that the agent knows for sessions started in dir. Nothing is changed.
func Servers(a Agent, dir string, env func(string) string) []ServerEntry {
	if a.servers == nil {
		return nil
	}
	return a.servers.list(a, dir, env)
}

// readServer reads the entry in one file, and reports whether there is one, or may be.
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

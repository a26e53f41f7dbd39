package install

import (
	"errors"
	"fmt"
	"path/filepath"
)

// serverFile is the file that holds Claude Code's registration.
func serverFile() FileChange { return FileChange{Agent: Claude, Server: true, what: server{}} }

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
		switch {
		case a == Claude:
			f, err := planInstall(o, serverFile(), path)
			if err != nil {
				return err
			}
			c.Files = append(c.Files, f)
		case o.Scope == Project:
			c.Notes = append(c.Notes, "Codex has no MCP servers of a project's: it is registered with --user only")
		default:
			c.Codex, err = planCodexServer(o, path)
			if err := c.withoutCodex(o, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// withoutCodex makes a note of a Codex that is not there, unless it is what was asked for.
func (c *Change) withoutCodex(o Options, err error) error {
	if !errors.Is(err, ErrNoCodex) || len(o.Agents) == 1 {
		return err
	}
	c.Notes = append(c.Notes, err.Error()+": it is not told about the MCP server")
	return nil
}

// planNoServer adds to the change what takes the registrations out again.
func (c *Change) planNoServer(o Options) error {
	if o.Scope == Local {
		return ErrNoLocalServer
	}
	for _, a := range o.Agents {
		if a == Claude {
			f, err := planUninstall(o, serverFile())
			if err != nil {
				return err
			}
			c.Files = append(c.Files, f)
		} else if o.Scope == User {
			var err error
			c.Codex, err = planNoCodexServer(o)
			if err := c.withoutCodex(o, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// remainingServers says what still starts the server after an uninstall of the hooks of one scope alone.
func (o Options) remainingServers() (out []string) {
	for _, a := range o.Agents {
		for _, s := range Servers(a, o.Dir, o.Env) {
			if s.Ours && s.Scope == o.Scope {
				out = append(out, fmt.Sprintf("%s still starts aburn's MCP server, which %s registers: uninstall-hooks --mcp takes it out too", a.Name(), s.Path))
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
func Servers(a Agent, dir string, env func(string) string) (out []ServerEntry) {
	if a == Codex {
		config := ReadCodexConfig(env)
		if command, known := config.Server(); known {
			out = append(out, ServerEntry{Scope: User, Path: config.Path, Command: command, Ours: config.ownServer()})
		}
		return out
	}
	for _, scope := range []Scope{User, Project} {
		path, root, err := serverPath(scope, dir, env)
		if err != nil {
			continue // no project here, or no home
		}
		if s, found := readServer(path, root); found {
			s.Scope = scope
			out = append(out, s)
		}
	}
	return out
}

// readServer reads the entry in one file of Claude Code's, and reports whether there is one, or may be.
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

package install

import (
	"errors"
	"fmt"
	"strings"

	"aburn/internal/agentcli"
)

// ErrNoCodex says that there is no Codex to be told.
var ErrNoCodex = errors.New("no codex on PATH")

// serverEnv are the variables that say where aburn keeps what it knows. Codex starts servers with an environment of its own, in
// which they are not; those that are set have to be given to it.
func serverEnv() []string {
	return []string{"ABURN_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"}
}

// codexServers is the registrar that tells Codex, whose config.toml is its own business: `codex mcp add` and `codex mcp remove`.
type codexServers struct{}

func (codexServers) plan(c *Change, o Options, a Agent, path string) (err error) {
	if o.Scope == Project {
		c.Notes = append(c.Notes, a.Title+" has no MCP servers of a project's: it is registered with --user only")
		return nil
	}
	c.Tell, err = planCodexServer(o, path)
	return c.withoutCodex(o, err)
}

func (codexServers) planRemoval(c *Change, o Options, _ Agent) (err error) {
	if o.Scope != User {
		return nil
	}
	c.Tell, err = planNoCodexServer(o)
	return c.withoutCodex(o, err)
}

func (codexServers) list(_ Agent, _ string, env func(string) string) (out []ServerEntry) {
	config := ReadCodexConfig(env)
	if command, known := config.Server(); known {
		out = append(out, ServerEntry{Scope: User, Path: config.Path, Command: command, Ours: config.ownServer()})
	}
	return out
}

// withoutCodex makes a note of a Codex that is not there, unless it is what was asked for.
func (c *Change) withoutCodex(o Options, err error) error {
	if !errors.Is(err, ErrNoCodex) || len(o.Agents) == 1 {
		return err
	}
	c.Notes = append(c.Notes, err.Error()+": it is not told about the MCP server")
	return nil
}

// planCodexServer finds out what Codex has to be told so that it runs the server at path; nil for nothing.
func planCodexServer(o Options, path string) (*Command, error) {
	config := ReadCodexConfig(o.Env)
	if config.Err != nil {
		return nil, config.Err
	}
	now, known := config.Server()
	if known && !config.ownServer() {
		return nil, fmt.Errorf("%s: %w: %s", config.Path, ErrOtherServer, (&ServerEntry{Command: now}).Runs())
	}
	args, same := []string{"mcp", "add", ServerName}, now == path
	for _, name := range serverEnv() {
		value := o.Env(name)
		if same = same && config.serverEnv(name) == value; value != "" {
			args = append(args, "--env", name+"="+value)
		}
	}
	if same {
		return nil, nil
	}
	program := lookPath(agentcli.Codex.Program, o.Env)
	if program == "" {
		return nil, ErrNoCodex
	}
	return &Command{&agentcli.Codex, program, append(args, "--", path, serverArg)}, nil
}

// planNoCodexServer is planCodexServer for taking it out.
func planNoCodexServer(o Options) (*Command, error) {
	config := ReadCodexConfig(o.Env)
	if config.Err != nil {
		return nil, config.Err
	}
	if !config.ownServer() {
		return nil, nil
	}
	program := lookPath(agentcli.Codex.Program, o.Env)
	if program == "" {
		return nil, ErrNoCodex
	}
	return &Command{&agentcli.Codex, program, []string{"mcp", "remove", ServerName}}, nil
}

// codexServer is where config.toml describes the MCP server of aburn's name.
const codexServer = "mcp_servers\x00" + ServerName + "\x00"

// Server is the command that Codex runs as its MCP server of aburn's name, "" if it runs none for it or what it runs cannot be
// read, and whether it knows one.
func (c CodexConfig) Server() (command string, known bool) {
	for key := range c.values {
		known = known || strings.HasPrefix(key, codexServer)
	}
	return c.values[codexServer+"command"], known
}

// ownServer says whether Codex's MCP server of aburn's name runs aburn's. Of arguments that are laid out otherwise than Codex does
// that nothing is known, and they are taken for aburn's.
func (c CodexConfig) ownServer() bool {
	switch c.values[codexServer+"args"] {
	case `["` + serverArg + `"]`, "['" + serverArg + "']", "[":
		return isServerProgram(c.values[codexServer+"command"])
	}
	return false
}

func (c CodexConfig) serverEnv(name string) string { return c.values[codexServer+"env\x00"+name] }

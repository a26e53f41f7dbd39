package install

import (
	"errors"
	"fmt"
	"strings"

	"aburn/internal/agentcli"
)

// ErrNoCodex means that Codex, which registers servers itself, is not on PATH.
var ErrNoCodex = errors.New("no codex on PATH")

// serverEnv names the variables that locate aburn's data. Codex starts servers without them, so the registration has to
// contain those that are set.
func serverEnv() []string {
	return []string{"ABURN_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"}
}

// codexServers registers the server through `codex mcp add` and `codex mcp remove`: only Codex writes its config.toml.
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

// withoutCodex turns ErrNoCodex into a note, unless Codex is the only agent asked for.
func (c *Change) withoutCodex(o Options, err error) error {
	if !errors.Is(err, ErrNoCodex) || len(o.Agents) == 1 {
		return err
	}
	c.Notes = append(c.Notes, err.Error()+": the MCP server is not registered there")
	return nil
}

// planCodexServer returns the command that registers the server at path; nil if it is registered.
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

// planNoCodexServer returns the command that removes the registration; nil if there is none.
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

// codexServer is the prefix of the keys of aburn's MCP server in config.toml.
const codexServer = "mcp_servers\x00" + ServerName + "\x00"

// Server returns the command of Codex's MCP server named aburn; "" if it has none or it cannot be read. known reports
// whether Codex has a server of that name.
func (c CodexConfig) Server() (command string, known bool) {
	for key := range c.values {
		known = known || strings.HasPrefix(key, codexServer)
	}
	return c.values[codexServer+"command"], known
}

// ownServer reports whether Codex's MCP server named aburn runs aburn's server. Arguments in another layout than
// Codex's cannot be read and count as aburn's.
func (c CodexConfig) ownServer() bool {
	switch c.values[codexServer+"args"] {
	case `["` + serverArg + `"]`, "['" + serverArg + "']", "[":
		return isServerProgram(c.values[codexServer+"command"])
	}
	return false
}

func (c CodexConfig) serverEnv(name string) string { return c.values[codexServer+"env\x00"+name] }

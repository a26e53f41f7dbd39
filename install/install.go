package install

import (
	"context"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/agentcli"
)

// Scope is the set of sessions that a settings file governs.
type Scope string

// The scopes. Not every agent has all of them.
const (
	User    Scope = "user"    // every session of this user
	Project Scope = "project" // every session of everybody in this project: the file is meant to be committed
	Local   Scope = "local"   // this user's sessions in this project: the file is not committed
)

// Options are what to install or uninstall, and where.
type Options struct {
	Agents   []Agent
	Scope    Scope               // "" means User
	Dir      string              // the folder that the person stands in
	Env      func(string) string // the person's environment
	NoInit   bool                // do not run `aburn init` in the project around Dir
	AllowLog bool                // add the permission rule AllowRule, for agents with permission rules
	MCP      bool                // the MCP server too
	// StatusLine is for agents that have one. PlanUninstall takes it out in any case, and with DropStatus only it.
	StatusLine StatusLine
	Self       string // the running executable: aburn-hook may lie beside it instead of on PATH
	Version    string // of the running executable
}

// AllowRule is the permission rule that lets prompts run `aburn log` unasked, and nothing else.
const AllowRule = "Bash(aburn log:*)"

// Adapter is an agent's record and the code that only its settings need. A nil field is a feature that the agent lacks.
type Adapter struct {
	*agentcli.Agent

	// Examine finds further reasons why the agent does not run the hooks in its settings files.
	Examine func(Exam) []Finding
	// Likely is the agent's own reason why no hook ran in a session; "" for none.
	Likely func(Exam, *Session) string
	// Session adds one record of a session's file to the session. Path is set before the first record.
	Session func(*Session, gjson.Result)
	// Plugins returns the settings of plugins that call aburn's hook in sessions in dir.
	Plugins func(a Agent, dir string, env func(string) string) []Settings

	// TrustsFolder reports whether the user told the agent that it may work in the checkout at root, as it asks at its first
	// start there. Nil if the agent never asks.
	TrustsFolder func(root string, env func(string) string) bool
	// Canary spells the fields of a Claude Code payload as the agent does; nil if it does so too.
	Canary func(fields map[string]any) map[string]any

	// These four are for agents that run only hooks that the user trusts. Trusts reports whether the agent trusts aburn's
	// handlers in s. Trust makes the agent record the user's trust and returns the number of handlers. Review is what the
	// user types in the agent instead. Recorded finds the agent's records of trust in aburn's handlers in s, as they are
	// now; nil for none.
	Trusts   func(s *Settings, env func(string) string) bool
	Trust    func(ctx context.Context, program, dir string) (int, error)
	Review   []string
	Recorded func(s *Settings, env func(string) string) *Forget

	own        ownFile                                                   // nil: the settings file is the user's
	servers    registrar                                                 // of aburn's MCP server
	notes      func(d *document, at func(value, string, ...any))         // reports why a settings file's hooks do not run
	identify   func(d *document, h handler) (trustKey, trustHash string) // under which the agent records its trust in a handler
	rules      bool                                                      // it has permission rules, such as AllowRule
	positional bool                                                      // it identifies a group by its position, so a removed group leaves an empty one
}

// Agent is an agent whose settings this package knows. Each exists once.
type Agent = *Adapter

// Agents lists all agents in display order. Only composition roots call it.
func Agents() []Agent { return []Agent{Claude, Codex, Opencode, Gemini, Qwen, Copilot, Pi} }

// String returns the agent's name, as flags spell it.
func (a *Adapter) String() string { return a.Name }

// Exam is the input of an agent's own examination.
type Exam struct {
	Env  func(string) string
	Own  []*Settings // settings files that call aburn's hook
	Root string      // of the project; "" outside of one
}

// Finding is one result of an examination. One that is neither OK nor Bad is a note.
type Finding struct {
	OK, Bad bool
	Text    string
	Hints   []string
}

// Session is an agent's own record of one session.
type Session struct {
	Path          string
	ID            string
	Cwd           string
	Started, Last time.Time
	Part          bool // a thread that runs under the id of another session
}

// See extends Started and Last to the time of a record.
func (s *Session) See(at time.Time) {
	if s.Started.IsZero() || at.Before(s.Started) {
		s.Started = at
	}
	if at.After(s.Last) {
		s.Last = at
	}
}

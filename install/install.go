// Package install puts aburn's hooks, and its MCP server, into agents' settings files and takes them out again, byte for byte.
//
// Invariants:
//  1. A settings file is never printed anew from a parsed object. Every change is a list of edits, each at a position
//     that this package's own strict scanner reported; the bytes between them are the user's and stay.
//  2. What does not parse, or has another shape than the agent documents, is refused with file, line and column, and no
//     file of the whole operation is touched.
//  3. A file is replaced by a rename of a complete new one in the same folder, after it was read again and found to be
//     what the plan was made from. A kill leaves the old bytes or the new ones.
//  4. Before the rename a record of the install, with a backup, is on disk (record.go), so that no kill leaves hooks in a
//     file that uninstall could not take out exactly.
//
// Race that stays: another program that writes the file in the few microseconds between the comparison and the rename
// loses its write; agents take no lock that one could share.
package install

import (
	"context"
	"time"

	"aburn/internal/agentcli"

	"github.com/tidwall/gjson"
)

// Scope says whose sessions a settings file governs.
type Scope string

// The scopes. Not every agent has all of them.
const (
	User    Scope = "user"    // every session of this user
	Project Scope = "project" // every session of everybody in this project: the file is meant to be committed
	Local   Scope = "local"   // this user's sessions in this project: the file is not committed
)

// Options says what to install, or to uninstall, and where.
type Options struct {
	Agents   []Agent
	Scope    Scope               // "" means User
	Dir      string              // the folder that the person stands in
	Env      func(string) string // the person's environment
	NoInit   bool                // leave out `aburn init` of the project around Dir
	AllowLog bool                // add the permission rule AllowRule, for agents that have such
	MCP      bool                // the MCP server too
	Self     string              // the running executable: aburn-hook is looked for beside it when PATH has none
}

// AllowRule is the permission rule that lets prompts run `aburn log` unasked, and nothing else.
const AllowRule = "Bash(aburn log:*)"

// Adapter is one agent as far as its settings go: its record, and the code that only its settings need. Most agents need
// little of it: what is nil they do not have.
type Adapter struct {
	*agentcli.Agent

	// Examine finds what else keeps the agent from running the hooks that its settings files hold.
	Examine func(Exam) []Finding
	// Likely is why no hook fired in a session, "" if this agent knows no reason of its own.
	Likely func(Exam, *Session) string
	// Session takes what one record of a session's file says about the session. Path is set before the first.
	Session func(*Session, gjson.Result)
	// Plugins are the hooks of the agent's plugins that call aburn's hook in sessions in dir.
	Plugins func(a Agent, dir string, env func(string) string) []Settings

	// Trusts says whether the agent runs aburn's handlers in s, where it runs only what the user has trusted. Trust has it
	// record that the user trusts them, and returns how many; Review is what the user types in it instead. Remembers is the file that keeps such records of the settings
	// file at path, "" if none does.
	Trusts    func(s *Settings, env func(string) string) bool
	Trust     func(ctx context.Context, program, dir string) (int, error)
	Review    []string
	Remembers func(path string, env func(string) string) string

	servers    registrar                                                 // of aburn's MCP server
	notes      func(d *document, at func(value, string, ...any))         // what in a settings file keeps its hooks from running
	identify   func(d *document, h handler) (trustKey, trustHash string) // by which the agent knows a handler
	rules      bool                                                      // it has permission rules, of which AllowRule is one
	positional bool                                                      // it knows a group by its place, which is kept when the group goes
}

// Agent is an agent whose settings this package knows. There is one of each.
type Agent = *Adapter

// Agents lists all of them, in the order in which they are shown. It is for who composes a program.
func Agents() []Agent { return []Agent{Claude, Codex} }

// String is the agent's name, as flags have it.
func (a *Adapter) String() string { return a.Name }

// Exam is what an agent's own examination looks at.
type Exam struct {
	Env  func(string) string
	Own  []*Settings // the files that call aburn's hook
	Root string      // of the project; "" outside of any
}

// Finding is what came of it. One that is neither OK nor Bad is worth knowing.
type Finding struct {
	OK, Bad bool
	Text    string
	Hints   []string
}

// Session is what an agent's own file says about one session.
type Session struct {
	Path          string
	ID            string
	Cwd           string
	Started, Last time.Time
	Part          bool // it is no session of its own, but runs under the id of another
}

// See takes the time of a record.
func (s *Session) See(at time.Time) {
	if s.Started.IsZero() || at.Before(s.Started) {
		s.Started = at
	}
	if at.After(s.Last) {
		s.Last = at
	}
}

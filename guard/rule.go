// Package guard decides whether a call of a tool is one that a person's rules are about. It is a seat belt and no sandbox: it
// reads the text of a call before the call runs, and says what it cannot know. It runs nothing and opens no file; what it needs
// of the moment it asks its Facts.
package guard

import (
	"fmt"
	"slices"
)

// Action is what a rule does about a call, the weakest first.
type Action string

// The actions.
const (
	Note Action = "note" // it is in the log only
	Warn Action = "warn" // the person is notified
	Tell Action = "tell" // the model gets a sentence with the call's result
	Ask  Action = "ask"  // the client asks the person
	Deny Action = "deny" // the call does not run
)

// Actions are all actions, the weakest first.
func Actions() []Action { return []Action{Note, Warn, Tell, Ask, Deny} }

// later are the actions that a later version will have.
var later = map[string]string{
	"snapshot": "aburn can't take a snapshot before a call yet: use ask or deny",
	"stop":     "aburn can't end a session yet: use deny",
}

// Stricter reports whether a does more than b.
func (a Action) Stricter(b Action) bool {
	return slices.Index(Actions(), a) > slices.Index(Actions(), b)
}

// Rule is one rule.
type Rule struct {
	Name string
	Why  string // the reason, for people
	Say  string // what the model or the person reads
	Do   Action
	When []Condition // any of them
	Not  []Condition // exceptions: none of them
	// Opaque: a call of which too little is known counts as a hit.
	Opaque bool

	Pack string // "" if it is not of a pack
	File string // where it is; "" if it is of a pack
	Line int
	// Project: it is of a repository's file, which may only tighten.
	Project bool
}

// FullName is the rule's name with its pack: git/hard-reset.
func (r *Rule) FullName() string {
	if r.Pack != "" {
		return r.Pack + "/" + r.Name
	}
	return r.Name
}

// Condition is what has to be true of a call, all of it. An empty member asks nothing.
type Condition struct {
	Tool      []string // kinds, or the agents' names of tools
	Command   []string // a program and its first operands: "git reset"
	Flags     []string // each has to be there: "-f|--force", "--context=prod*"
	NotFlags  []string // none may be there
	Args      []string // each has to match an operand
	NotArgs   []string // none may match an operand
	AtLeast   int      // so many operands behind the command
	Statement []string // the first words of an SQL statement in the program's arguments or input
	Runs      string   // "download": code that the same line downloads
	Path      []string // of a file that the call reads or writes
	Reads     []string // classes of files, or patterns of paths
	Writes    []string
	Empties   []string
	ForcePush []string // branches
	Branch    []string // that is checked out
	Host      []string
	Server    []string // of an MCP tool
	Cluster   string   // "remote" or "local"
	After     string   // "secret": the same turn has read a secret
	Dirty     *bool
	Pushed    *bool
	Network   *bool
	SubAgent  *bool
	Calls     int // at least, counting this one
	Repeats   int // equal calls with equal results, counting this one
	Failures  int // in a row before this one
	Agents    int // sub-agents, counting this one
	Per       string
}

// OfCounts reports whether the condition counts calls.
func (c *Condition) OfCounts() bool {
	return c.Calls > 0 || c.Repeats > 0 || c.Failures > 0 || c.Agents > 0
}

// OfShell reports whether only a command of a shell can meet the condition.
func (c *Condition) OfShell() bool {
	return len(c.Command)+len(c.Flags)+len(c.NotFlags)+len(c.Args)+len(c.NotArgs)+c.AtLeast+len(c.Statement)+len(c.Runs)+len(c.Empties)+
		len(c.ForcePush)+len(c.Cluster) > 0
}

// Everything reports whether the condition is true of every call of the tools that it names.
func (c *Condition) Everything() bool {
	return !c.OfShell() && !c.OfCounts() && len(c.Path)+len(c.Reads)+len(c.Writes)+len(c.Branch)+len(c.Host)+len(c.Server)+len(c.After) == 0 &&
		c.Dirty == nil && c.Pushed == nil && c.Network == nil && c.SubAgent == nil
}

// Everything reports whether the rule is about every call of a tool.
func (r *Rule) Everything() bool {
	return len(r.Not) == 0 && slices.ContainsFunc(r.When, func(c Condition) bool { return c.Everything() || c.commandOfAll() })
}

// commandOfAll: its only command is a pattern that every program matches.
func (c *Condition) commandOfAll() bool {
	return slices.Contains(c.Command, "*") && len(c.Flags)+len(c.Args)+len(c.Statement)+len(c.Runs)+len(c.Empties)+len(c.ForcePush)+len(c.Cluster) == 0 &&
		len(c.Path)+len(c.Reads)+len(c.Writes) == 0
}

// Problem is a mistake in a file of rules.
type Problem struct {
	File string
	Line int
	Text string
	Fix  string // what to write instead; "" if unknown
}

func (p *Problem) Error() string {
	if p.Line == 0 {
		return p.File + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
}

// Hint is what could be meant.
func (p *Problem) Hint() string { return p.Fix }

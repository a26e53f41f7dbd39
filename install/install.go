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

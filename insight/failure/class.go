// Package failure says which kind of error a text is: the class of a failed call, its first
// decisive line without what varies, and the command that failed. It is pure, reads command lines
// through internal/shell, and knows no agent by name. A change that can class or normalise an
// error otherwise needs a new insight.Version.
package failure

import (
	"slices"
	"strings"
	"sync"

	"aburn/trace"
)

// Class is the kind of an error, named by who has to act on it. The list is open: readers of
// digests treat an unknown class as other.
type Class string

const (
	Network      Class = "network"
	Auth         Class = "auth"
	RateLimit    Class = "rate_limit"
	Permission   Class = "permission"
	NotFound     Class = "not_found"
	EditMismatch Class = "edit_mismatch"
	Syntax       Class = "syntax"
	Type         Class = "type"
	Lint         Class = "lint"
	Test         Class = "test"
	Build        Class = "build"
	Timeout      Class = "timeout"
	OOM          Class = "oom"
	Conflict     Class = "conflict"
	ToolMisuse   Class = "tool_misuse"
	Disk         Class = "disk"
	API          Class = "api"
	Other        Class = "other"
	// Cancelled marks a call that the user, or the end of the program, stopped. It is no failure,
	// so it is in no key.
	Cancelled Class = "cancelled"
)

// Classes lists the classes that an error can have; Cancelled is none of them.
func Classes() []Class {
	return []Class{
		Network, Auth, RateLimit, Permission, NotFound, EditMismatch, Syntax, Type, Lint, Test, Build, Timeout, OOM, Conflict, ToolMisuse, Disk, API, Other,
	}
}

// Failure holds everything that can decide the class of one error.
type Failure struct {
	Type    trace.ToolType
	Tool    string // empty for an error event
	Command string // the command line's head
	Path    string
	Exit    *int
	Denied  string
	Code    string // of an error event: the agent's own word
	Status  int    // of an error event: the HTTP status
	Head    string // as the trace has it
	// Stopped says that the agent's program stopped with this failure: it was killed, interrupted
	// or ended before the agent went on.
	Stopped bool
}

// rule gives errors a class. All its conditions must hold; an unset condition holds.
type rule struct {
	class Class
	types []trace.ToolType // types of the call's tool; notCall means an error event
	runs  []string         // a CommandWord of the line is one of these, or begins with one up to a blank or colon
	only  []string         // so are all of its CommandWords
	line  string           // text within the command line
	exits []int
	// kill says that the rule infers the class from a SIGKILL alone. A program that stops kills its
	// commands, too.
	kill  bool
	codes []int    // HTTP statuses of an error event
	says  []string // one of these phrases stands in the text (see phrase), or …
	http  []int    // … the text mentions one of these HTTP statuses (see statuses), …
	// … unless one of these phrases stands in it.
	unless []string
}

// notCall is the tool type of an error outside of calls.
const notCall trace.ToolType = ""

// Classify returns the class of the first rule that applies, or Other. A refused call is always
// Permission, whatever its text. A command that was killed when the agent's program stopped is
// Cancelled.
func Classify(f Failure) Class {
	if f.Denied != "" {
		return Permission
	}
	if f.Tool == "" {
		f.Type = notCall
	}
	var buf [maxText]byte
	text := f.Head
	if f.Code != "" {
		text = f.Code + " " + text
	}
	p := compiled()
	low := lower(buf[:0], text)
	var matches found
	p.find(low, &matches)
	status := statuses(low)
	programs := sync.OnceValue(func() []string {
		if f.Type != trace.ShellTool {
			return nil
		}
		return commandWords(f.Command)
	})
	for i, r := range p.rules {
		if (matches.said[i] || r.says == nil && r.http == nil || r.hasStatus(status)) && !matches.unless[i] && r.fits(&f, programs) {
			if r.kill && f.Stopped {
				return Cancelled
			}
			return r.class
		}
	}
	return Other
}

func (r *rule) hasStatus(statuses [4]int) bool {
	return r.http != nil && slices.ContainsFunc(statuses[:], func(n int) bool { return slices.Contains(r.http, n) })
}

// fits reports whether all conditions but the phrases hold.
func (r *rule) fits(f *Failure, programs func() []string) bool {
	switch {
	case r.types != nil && !slices.Contains(r.types, f.Type):
	case r.exits != nil && (f.Exit == nil || !slices.Contains(r.exits, *f.Exit)):
	case r.codes != nil && !slices.Contains(r.codes, f.Status):
	case r.runs != nil && !slices.ContainsFunc(programs(), named(r.runs)):
	case r.only != nil && (len(programs()) == 0 || slices.ContainsFunc(programs(), func(p string) bool { return !named(r.only)(p) })):
	case !strings.Contains(f.Command, r.line):
	default:
		return true
	}
	return false
}

// named returns a test for programs that have one of these names, alone or before a blank or
// colon.
func named(names []string) func(program string) bool {
	return func(program string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			rest, ok := strings.CutPrefix(program, name)
			return ok && (rest == "" || rest[0] == ' ' || rest[0] == ':')
		})
	}
}

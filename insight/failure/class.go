package failure

import (
	"slices"
	"strings"
	"sync"

	"aburn/trace"
)

// Class is the kind of an error, from the point of view of who has to do something about it. The list is open: a reader of
// digests takes a class that it does not know as other.
type Class string

// The classes.
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
	// Cancelled is a call that was stopped by the user, or by the end of the program. Nothing was wrong with it: it is in no key.
	Cancelled Class = "cancelled"
)

// Classes is those that an error can have.
func Classes() []Class {
	return []Class{
		Network, Auth, RateLimit, Permission, NotFound, EditMismatch, Syntax, Type, Lint, Test, Build, Timeout, OOM, Conflict, ToolMisuse, Disk, API, Other,
	}
}

// Failure is what is known about one error, all that its class may be told from.
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
}

// rule says which class an error has. All of its conditions must hold; a condition that is not set does.
type rule struct {
	class Class
	types []trace.ToolType // what the call's tool does; notCall is an error event
	runs  []string         // one of the command line's programs, as CommandWord has them, or the beginning of one up to a blank
	only  []string         // all of its programs are among these
	line  string           // what stands in the command line
	exits []int
	codes []int    // HTTP statuses that an error event has
	says  []string // one of these phrases stands in the text (see phrase), or
	http  []int    // the text tells one of these HTTP statuses (see statuses)
	// unless one of these phrases stands in it.
	unless []string
}

// notCall is the type of an error that is none of a call.
const notCall trace.ToolType = ""

// Classify says which class an error has, by the first rule that fits; Other if none does. What was refused is permission,
// whatever the text says.
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
	var told found
	p.find(low, &told)
	status := statuses(low)
	programs := sync.OnceValue(func() []string {
		if f.Type != trace.ShellTool {
			return nil
		}
		return commandWords(f.Command)
	})
	for i, r := range p.rules {
		if (told.said[i] || r.says == nil && r.http == nil || r.tells(status)) && !told.unless[i] && r.fits(&f, programs) {
			return r.class
		}
	}
	return Other
}

// tells says whether one of the statuses is one of the rule's.
func (r *rule) tells(statuses [4]int) bool {
	return r.http != nil && slices.ContainsFunc(statuses[:], func(n int) bool { return slices.Contains(r.http, n) })
}

// fits says whether all conditions but the phrases hold.
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

// named says of a program whether it is one of these.
func named(names []string) func(program string) bool {
	return func(program string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			rest, ok := strings.CutPrefix(program, name)
			return ok && (rest == "" || rest[0] == ' ' || rest[0] == ':')
		})
	}
}

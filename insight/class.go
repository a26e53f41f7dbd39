package insight

import "aburn/trace"

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
)

// Failure is what is known about one error, all that its class may be told from.
type Failure struct {
	Type    trace.ToolType
	Tool    string
	Command string // the command line's head
	Path    string
	Exit    *int
	Denied  string
	Code    string // of an error event: the agent's own word
	Status  int    // of an error event: the HTTP status
	Head    string // as the trace has it
}

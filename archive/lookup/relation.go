package lookup

import (
	"aburn/trace"
)

// RelationSign is how a session came to be, in one character; "" for a root.
func RelationSign(r trace.Relation) string {
	switch r {
	case trace.Subagent:
		return "↳"
	case trace.Fork:
		return "↗"
	case trace.Continuation:
		return "→"
	}
	return ""
}

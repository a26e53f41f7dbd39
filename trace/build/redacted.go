package build

import (
	"strings"

	"aburn/trace"
)

// redacted counts the markers that stand in a trace.
func redacted(t *trace.SessionTrace) int {
	n := 0
	count := func(texts ...string) {
		for _, s := range texts {
			n += strings.Count(s, "[redacted:")
		}
	}
	for i := range t.Events {
		switch b := t.Events[i].Body.(type) {
		case *trace.UserMessage:
			count(b.Head)
		case *trace.ToolCall:
			count(b.Head, b.Path)
		case *trace.FileChange:
			count(b.Path, b.From)
		case *trace.Error:
			count(b.Head)
		case *trace.SubagentSpawn:
			count(b.Description)
		}
	}
	for i := range t.Results {
		count(t.Results[i].Head)
	}
	return n
}

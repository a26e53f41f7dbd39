package draft

import (
	"strings"

	"aburn/trace"
)

// marker begins what the scrubber puts in a secret's place.
const marker = "[redacted:"

// redacted counts the markers that stand in a trace.
func redacted(t *trace.SessionTrace) int {
	n := 0
	count := func(texts ...string) {
		for _, s := range texts {
			if len(s) > len(marker) {
				n += strings.Count(s, marker)
			}
		}
	}
	for i := range t.Events {
		switch b := t.Events[i].Body.(type) {
		case *trace.UserMessage:
			count(b.Head, b.Command)
		case *trace.ToolCall:
			count(b.Tool, b.Head, b.Path)
		case *trace.FileChange:
			count(b.Path, b.From)
		case *trace.Error:
			count(b.Code, b.Head)
		case *trace.Interrupt:
			count(b.Reason)
		case *trace.SubagentSpawn:
			count(b.AgentType, b.Description)
		case *trace.Session:
			count(b.Detail, b.Model, b.Command, b.Phase)
		}
	}
	for i := range t.Results {
		count(t.Results[i].Head)
	}
	for i := range t.Relationships {
		count(t.Relationships[i].AgentType, t.Relationships[i].Description)
	}
	return n
}

//go:build agents

package realagents

import (
	"slices"
	"strings"
)

// codexCalls reads every rollout of Codex in this home. What a call did is told by its completed item; a call without one
// (denied, a patch that does not apply) by the text of its output. exec_command's item may come much later than its first
// output, which then says that the process still runs.
func (w *world) codexCalls() []call {
	w.Helper()
	var calls []call
	for _, path := range w.glob(".codex/sessions/*/*/*/*.jsonl") {
		calls = append(calls, w.rolloutCalls(path)...)
	}
	return calls
}

func (w *world) rolloutCalls(path string) []call {
	w.Helper()
	records := w.lines(path)
	meta := records[0].Get("payload")
	session, agent := meta.Get("session_id").String(), ""
	if thread := meta.Get("id").String(); thread != session {
		agent = thread
	}
	own := meta.Get("subagent_history_start_ordinal").Int() // a child with its parent's history repeats the parent's records first
	var calls []call
	at := map[string]int{}
	add := func(id, tool string) int {
		if i, ok := at[id]; ok {
			return i
		}
		at[id] = len(calls)
		calls = append(calls, call{ID: id, Session: session, Agent: agent, Tool: tool})
		return len(calls) - 1
	}
	for _, record := range records {
		if record.Get("ordinal").Int() < own {
			continue
		}
		p := record.Get("payload")
		switch record.Get("type").String() + "/" + p.Get("type").String() {
		case "response_item/function_call", "response_item/custom_tool_call":
			name := p.Get("name").String()
			i := add(p.Get("call_id").String(), name)
			if name == "write_stdin" || name == "exec" {
				calls[i].Tool = "" // belongs to another call; is only the JavaScript frame of the calls in it
			}
		case "response_item/function_call_output", "response_item/custom_tool_call_output":
			i, text := at[p.Get("call_id").String()], p.Get("output").String()
			switch {
			case strings.HasPrefix(text, "unsupported call"), strings.Contains(text, "failed to parse function arguments"):
				calls[i].Tool = "" // not taken: no hook fires
			case calls[i].End == "":
				calls[i].End = outputEnd(text)
			}
		case "event_msg/item_completed":
			item := p.Get("item")
			switch item.Get("type").String() {
			case "CommandExecution":
				c := &calls[add(item.Get("id").String(), "exec_command")]
				c.End = itemEnd(item.Get("status").String())
				if code := item.Get("exit_code"); code.Int() >= 0 {
					c.Exit = code.String() // -1 is a killed command, whose item may come after the hook
				}
			case "FileChange", "McpToolCall":
				calls[add(item.Get("id").String(), item.Get("type").String())].End = itemEnd(item.Get("status").String())
			}
		}
	}
	return slices.DeleteFunc(calls, func(c call) bool { return c.Tool == "" })
}

func itemEnd(status string) string {
	if status == "completed" {
		return "TOOL"
	}
	return "TOOL_FAILED"
}

// outputEnd reads the end from the text that the model gets.
func outputEnd(text string) string {
	switch {
	case strings.Contains(text, "Process running with session ID"):
		return "" // the item will tell
	case strings.HasPrefix(text, "Command blocked"), strings.Contains(text, "rejected"):
		return "TOOL_DENIED"
	case strings.Contains(text, "aborted by user"):
		return aborted
	case strings.Contains(text, "verification failed"), strings.Contains(text, "failed"):
		return "TOOL_FAILED"
	}
	return "TOOL"
}

package gemini

import (
	"strconv"
	"strings"

	"aburn/trace"
	"aburn/trace/genai"
)

// judge reads a call's record. It returns false for a call that waits, which has no result.
func judge(t trace.ToolType, x tool, text string) (trace.ToolResultEvent, bool) {
	var j genai.Result
	switch x.status {
	case "success":
		j = verdict(t, text, x.display)
	case "error":
		j.Fail(trace.StatusErrored)
		j.Denied = denial(text)
	case "cancelled":
		j.Status = trace.StatusCancelled
		if strings.Contains(text, "did not allow") || strings.Contains(text, "User denied") {
			j.Fail(trace.StatusCancelled)
			j.Denied = "user"
		}
	case "executing":
		j.Status = trace.StatusRunning
	case "validating", "scheduled", "awaiting_approval":
		return j.ToolResultEvent, false
	default:
		j.Status = trace.StatusUnknown
	}
	return j.ToolResultEvent, true
}

// denial says who refused a call that ended in this error, "" if nobody did.
func denial(text string) string {
	switch {
	case strings.HasPrefix(text, "Tool execution denied by policy"):
		return "rule"
	case strings.HasPrefix(text, "Tool execution blocked:"), strings.HasPrefix(text, "Agent execution stopped by hook"):
		return "hook"
	}
	return ""
}

// verdict judges a call that the agent calls a success, as it also does with failed commands and with sub-agents that
// gave up.
func verdict(t trace.ToolType, text string, display value) genai.Result {
	j := genai.Result{ToolResultEvent: trace.ToolResultEvent{Status: trace.StatusCompleted}}
	switch t {
	case trace.ShellTool:
		shell(&j, text, display.Str())
	case trace.AgentTool:
		word := display.Get("terminateReason").Str()
		if _, rest, ok := strings.Cut(text, "\nTermination Reason: "); ok && word == "" {
			word, _, _ = strings.Cut(rest, "\n")
		}
		if word != "" && word != "GOAL" {
			j.Status = trace.StatusErrored
		}
		if word == "ABORTED" {
			j.Status = trace.StatusCancelled
		}
	}
	return j
}

// shell reads what the agent writes about a command to the model: its output, then lines about its end.
func shell(j *genai.Result, text, shown string) {
	text = strings.TrimPrefix(text, "<untrusted_context>\n")
	switch {
	case strings.HasPrefix(text, "Command was cancelled by user"):
		j.Status = trace.StatusCancelled
		return
	case strings.HasPrefix(text, "Command was automatically cancelled"): // its time limit
		j.Status = trace.StatusErrored
		return
	case strings.HasPrefix(text, "Command moved to background"):
		j.Status = trace.StatusRunning
		return
	}
	text = strings.TrimSuffix(text, "\n</untrusted_context>")
	if shown != "" { // skip the output, which could look like the agent's lines
		text = strings.TrimPrefix(text, "Output: "+shown)
	}
	for text != "" {
		at := strings.LastIndexByte(text, '\n')
		key, value, ok := strings.Cut(text[at+1:], ": ")
		switch {
		case ok && (key == "Process Group PGID" || key == "Background PIDs" || key == "Error" && value == "(none)"):
		case ok && key == "Signal":
			if value != "(none)" && value != "0" {
				j.Status = trace.StatusErrored
			}
		case ok && key == "Exit Code":
			if code, err := strconv.Atoi(value); err == nil {
				j.Exit(code)
			}
			return
		default:
			return
		}
		text = text[:max(at, 0)]
	}
}

// output returns the text of a result: what the tool gave to the model, or its error.
func output(result value) string {
	var text strings.Builder
	take := func(part value) {
		response := part.Get("functionResponse").Get("response")
		if !response.Exists() {
			response = part.Get("response")
		}
		switch {
		case part.IsString():
			text.WriteString(part.Str())
		case response.Exists():
			said, _ := genai.Said(response)
			text.WriteString(said)
		default:
			text.WriteString(part.Get("text").Str())
		}
	}
	if result.IsArray() {
		result.Each(take)
	} else {
		take(result)
	}
	return text.String()
}

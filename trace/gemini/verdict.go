package gemini

import (
	"strconv"
	"strings"

	"aburn/trace"
)

// judged is a result being worked out.
type judged struct{ trace.ToolResultEvent }

// fail notes that the source itself calls the result an error.
func (j *judged) fail(status trace.Status) {
	yes := true
	j.Status, j.IsError = status, &yes
}

// judge reads a call's record. It returns false for a call that waits, which has no result.
func judge(t trace.ToolType, x tool, text string) (trace.ToolResultEvent, bool) {
	var j judged
	switch x.status {
	case "success":
		j = verdict(t, text, x.display)
	case "error":
		j.fail(trace.StatusErrored)
		j.Denied = denial(text)
	case "cancelled":
		j.Status = trace.StatusCancelled
		if strings.Contains(text, "did not allow") || strings.Contains(text, "User denied") {
			j.fail(trace.StatusCancelled)
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
func verdict(t trace.ToolType, text string, display value) judged {
	j := judged{trace.ToolResultEvent{Status: trace.StatusCompleted}}
	switch t {
	case trace.ShellTool:
		j.shell(text, display.str())
	case trace.AgentTool:
		word := display.get("terminateReason").str()
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
func (j *judged) shell(text, shown string) {
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
				j.ExitCode = &code
				if code != 0 {
					j.Status = trace.StatusErrored
				}
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
		response := part.get("functionResponse").get("response")
		if !response.exists() {
			response = part.get("response")
		}
		said, failed := response.get("output"), response.get("error")
		switch {
		case part.isString():
			text.WriteString(part.str())
		case failed.isString():
			text.WriteString(failed.str())
		case failed.exists():
			text.Write(failed)
		case said.isString():
			text.WriteString(said.str())
		case said.exists():
			text.Write(said)
		case response.exists():
			text.Write(response)
		default:
			text.WriteString(part.get("text").str())
		}
	}
	if result.isArray() {
		result.each(take)
	} else {
		take(result)
	}
	return text.String()
}

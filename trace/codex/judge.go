package codex

import (
	"strconv"
	"strings"

	"aburn/internal/jsonl"
	"aburn/trace"
)

// verdict is what the text of an output says about its call.
type verdict struct {
	status  trace.Status
	isError *bool
	exit    *int
	denied  string
	ran     bool // the call was taken: the text says how a process or code stands
	// process and cell name where a yielded call continues.
	process, cell string
}

// headLines is the number of lines in which a text can say how a call ended, before the command's own output.
const headLines = 6

// judge reads the beginning of an output. The client writes the first lines of a command's output, and has fixed
// sentences for calls that did not run. What a command printed proves nothing.
func judge(tool, text string) verdict {
	if code, ok := metadataCode(text); ok {
		return ended(code)
	}
	if status, ok := scriptStatus(tool, text); ok {
		return status
	}
	rest := text
	for range headLines {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		switch {
		case strings.HasPrefix(line, "aborted by user"):
			return verdict{status: trace.StatusCancelled}
		case strings.HasPrefix(line, "Process running with session ID "):
			return verdict{status: trace.StatusRunning, ran: true,
				process: strings.TrimPrefix(line, "Process running with session ID ")}
		case strings.HasPrefix(line, "Process exited with code "), strings.HasPrefix(line, "Exit code: "):
			if code, err := strconv.Atoi(line[strings.LastIndexByte(line, ' ')+1:]); err == nil {
				return ended(code)
			}
		case line == "Output:" || rest == "":
			return refused(tool, text, rest)
		}
	}
	return refused(tool, text, rest)
}

// ended is the verdict on a process with this exit code.
func ended(code int) verdict {
	is := code != 0
	v := verdict{status: trace.StatusCompleted, isError: &is, exit: &code, ran: true}
	if is {
		v.status = trace.StatusErrored
	}
	return v
}

// metadataCode returns the exit code in older clients' outputs: {"output": …, "metadata": {"exit_code": 0, …}}.
func metadataCode(text string) (code int, ok bool) {
	if !strings.HasPrefix(text, `{"output":`) && !strings.HasPrefix(text, `{"metadata":`) {
		return 0, false
	}
	jsonl.Members([]byte(text), func(key, value []byte) bool {
		if string(key) != "metadata" {
			return true
		}
		jsonl.Members(value, func(key, value []byte) bool {
			if string(key) == "exit_code" {
				n, whole := jsonl.Int(value)
				code, ok = int(n), whole
			}
			return !ok
		})
		return false
	})
	return code, ok
}

// scriptStatus is the verdict on code.
func scriptStatus(tool, text string) (verdict, bool) {
	if tool != codeTool && tool != waitTool {
		return verdict{}, false
	}
	line, _, _ := strings.Cut(text, "\n")
	no, yes := false, true
	switch {
	case line == "Script completed":
		return verdict{status: trace.StatusCompleted, isError: &no, ran: true}, true
	case line == "Script failed":
		return verdict{status: trace.StatusErrored, isError: &yes, ran: true}, true
	case strings.HasPrefix(line, "Script terminated"):
		return verdict{status: trace.StatusCancelled, ran: true}, true
	case strings.HasPrefix(line, "Script running with cell ID "):
		return verdict{status: trace.StatusRunning, ran: true,
			cell: strings.TrimPrefix(line, "Script running with cell ID ")}, true
	}
	return verdict{}, false
}

// denials are the client's sentences for a refused call, and who refused it. For commands and patches the sentence can
// stand anywhere in the text, which begins with what was refused.
var denials = []struct{ text, by string }{
	{"Command blocked by PreToolUse hook", "hook"},
	{"Tool call blocked by PreToolUse hook", "hook"},
	{"rejected by user", "user"},
	{"user rejected MCP tool call", "user"},
	{"user cancelled MCP tool call", "user"},
	{"rejected: policy forbids", "rule"},
	{"rejected: blocked by policy", "rule"},
	{"approval policy is Never; reject command", "rule"},
}

// failures are the client's sentences for a call that was not taken, or failed.
var failures = []string{
	"unsupported call: ", "unsupported custom tool call: ", "failed to parse function arguments", "unable to locate image", "apply_patch verification failed",
	"exec_command failed", "write_stdin failed", "execution error", "tool call error", "err: ", "Unknown process id", "collab ", "agent thread limit reached",
	"`justification` requires", "request_user_input is unavailable",
}

// refused is the verdict on a text that does not say how a process ended.
func refused(tool, text, rest string) verdict {
	yes := true
	for _, d := range denials {
		if strings.HasPrefix(text, d.text) || runsShell(tool) && strings.Contains(text, d.text) {
			v := verdict{status: trace.StatusErrored, isError: &yes, denied: d.by}
			if d.by == "user" {
				v.status = trace.StatusCancelled
			}
			return v
		}
	}
	for _, f := range failures {
		if strings.HasPrefix(text, f) {
			return verdict{status: trace.StatusErrored, isError: &yes}
		}
	}
	if runsShell(tool) {
		return shellVerdict(text, rest)
	}
	return verdict{status: trace.StatusCompleted}
}

// shellVerdict is the verdict on a command or patch whose text does not begin with how it ended. It did not run,
// unless the text is that of a patch that the client took out of a command.
func shellVerdict(text, rest string) verdict {
	yes := true
	if strings.HasPrefix(text, "Wall time: ") && rest != "" {
		return judge("", rest)
	}
	if strings.HasPrefix(text, "Success. Updated the following files") {
		return ended(0)
	}
	return verdict{status: trace.StatusErrored, isError: &yes}
}

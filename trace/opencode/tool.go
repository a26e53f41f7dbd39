package opencode

import (
	"bytes"
	"strings"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// tool is a tool part: a call and its result.
type tool struct {
	secrets    *draft.Secrets // of the session
	name, call string
	status     string // pending, running, completed, error
	bad        bool   // it failed, whatever the status says: no such tool, or a timeout
	hasInput   bool   // the input was seen
	input      trace.Digest
	path, head string
	start, end int64
	// Of a call that starts a sub-agent.
	description, agentType string
	child, childState      string
	background             bool
	// Of a call that ended.
	output     trace.Digest // its output, or the text of its error
	outputHead string       // of a failed call
	exit       *int
	aborted    bool // while it ran
	denied     string
	changes    []trace.FileChange
}

// opencode's texts that tell apart the ends which its words "completed" and "error" do not.
const (
	userAborted  = "User aborted the command"
	toolAborted  = "Tool execution aborted"
	userRejected = "The user rejected permission"
	ruleRejected = "The user has specified a rule which prevents"
)

// invalid is the tool that opencode substitutes for one that does not exist.
const invalid = "invalid"

// typeOf classifies opencode's own tools. MCP tools are called SERVER_TOOL, but other tools have such names too.
func typeOf(name string) trace.ToolType {
	switch name {
	case "bash", "shell":
		return trace.ShellTool
	case "read":
		return trace.ReadTool
	case "write", "edit", "multiedit", "patch", "apply_patch":
		return trace.EditTool
	case "grep", "glob", "list", "ls", "codesearch", "lsp":
		return trace.SearchTool
	case "webfetch", "websearch":
		return trace.WebTool
	case "task", "subagent":
		return trace.AgentTool
	case "list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource":
		return trace.MCPTool
	}
	return trace.OtherTool
}

// toolState is the raw state of a tool part.
type toolState struct{ input, output, failure, metadata []byte }

// update reads a newer state of a tool part. The call stays what it was when it got its input; later states add its
// result.
func (t *tool) update(data []byte, dir string) {
	var s toolState
	jsonl.Members(data, func(key, v []byte) bool {
		switch string(key) {
		case "tool":
			t.name = jsonl.Text(v)
		case "callID":
			t.call = jsonl.Text(v)
		case "state":
			s = t.state(v)
		}
		return true
	})
	if t.name == invalid {
		t.bad, t.name = true, text(s.input, "tool")
	}
	if t.status != "pending" && !t.hasInput {
		t.setInput(s.input, dir)
	}
	if typeOf(t.name) == trace.AgentTool {
		if child := text(s.metadata, "sessionId"); child != "" {
			t.child = child
		}
		t.background = isTrue(member(s.metadata, "background"))
	}
	switch t.status {
	case "completed":
		t.completed(s, dir)
	case "error":
		t.failed(s)
	}
}

func (t *tool) state(raw []byte) (s toolState) {
	jsonl.Members(raw, func(key, v []byte) bool {
		switch string(key) {
		case "status":
			t.status = jsonl.Text(v)
		case "input":
			s.input = v
		case "output":
			s.output = v
		case "error":
			s.failure = v
		case "metadata":
			s.metadata = v
		case "time":
			t.start, t.end = number(v, "start"), number(v, "end")
		}
		return true
	})
	return s
}

func (t *tool) setInput(input []byte, dir string) {
	t.hasInput = true
	t.input = draft.Digest(input)
	kind := typeOf(t.name)
	jsonl.Members(input, func(key, v []byte) bool {
		switch string(key) {
		case "filePath", "path":
			t.path = draft.Path(jsonl.Text(v), dir)
		case "command":
			if kind == trace.ShellTool {
				t.head = t.secrets.Head(jsonl.Text(v), trace.CommandHead)
			}
		case "description":
			if kind == trace.AgentTool {
				t.description = t.secrets.Head(jsonl.Text(v), trace.UserHead)
			}
		case "subagent_type", "agent":
			t.agentType = jsonl.Text(v)
		}
		return true
	})
}

// completed reads the end of a call that opencode calls completed, whether or not it went well. metadata.exit is a
// command's exit code, null if it was stopped; then only the text says by whom.
func (t *tool) completed(s toolState, dir string) {
	t.output = draft.DigestText(s.output)
	exit := member(s.metadata, "exit")
	if code, ok := jsonl.Int(exit); ok {
		n := int(code)
		t.exit = &n
	}
	stopped := string(exit) == "null"
	t.aborted = stopped && bytes.Contains(s.output, []byte(userAborted))
	t.bad = t.bad || stopped && !t.aborted
	if t.background || t.child != "" {
		_, t.childState = taskState(jsonl.Text(s.output))
	}
	if t.result() != trace.StatusCompleted {
		t.outputHead = t.secrets.Head(jsonl.Text(s.output), trace.ErrorHead)
		return
	}
	t.changes = changes(t.name, s.input, s.metadata, dir)
}

// failed reads the end of a call whose status is error.
func (t *tool) failed(s toolState) {
	t.output = draft.DigestText(s.failure)
	said := jsonl.Text(s.failure)
	t.outputHead = t.secrets.Head(said, trace.ErrorHead)
	t.aborted = said == toolAborted || isTrue(member(s.metadata, "interrupted"))
	switch {
	case strings.HasPrefix(said, userRejected):
		t.denied = "user"
	case strings.HasPrefix(said, ruleRejected):
		t.denied = "rule"
	}
}

func (t *tool) ended() bool { return t.status == "completed" || t.status == "error" }

func (t *tool) result() trace.Status {
	switch {
	case t.aborted || t.denied == "user":
		return trace.StatusCancelled
	case t.status == "error" || t.bad || t.exit != nil && *t.exit != 0 || t.childState == "error":
		return trace.StatusErrored
	case t.background || t.childState == "running":
		return trace.StatusRunning
	}
	return trace.StatusCompleted
}

package opencode

import (
	"bytes"
	"strings"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// tool is a tool part: a call, and what became of it.
type tool struct {
	name, call string
	status     string // pending, running, completed, error
	bad        bool   // it ended badly, whatever the status says: no such tool, or it took too long
	given      bool   // the input is there
	input      trace.Digest
	path, head string
	start, end int64
	// of a task
	description, agentType string
	child, childState      string
	background             bool
	// of a call that ended
	output     trace.Digest // what it gave, or the text of its error
	outputHead string       // of one that failed
	exit       *int
	aborted    bool // while it ran
	denied     string
	changes    []trace.FileChange
}

// The texts by which opencode says what its words "completed" and "error" do not tell.
const (
	userAborted  = "User aborted the command"
	toolAborted  = "Tool execution aborted"
	userRejected = "The user rejected permission"
	ruleRejected = "The user has specified a rule which prevents"
)

// invalid is the tool that opencode puts in the place of one that does not exist.
const invalid = "invalid"

// typeOf is what opencode's own tools do. Those of MCP servers are called SERVER_TOOL, as others can be too.
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
	case "task":
		return trace.AgentTool
	case "list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource":
		return trace.MCPTool
	}
	return trace.OtherTool
}

// toolState is the state of a tool part as it stands there.
type toolState struct{ input, output, failure, metadata []byte }

// take reads a tool part. The call is what it was when it got its input; later states add what came of it.
func (t *tool) take(data []byte, dir string) {
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
	if t.status != "pending" && !t.given {
		t.takeInput(s.input, dir)
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

func (t *tool) takeInput(input []byte, dir string) {
	t.given = true
	t.input = draft.Digest(input)
	kind := typeOf(t.name)
	jsonl.Members(input, func(key, v []byte) bool {
		switch string(key) {
		case "filePath", "path":
			t.path = draft.Path(jsonl.Text(v), dir)
		case "command":
			if kind == trace.ShellTool {
				t.head = draft.Head(jsonl.Text(v), trace.CommandHead)
			}
		case "description":
			if kind == trace.AgentTool {
				t.description = draft.Head(jsonl.Text(v), trace.UserHead)
			}
		case "subagent_type":
			t.agentType = jsonl.Text(v)
		}
		return true
	})
}

// completed reads the end of a call that opencode says is completed, whether or not it went well: of a command metadata.exit
// is the code, null if it was stopped, and then only the text says by whom.
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
		t.outputHead = draft.Head(jsonl.Text(s.output), trace.ErrorHead)
		return
	}
	t.changes = changes(t.name, s.input, s.metadata, dir)
}

// failed reads the end of a call that opencode says is in error.
func (t *tool) failed(s toolState) {
	t.output = draft.DigestText(s.failure)
	said := jsonl.Text(s.failure)
	t.outputHead = draft.Head(said, trace.ErrorHead)
	t.aborted = said == toolAborted || isTrue(member(s.metadata, "interrupted"))
	switch {
	case strings.HasPrefix(said, userRejected):
		t.denied = "user"
	case strings.HasPrefix(said, ruleRejected):
		t.denied = "rule"
	}
}

// ended says whether the call got a result.
func (t *tool) ended() bool { return t.status == "completed" || t.status == "error" }

// result is what became of a call that ended.
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

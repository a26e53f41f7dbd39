// Package genai reads what Gemini CLI and its descendants store alike: messages as lists of parts, in the form of
// Google's Gen AI interface, and the tools that come with the clients. Each client's reader knows its own records.
package genai

import (
	"bytes"
	"strings"

	"aburn/trace"
)

// Record splits a line into the places that at names by key; at returns nil for a key that nobody reads. It returns why
// the line is no record, "" if it is one.
func Record(line []byte, at func(key []byte) *Value) (why string) {
	root := Value(bytes.TrimSpace(line))
	if len(root) < 2 || root[0] != '{' || root[len(root)-1] != '}' {
		return "the line is not a JSON object"
	}
	if !root.Fields(at) {
		return "the line is not JSON"
	}
	return ""
}

// Parts is the content of a message.
type Parts struct {
	Text, Thought string
	Media         bool    // it has something besides text and calls
	Calls         []Value // functionCall
	Responses     []Value // functionResponse
}

// Split splits a content: a string, a part, or a list of both.
func Split(content Value) Parts {
	var p Parts
	var text, thought strings.Builder
	take := func(part Value) {
		if part.IsString() {
			text.WriteString(part.Str())
			return
		}
		var said Value
		hidden, other := false, part.IsObject()
		part.Members(func(key []byte, x Value) {
			switch string(key) {
			case "text":
				said, other = x, false
			case "thought":
				hidden = x.IsTrue()
			case "functionCall":
				p.Calls, other = append(p.Calls, x), false
			case "functionResponse":
				p.Responses, other = append(p.Responses, x), false
			}
		})
		p.Media = p.Media || other
		if hidden {
			thought.WriteString(said.Str())
		} else {
			text.WriteString(said.Str())
		}
	}
	if content.IsArray() {
		content.Each(take)
	} else {
		take(content)
	}
	p.Text, p.Thought = text.String(), thought.String()
	return p
}

// Said returns what a functionResponse's response says to the model, and whether as an error.
func Said(response Value) (text string, failed bool) {
	x := response.Get("error")
	if failed = x.Exists(); !failed {
		x = response.Get("output")
	}
	switch {
	case x.IsString():
		return x.Str(), failed
	case x.Exists():
		return string(x), failed
	}
	return string(response), failed
}

// Command returns the slash command that begins a prompt, or "".
func Command(prompt string) string {
	word, _, _ := strings.Cut(prompt, " ")
	if len(word) < 2 || len(word) > 60 || word[0] != '/' || strings.ContainsAny(word[1:], "/\n.") {
		return ""
	}
	return word
}

// ToolType classifies a tool. Tools that come with a client are also known under their earlier names.
func ToolType(name string) trace.ToolType {
	switch name {
	case "run_shell_command":
		return trace.ShellTool
	case "read_file", "read_many_files":
		return trace.ReadTool
	case "write_file", "edit", "replace", "notebook_edit":
		return trace.EditTool
	case "glob", "grep_search", "search_file_content", "list_directory":
		return trace.SearchTool
	case "web_fetch", "web_search", "google_web_search":
		return trace.WebTool
	case "agent", "invoke_agent", "delegate_to_agent", "codebase_investigator":
		return trace.AgentTool
	}
	if strings.HasPrefix(name, "mcp_") || strings.Contains(name, "__") {
		return trace.MCPTool
	}
	return trace.OtherTool
}

// FilePath returns the file or folder in a call's arguments, "" if they name none.
func FilePath(args Value) string {
	for _, key := range []string{"file_path", "absolute_path", "notebook_path", "dir_path", "path"} {
		if path := args.Get(key).Str(); path != "" {
			return path
		}
	}
	return ""
}

// Result is a call's result being worked out.
type Result struct{ trace.ToolResultEvent }

// Fail notes that the client itself calls the result an error.
func (r *Result) Fail(status trace.Status) {
	yes := true
	r.Status, r.IsError = status, &yes
}

// Exit adds a command's exit code. The client also calls a command that failed a success.
func (r *Result) Exit(code int) {
	r.ExitCode = &code
	if code != 0 {
		r.Status = trace.StatusErrored
	}
}

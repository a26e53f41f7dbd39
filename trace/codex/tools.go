package codex

import (
	"strings"

	"aburn/trace"
)

// The tools that need special treatment.
const (
	execCommand = "exec_command"
	writeStdin  = "write_stdin"
	applyPatch  = "apply_patch"
	viewImage   = "view_image"
	spawnAgent  = "spawn_agent"
	codeTool    = "exec" // JavaScript that calls the other tools
	waitTool    = "wait" // for code that yielded
	mcpPrefix   = "mcp__"
)

// toolName is the agent's own name of a tool: an MCP server's name leads, other namespaces are dropped.
func toolName(namespace, name string) string {
	if strings.HasPrefix(namespace, mcpPrefix) {
		return namespace + "__" + name
	}
	return name
}

// toolType classifies a tool. agents says that its namespace is that of the sub-agent tools.
func toolType(name string, agents bool) trace.ToolType {
	switch name {
	case execCommand, writeStdin, "shell", "shell_command", "local_shell", "container.exec":
		return trace.ShellTool
	case applyPatch:
		return trace.EditTool
	case viewImage, "read_file":
		return trace.ReadTool
	case "list_dir", "grep_files":
		return trace.SearchTool
	case "web_search":
		return trace.WebTool
	case "list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource":
		return trace.MCPTool
	case spawnAgent, "wait_agent", "close_agent", "resume_agent", "list_agents", "interrupt_agent", "send_input",
		"send_message", "followup_task":
		return trace.AgentTool
	}
	switch {
	case agents:
		return trace.AgentTool
	case strings.HasPrefix(name, mcpPrefix):
		return trace.MCPTool
	}
	return trace.OtherTool
}

func isAgents(namespace string) bool {
	return namespace == "collaboration" || strings.HasPrefix(namespace, "multi_agent")
}

// runsShell reports whether the output of such a tool always says how it ended, if it ran at all.
func runsShell(tool string) bool {
	return tool != writeStdin && toolType(tool, false) == trace.ShellTool || tool == applyPatch
}

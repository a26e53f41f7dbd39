package claude

import (
	"strings"

	"aburn/trace"
)

// typeOf is what a tool of Claude Code does.
func typeOf(tool string) trace.ToolType {
	switch tool {
	case "Bash", "BashOutput", "KillShell", "KillBash", "PowerShell", "Monitor":
		return trace.ShellTool
	case "Read", "NotebookRead":
		return trace.ReadTool
	case "Write", "Edit", "MultiEdit", "NotebookEdit":
		return trace.EditTool
	case "Glob", "Grep", "LS", "LSP":
		return trace.SearchTool
	case "WebFetch", "WebSearch", "web_search", "web_fetch":
		return trace.WebTool
	case "Agent", "Task":
		return trace.AgentTool
	case "ListMcpResourcesTool", "ReadMcpResourceTool":
		return trace.MCPTool
	}
	if strings.HasPrefix(tool, "mcp__") {
		return trace.MCPTool
	}
	return trace.OtherTool
}

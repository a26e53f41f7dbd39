package trace

// ToolType is what a tool does, the same word for all agents, so that Write and write_file add up.
type ToolType string

// The types of tools. Each reader maps its agent's names; what it does not know is other.
const (
	ShellTool  ToolType = "shell"
	ReadTool   ToolType = "read"
	EditTool   ToolType = "edit"
	SearchTool ToolType = "search" // of files and their contents
	WebTool    ToolType = "web"
	MCPTool    ToolType = "mcp"
	AgentTool  ToolType = "agent"
	OtherTool  ToolType = "other"
)

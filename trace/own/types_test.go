package own

import (
	"testing"

	"aburn/trace"
)

// Codex tells its hooks the names of the tools for sub-agents with the namespace glued on, each version in its way.
func TestTypeOfCodexAgents(t *testing.T) {
	for tool, want := range map[string]trace.ToolType{
		"collaborationspawn_agent": trace.AgentTool, "collaborationwait_agent": trace.AgentTool, "spawn_agent": trace.AgentTool,
		"multi_agent_v1wait_agent": trace.AgentTool, "mcp__agents__wait": trace.MCPTool, "create_goal": trace.OtherTool,
	} {
		if got := TypeOf(tool); got != want {
			t.Errorf("%s is %s, not %s", tool, got, want)
		}
	}
}

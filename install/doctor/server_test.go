package doctor

import "testing"

func TestServers(t *testing.T) {
	w := newWorld(t)
	w.script("bin/aburn", "true")
	w.expect(w.run(w.root), "! claude ok ~/.claude.json", "! codex ok ~/.codex/config.toml:")
	w.write(".claude.json", "{\n  \"mcpServers\": {\n    \"aburn\": {\"command\": \""+w.path("bin/aburn")+"\", \"args\": [\"mcp\"]}\n  }\n}")
	w.write("src/.mcp.json", `{"mcpServers": {"aburn": {"command": "aburn-of-mine", "args": ["mcp"]}}}`)
	w.write(".codex/config.toml", "[mcp_servers.aburn]\ncommand = \""+w.path("gone/aburn")+"\"\nargs = [\"mcp\"]\n")
	w.expect(w.run(w.root),
		"claude ok ~/.claude.json:3: the MCP server runs ~/bin/aburn\n",
		"claude note ~/src/.mcp.json:1: the MCP server \"aburn\" is somebody else's: it runs aburn-of-mine\n",
		"codex note ~/.codex/config.toml: the MCP server runs ~/gone/aburn, which doesn't exist: Codex cannot ask aburn -> aburn install-hooks --mcp\n")
	w.write(".claude.json", `{"mcpServers": {"aburn": `)
	w.expect(w.run(w.root), "claude note ~/.claude.json:1:26: ")
}

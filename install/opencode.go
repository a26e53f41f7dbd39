package install

import (
	_ "embed" // of the plugin

	"aburn/internal/agentcli"
)

// Opencode is the adapter for opencode, which has no hooks but plugins.
var Opencode = &Adapter{Agent: &agentcli.Opencode, Canary: opencodeCanary, own: scriptFile{&agentcli.Opencode, opencodePlugin, []string{
	"with any plugin, opencode waits at its first start until npm has brought its library for plugins: without a network that takes about a " +
		"minute and a half",
	"opencode 1.1 does not start with this plugin, and nobody has tried it on OpenCode 2"}}}

//go:embed opencode.js
var opencodePlugin string

// opencodeCanary spells the fields of a payload as the plugin does.
func opencodeCanary(fields map[string]any) map[string]any {
	if fields["tool_name"] != nil {
		fields["tool_name"] = "bash"
	}
	if fields["tool_response"] != nil {
		fields["tool_response"] = map[string]any{"status": "completed", "exit": 0}
	}
	return fields
}

package config

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// TestSchema: an editor that has the schema takes what Load takes, and marks what Load calls a mistake.
func TestSchema(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("aburn.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("aburn.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"base: main\nagent: claude\nsetup: npm ci\nports: [PORT]\ngates: [npm test]\nmax_workers: 6\nsetup_timeout: 5m\n",
		"gates: {run: npm test, retries: 5, unsandboxed: true}\n", "ports: {PORT: 3000}\ndisk: {min_free: 500MiB}\n",
		"projects:\n  shop:\n    path: ROOT\n    worker: {agent: codex, agentConfig: {model: m}}\n    reactions: {ci-failed: {retries: 2, escalateAfter: 2}}\n   " +
			" tracker: {plugin: gitlab, token_env: X}\n",
		"reactions: {ci-failed: {auto: true, action: notify, priority: urgent}, all-complete: {includeSummary: false}}\nnotifiers: {chat: {plugin: slack, " +
			"webhook: x}}\nnotificationRouting: {urgent: [chat]}\n",
		"permissions: permissionless\ndefaults: {agent: codex, worker: {agent: claude}, notifiers: chat}\ntrackers: {jira: {command: [x]}}\nforge: {strangers: " +
			"true}\nssh: [box]\nscm: {plugin: gitlab, host: x}\n",
		"bsae: main\n", "workspace: here\n", "runtime: docker\n", "max_workers: -1\n", "reactions: {ci-faild: {retries: 1}}\n", "projects: {shop: {setp: x}}\n",
		"gates: {rnu: x}\n", "permissions: all\n", "projects: 3\n",
	} {
		var v any
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		_, wrong := Load(folder(t, map[string]string{"user": text}))
		bad := schema.Validate(v)
		if (bad != nil) != (wrong != nil) {
			t.Errorf("%sthe schema says %v, and aburn %v", text, bad, wrong)
		}
	}
}

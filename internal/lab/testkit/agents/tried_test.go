package agents

import (
	"testing"

	"aburn/internal/agentcli"
)

// TestTried: doctor says that aburn was tried with what the tests of the real clients run.
func TestTried(t *testing.T) {
	for name, version := range map[string]string{
		"claude": ClaudeVersion, "codex": CodexVersion, "opencode": OpencodeVersion, "gemini": GeminiVersion, "qwen": QwenVersion, "copilot": CopilotVersion,
		"pi": PiVersion,
	} {
		if tried := agentcli.Of(name).Tried; tried != version {
			t.Errorf("%s: the record says %s, the tests run %s", name, tried, version)
		}
	}
}

package agents

// Env is the whole environment of an agent: nothing of the caller's. bin, if not empty, comes first on PATH.
func Env(home, bin string, more ...string) []string {
	path := "/usr/local/bin:/usr/bin:/bin"
	if bin != "" {
		path = bin + ":" + path
	}
	return append([]string{"HOME=" + home, "PATH=" + path, "USER=user", "LANG=C.UTF-8", "TZ=UTC", "SHELL=/bin/bash"}, more...)
}

// ClaudeEnv points Claude Code at a model on loopback, with a key that opens nothing, and switches off what would
// call home. IS_SANDBOX is what lets root use --dangerously-skip-permissions.
func ClaudeEnv(modelURL string) []string {
	return []string{
		"ANTHROPIC_BASE_URL=" + modelURL, "ANTHROPIC_API_KEY=" + DummyKey, "IS_SANDBOX=1",
		"DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
	}
}

// DummyKey is the only key that an agent ever gets here.
const DummyKey = "dummy-key"

// CodexConfig is a config.toml that points Codex at a model on loopback; its key is in CodexEnv. The model's name
// decides which tools Codex offers: gpt-5.5 the plain ones, gpt-6-sol the JavaScript "exec".
func CodexConfig(modelURL, modelName, sandbox, approval string, trusted ...string) string {
	config := `model = "` + modelName + `"
model_provider = "scripted"
approval_policy = "` + approval + `"
check_for_update_on_startup = false
`
	if sandbox != "" {
		config += `sandbox_mode = "` + sandbox + "\"\n"
	}
	config += `
[model_providers.scripted]
name = "scripted"
base_url = "` + modelURL + `/v1"
env_key = "SCRIPTED_MODEL_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1

[analytics]
enabled = false

# Questions that the terminal interface would ask at its first start.
[tui]
screen_reader_detection_done = true

[tui.model_availability_nux]
"gpt-6.1-sol" = 1

[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"
`
	for _, dir := range trusted {
		config += "\n[projects.\"" + dir + "\"]\ntrust_level = \"trusted\"\n"
	}
	return config
}

// CodexEnv holds the key that CodexConfig names.
func CodexEnv() []string { return []string{"SCRIPTED_MODEL_KEY=" + DummyKey} }

// CopilotEnv points the Copilot CLI at a model on loopback that speaks Anthropic's Messages API, without an account and
// with a key that opens nothing.
func CopilotEnv(modelURL string) []string {
	return []string{
		"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_PROVIDER_TYPE=anthropic", "COPILOT_PROVIDER_BASE_URL=" + modelURL,
		"COPILOT_PROVIDER_API_KEY=" + DummyKey, "COPILOT_MODEL=gpt-4.1",
	}
}

// OpencodeConfig is an opencode.json that points opencode at a model on loopback which speaks Anthropic's Messages
// API, with a key that opens nothing. The SDK for it is inside the executable; one that is not would be fetched from
// npm.
func OpencodeConfig(modelURL string) string {
	return `{
 "$schema": "https://opencode.ai/config.json",
 "model": "scripted/scripted-model",
 "small_model": "scripted/scripted-model",
 "share": "disabled",
 "autoupdate": false,
 "enabled_providers": ["scripted"],
 "provider": {"scripted": {
  "npm": "@ai-sdk/anthropic",
  "name": "scripted",
  "options": {"baseURL": "` + modelURL + `/v1", "apiKey": "` + DummyKey + `"},
  "models": {"scripted-model": {"name": "scripted-model", "limit": {"context": 200000, "output": 8000}}}
 }}
}
`
}

// OpencodeEnv switches off what would call home or load what is not there.
func OpencodeEnv() []string {
	return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1"}
}

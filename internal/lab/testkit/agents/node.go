package agents

import (
	"context"
	"os"
	"path/filepath"
)

// The clients that run on Node, with the Node that they get: Qwen Code wants 22, which a machine need not have.
const (
	GeminiVersion = "0.61.0"
	QwenVersion   = "0.24.4"
	PiVersion     = "1.6.0"
	nodeVersion   = "24.21.0"
)

// InstallGemini makes sure that Gemini CLI is in the cache and runs.
func InstallGemini(ctx context.Context, cache string) (Client, error) {
	return installScript(ctx, cache, "gemini-cli", GeminiVersion, "@google/gemini-cli", "bundle/gemini.js")
}

// InstallQwen makes sure that Qwen Code is in the cache and runs.
func InstallQwen(ctx context.Context, cache string) (Client, error) {
	return installScript(ctx, cache, "qwen-code", QwenVersion, "@qwen-code/qwen-code", "cli-entry.js")
}

// installScript installs a client that is a script, beside a Node of its own.
func installScript(ctx context.Context, cache, name, version, module, script string) (Client, error) {
	platform, err := npmPlatform()
	if err != nil {
		return Client{}, err
	}
	version = wanted(ctx, module, version)
	node := "node-" + platform
	p := pin{name: name, version: version, packages: []string{module + "@" + version, node + "@" + nodeVersion}, executable: module + "/" + launcher}
	if client, err := p.find(ctx, filepath.Join(cache, name+"-"+version)); err == nil {
		return client, nil
	}
	p.launch = "#!/bin/sh\nat=$(dirname \"$(readlink -f \"$0\")\")\nmodules=${at%/" + module + "}\nexec \"$modules/" + node + "/bin/node\" \"$at/" + script +
		"\" \"$@\"\n"
	return p.install(ctx, cache)
}

// launcher is the file in a client's module that starts its script.
const launcher = "launch-in-tests"

// addLauncher writes the launcher of a client that npm has put into dir, if it is a script.
func (p pin) addLauncher(dir string) error {
	if p.launch == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(dir, "node_modules", p.executable), []byte(p.launch), 0o755)
}

// GeminiEnv points Gemini CLI at a model on loopback, with a key that opens nothing. It trusts the project.
func GeminiEnv(modelURL string) []string {
	return []string{
		"GEMINI_API_KEY=" + DummyKey, "GOOGLE_GEMINI_BASE_URL=" + modelURL, "GEMINI_TELEMETRY_ENABLED=false", "GEMINI_CLI_TRUST_WORKSPACE=true",
	}
}

// GeminiSettings choose the key of GeminiEnv. The comments and the layout are what an install has to keep.
const GeminiSettings = `{
  // how to sign in
  "security": {"auth": {"selectedType": "gemini-api-key"}}, /* by key */
  "general": {"enableAutoUpdate": false} // and nothing else
}
`

// QwenEnv points Qwen Code at a model on loopback, with a key that opens nothing.
func QwenEnv(modelURL string) []string {
	return []string{"OPENAI_API_KEY=" + DummyKey, "OPENAI_BASE_URL=" + modelURL + "/v1", "OPENAI_MODEL=scripted-model", "QWEN_CODE_SUPPRESS_YOLO_WARNING=1"}
}

// QwenSettings choose the key of QwenEnv. They have the version that the client would write into them.
const QwenSettings = `{
  "$version": 4,
  // how to sign in
  "security": {"auth": {"selectedType": "openai"}}, /* by key */
  "general": {"enableAutoUpdate": false} // and nothing else
}
`

// InstallPi makes sure that pi is in the cache and runs.
func InstallPi(ctx context.Context, cache string) (Client, error) {
	return installScript(ctx, cache, "pi", PiVersion, "@earendil-works/pi-coding-agent", "dist/bundle/cli.js")
}

// PiModels is a models.json that points pi at a model on loopback which speaks Anthropic's Messages.
func PiModels(modelURL string) string {
	return `{"providers": {"fake": {"baseUrl": "` + modelURL + `", "api": "anthropic-messages", "apiKey": "` + DummyKey + `", "models": [
  {"id": "fake-model", "name": "fake", "contextWindow": 128000, "maxTokens": 8000, "input": ["text"], "reasoning": false,
   "cost": {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 1}}]}}}
`
}

// PiSettings choose the model of PiModels.
const PiSettings = `{"defaultProvider": "fake", "defaultModel": "fake-model"}` + "\n"

// PiEnv keeps pi from the network.
func PiEnv() []string { return []string{"PI_OFFLINE=1", "PI_TELEMETRY=0", "PI_SKIP_VERSION_CHECK=1"} }

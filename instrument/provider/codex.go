package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"aburn/internal/run"
)

// codex is `codex exec`. Tried on 0.169.0: the schema goes to the model, which may still
// answer otherwise. Its tools are switched off by settings, which a version that does not
// know them ignores; what is left works in a sandbox that writes nothing.
var codex = agent{
	name:      "codex",
	variables: []string{"CODEX_HOME", "OPENAI_*", "AZURE_*"},
	more:      codexKeys,
	lines:     20,
	call: func(r Request, dir string) (argv, env []string) {
		argv = []string{"codex", "exec", "--json", "--ephemeral", "--skip-git-repo-check", "--sandbox", "read-only", "--ignore-rules",
			"--output-schema", filepath.Join(dir, schemaFile), "--output-last-message", filepath.Join(dir, answerFile),
			"-c", "model_instructions_file=" + strconv.Quote(filepath.Join(dir, systemFile)), "-c", "project_doc_max_bytes=0", "-c", `web_search="disabled"`, "-c",
			`approval_policy="never"`, "-c", "mcp_servers={}"}
		for _, f := range []string{"shell_tool", "unified_exec", "multi_agent", "view_image", "goals", "skill_search", "hooks", "apps", "plugins", "image_generation",
			"browser_use", "tool_suggest"} {
			argv = append(argv, "-c", "features."+f+"=false")
		}
		if r.Model != "" {
			argv = append(argv, "--model", r.Model)
		}
		if r.Effort != "" {
			argv = append(argv, "-c", "model_reasoning_effort="+strconv.Quote(r.Effort))
		}
		return append(argv, "-"), nil
	},
	read:   readCodex,
	vendor: "openai",
	model: func(environ []string) string {
		text, _, _ := bytes.Cut(setting(environ, "CODEX_HOME", ".codex", "config.toml"), []byte("\n[")) // a table: the model stands before it
		if m := modelForm.FindSubmatch(text); m != nil {
			return string(m[1])
		}
		return ""
	},
}

var modelForm = regexp.MustCompile(`(?m)^\s*model\s*=\s*["']([^"'\n]{1,80})["']`)

var keyForm = regexp.MustCompile(`(?m)^\s*env_key\s*=\s*"([A-Za-z_][A-Za-z0-9_]{0,80})"`)

// codexKeys are the variables in which its settings say that a key is.
func codexKeys(environ []string) (names []string) {
	text := setting(environ, "CODEX_HOME", ".codex", "config.toml")
	if len(text) > 1<<20 {
		return nil
	}
	for _, m := range keyForm.FindAllSubmatch(text, -1) {
		names = append(names, string(m[1]))
	}
	return names
}

func readCodex(_ Request, out run.Result, dir string) (Response, error) {
	var r Response
	var failure string
	for line := range bytes.Lines(out.Stdout) {
		var e struct {
			Type    string `json:"type"`
			Thread  string `json:"thread_id"`
			Message string `json:"message"`
			Error   struct {
				Message string `json:"message"`
			} `json:"error"`
			Usage struct {
				Input  int `json:"input_tokens"` // with the cached ones
				Cached int `json:"cached_input_tokens"`
				Write  int `json:"cache_write_input_tokens"`
				Output int `json:"output_tokens"`
			} `json:"usage"`
		}
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		switch e.Type {
		case "thread.started":
			r.Session = e.Thread
		case "turn.completed":
			u := e.Usage
			r.Usage.Add(Usage{Input: max(u.Input-u.Cached-u.Write, 0), Output: u.Output, CacheWrite: u.Write, CacheRead: u.Cached})
		case "turn.failed":
			failure = e.Error.Message
		case "error":
			failure = e.Message
		}
	}
	if out.Code != 0 || failure != "" {
		return r, codexError(failure, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, answerFile))
	if err != nil {
		return r, fmt.Errorf("%w: there is no last message", ErrSchema)
	}
	if text = bytes.TrimSpace(text); len(text) == 0 || text[0] != '{' || !json.Valid(text) {
		return r, fmt.Errorf("%w: it begins with %q", ErrSchema, said(string(text[:min(len(text), 40)])))
	}
	r.JSON, r.Stop = text, "completed"
	return r, nil
}

func codexError(failure string, out run.Result) error {
	text := said(failure + " " + string(out.Stderr))
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(strings.ToLower(failure), w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("429", "rate limit", "usage limit", "quota"):
		return &RateError{time.Minute}
	case has("401", "403", "unauthorized", "not logged in", "login"):
		return fmt.Errorf("%w: %s", ErrAuth, text)
	case has("content_filter", "refus", "policy"):
		return ErrRefused
	case has("max_output_tokens", "incomplete response", "context window", "context length"):
		return ErrTruncated
	}
	return errors.New("codex exec failed (exit code " + strconv.Itoa(out.Code) + "): " + text)
}

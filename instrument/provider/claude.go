package provider

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"aburn/internal/run"
)

// claude is Claude Code's `claude -p`. Tried on 2.1.329: with a JSON schema it gives the
// model one tool, whose input is the answer, and asks again where that has not the form.
// --safe-mode leaves out hooks, plugins, CLAUDE.md and MCP servers, and keeps the login.
var claude = agent{
	name:      "claude",
	variables: []string{"ANTHROPIC_*", "CLAUDE_*", "AWS_*", "GOOGLE_*", "CLOUD_ML_REGION", "DISABLE_*", "IS_SANDBOX"},
	without:   []string{"CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_PROJECT_DIR", "CLAUDE_ENV_FILE"},
	call: func(r Request, dir string) (argv, env []string) {
		argv = []string{"claude", "-p", "--output-format", "json", "--json-schema", string(r.Schema), "--system-prompt-file", filepath.Join(dir, systemFile),
			"--tools", "",
			"--no-session-persistence", "--strict-mcp-config", "--setting-sources", "user", "--safe-mode", "--disable-slash-commands", "--max-turns", "3"}
		if r.Model != "" {
			argv = append(argv, "--model", r.Model)
		}
		if r.Effort != "" {
			argv = append(argv, "--effort", r.Effort)
		}
		return argv, []string{"MAX_STRUCTURED_OUTPUT_RETRIES=1", "CLAUDE_CODE_MAX_RETRIES=2", "CLAUDE_CODE_MAX_OUTPUT_TOKENS=" + strconv.Itoa(max(r.MaxOutput, 1)),
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
	},
	read:   readClaude,
	vendor: "anthropic",
	model: func(environ []string) string {
		var settings struct{ Model string }
		_ = json.Unmarshal(setting(environ, "CLAUDE_CONFIG_DIR", ".claude", "settings.json"), &settings)
		return strings.TrimSuffix(cmp.Or(valueOf(environ, "ANTHROPIC_MODEL"), settings.Model), "[1m]")
	},
}

func readClaude(_ Request, out run.Result, _ string) (Response, error) {
	var m struct {
		IsError  bool            `json:"is_error"`
		Subtype  string          `json:"subtype"`
		Stop     string          `json:"stop_reason"`
		Session  string          `json:"session_id"`
		USD      *float64        `json:"total_cost_usd"`
		Result   string          `json:"result"`
		Output   json.RawMessage `json:"structured_output"`
		Status   *int            `json:"api_error_status"`
		Errors   []string        `json:"errors"`
		Terminal string          `json:"terminal_reason"`
		Models   map[string]struct {
			Input      int `json:"inputTokens"`
			Output     int `json:"outputTokens"`
			CacheRead  int `json:"cacheReadInputTokens"`
			CacheWrite int `json:"cacheCreationInputTokens"`
		} `json:"modelUsage"`
	}
	if err := json.Unmarshal(out.Stdout, &m); err != nil {
		return Response{}, fmt.Errorf("claude -p printed no JSON (exit code %d): %s", out.Code, said(string(out.Stderr)+" "+string(out.Stdout)))
	}
	r := Response{Stop: m.Stop, Session: m.Session, CostUSD: m.USD}
	for _, u := range m.Models {
		r.Usage.Add(Usage{u.Input, u.Output, u.CacheWrite, u.CacheRead})
	}
	if len(m.Output) > 0 && m.Output[0] == '{' && !m.IsError {
		r.JSON = m.Output
		return r, nil
	}
	switch {
	case m.Status != nil && *m.Status == http.StatusTooManyRequests:
		return r, &RateError{time.Minute}
	case m.Status != nil && (*m.Status == http.StatusUnauthorized || *m.Status == http.StatusForbidden):
		return r, ErrAuth
	case m.Status != nil && *m.Status != 0:
		return r, &ServiceError{*m.Status, said(m.Result)}
	case m.Stop == "refusal":
		return r, ErrRefused
	case m.Stop == "max_tokens" || m.Terminal == "max_output_tokens":
		return r, ErrTruncated
	case m.Subtype == "error_max_structured_output_retries" && len(m.Errors) > 0:
		return r, fmt.Errorf("%w: %s", ErrSchema, said(m.Errors[len(m.Errors)-1]))
	case r.Usage.Total() == 0 && m.IsError:
		return r, fmt.Errorf("%w: %s", ErrAuth, said(m.Result))
	}
	return r, ErrSchema
}

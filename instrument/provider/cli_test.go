//go:build unix

package provider

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/world"
	"aburn/internal/run"
)

// TestAnAgentIsAskedWithoutToolsAndKeys: what it is given, where it works, and what of the environment it sees.
func TestAnAgentIsAskedWithoutToolsAndKeys(t *testing.T) {
	world.Slow(t)
	for _, a := range agents {
		t.Run(a.name, func(t *testing.T) {
			dir := t.TempDir()
			script := "#!/bin/sh\n{ echo \"$PWD\"; ls -A; env; for a in \"$@\"; do echo \"arg $a\"; done; cat; } > " + dir + "/seen\nexit 3\n"
			if err := os.WriteFile(filepath.Join(dir, a.name), []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", dir+":/usr/bin:/bin")
			environ := append(os.Environ(), "DATABASE_PASSWORD=no", "OTEL_EXPORTER_OTLP_HEADERS=no", "CLAUDE_CODE_SESSION_ID=no", "ANTHROPIC_API_KEY=yes",
				"OPENAI_API_KEY=yes", "HOME="+dir)
			p, err := Find(a.name, environ)
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.Complete(t.Context(), Request{System: "sys", Turns: []Turn{{Role: "user", Text: "the question"}}, Schema: json.RawMessage(`{"type":"object"}`),
				Model: "m1", Effort: "low", MaxOutput: 900})
			if err == nil {
				t.Error("an exit code of 3 is an answer")
			}
			seen, err := os.ReadFile(filepath.Join(dir, "seen"))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"/empty\n", "ABURN=0", "arg m1", "low", "the question", systemFile} {
				if !strings.Contains(string(seen), want) {
					t.Errorf("it lacks %q:\n%s", want, seen)
				}
			}
			for _, never := range []string{"DATABASE_PASSWORD", "OTEL_", "CLAUDE_CODE_SESSION_ID", "dangerously"} {
				if strings.Contains(string(seen), never) {
					t.Errorf("it sees %s:\n%s", never, seen)
				}
			}
		})
	}
}

// TestWhatClaudePrints, as 2.1.329 does.
func TestWhatClaudePrints(t *testing.T) {
	const usage = `"total_cost_usd":0.0008,"modelUsage":{"m":{"inputTokens":100,"outputTokens":20,"cacheReadInputTokens":3,"cacheCreationInputTokens":4}}`
	var rate *RateError
	var service *ServiceError
	is := func(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }
	for name, tt := range map[string]struct {
		out  string
		want func(error) bool
	}{
		"good":         {`{"is_error":false,"subtype":"success","structured_output":{"a":"x"},` + usage + `}`, is(nil)},
		"wrong form":   {`{"is_error":true,"subtype":"error_max_structured_output_retries","errors":["/a: must be equal"],` + usage + `}`, is(ErrSchema)},
		"tools wanted": {`{"is_error":true,"subtype":"error_max_turns","stop_reason":"tool_use",` + usage + `}`, is(ErrSchema)},
		"busy": {`{"is_error":true,"subtype":"success","api_error_status":429,"result":"API Error",` + usage + `}`,
			func(err error) bool { return errors.As(err, &rate) }},
		"no login":    {`{"is_error":true,"subtype":"success","result":"Please run /login","modelUsage":{}}`, is(ErrAuth)},
		"a wrong key": {`{"is_error":true,"subtype":"success","api_error_status":401,"result":"x",` + usage + `}`, is(ErrAuth)},
		"broken": {`{"is_error":true,"subtype":"success","api_error_status":500,"result":"oops",` + usage + `}`,
			func(err error) bool { return errors.As(err, &service) && service.Status == 500 }},
		"refused": {`{"is_error":false,"subtype":"success","stop_reason":"refusal","result":"no",` + usage + `}`, is(ErrRefused)},
		"cut off": {`{"is_error":true,"subtype":"success","stop_reason":"max_tokens","result":"no",` + usage + `}`, is(ErrTruncated)},
		"no JSON": {"error: unknown option '--safe-mode'", func(err error) bool { return err != nil && strings.Contains(err.Error(), "unknown option") }},
	} {
		r, err := readClaude(Request{}, run.Result{Stdout: []byte(tt.out)}, "")
		if !tt.want(err) {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(tt.out, usage) && (r.Usage != Usage{100, 20, 4, 3} || *r.CostUSD != 0.0008) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestWhatCodexPrints, as 0.169.0 does.
func TestWhatCodexPrints(t *testing.T) {
	const done = `{"type":"thread.started","thread_id":"t1"}` + "\nnoise\n" +
		`{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":30,"cache_write_input_tokens":0,"output_tokens":20}}` + "\n"
	failed := func(text string) string { return `{"type":"turn.failed","error":{"message":"` + text + `"}}` + "\n" }
	var rate *RateError
	is := func(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }
	for name, tt := range map[string]struct {
		out, last string
		code      int
		want      func(error) bool
	}{
		"good":      {done, `{"a":"x"}`, 0, is(nil)},
		"prose":     {done, "Here is", 0, is(ErrSchema)},
		"nothing":   {done, "", 0, is(ErrSchema)},
		"busy":      {failed("exceeded retry limit, last status: 429 Too Many Requests"), "", 1, func(err error) bool { return errors.As(err, &rate) }},
		"no login":  {failed("unexpected status 401 Unauthorized"), "", 1, is(ErrAuth)},
		"cut off":   {failed("Incomplete response returned, reason: max_output_tokens"), "", 1, is(ErrTruncated)},
		"refused":   {failed("Incomplete response returned, reason: content_filter"), "", 1, is(ErrRefused)},
		"otherwise": {failed("oops"), "", 1, func(err error) bool { return err != nil && strings.Contains(err.Error(), "oops") }},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, answerFile), []byte(tt.last), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := readCodex(Request{}, run.Result{Stdout: []byte(tt.out), Code: tt.code}, dir)
		if !tt.want(err) {
			t.Errorf("%s: %v", name, err)
		}
		if tt.out == done && r.Usage != (Usage{70, 20, 0, 30}) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestFindTakesWhatIsThere: auto asks for no login.
func TestFindTakesWhatIsThere(t *testing.T) {
	empty := t.TempDir()
	t.Setenv("PATH", empty)
	for name, want := range map[string]string{"auto": "api", "api": "api", "none": "", "nobody": ""} {
		p, err := Find(name, []string{"ANTHROPIC_API_KEY=k"})
		if (err == nil) != (want != "") || err == nil && p.Name() != want {
			t.Errorf("%s: %v %v", name, p, err)
		}
	}
	if _, err := Find("auto", nil); err == nil || !strings.Contains(err.Error(), "none of "+agents[0].name+", "+agents[1].name+" is on PATH") {
		t.Error(err)
	}
	p, err := Find(agents[0].name, nil)
	if err != nil || p.Ready(t.Context()) == nil {
		t.Errorf("%v %v", p, err)
	}
}

// TestTheKeyOfCodex is the one that its settings name.
func TestTheKeyOfCodex(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte("[model_providers.x]\n  env_key = \"MY_KEY\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := codexKeys([]string{"CODEX_HOME=" + dir}); len(got) != 1 || got[0] != "MY_KEY" {
		t.Error(got)
	}
}

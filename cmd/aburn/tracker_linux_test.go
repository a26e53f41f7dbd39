package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// TestIssueOverHTTP: the key goes to the person's own address, whatever the project's file says, and stands in nothing that is printed.
func TestIssueOverHTTP(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s := newSite(t)
	s.shim("claude", "#!/bin/sh\n")
	evil := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { evil++ }))
	defer other.Close()
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("PRIVATE-TOKEN") != "hidden":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.EscapedPath() == "/api/v4/projects/group%2Fshop/issues/7":
			fmt.Fprint(w, `{"title":"The cart is flaky","description":"On Mondays.","state":"opened"}`)
		case r.URL.EscapedPath() == "/api/v4/projects/group%2Fshop/issues/8":
			http.Redirect(w, r, other.URL, http.StatusFound)
		default:
			w.Header().Set("Retry-After", "900")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	defer own.Close()
	config := filepath.Join(s.home, ".config", "aburn")
	s.must(os.MkdirAll(config, 0o700))
	write := func(dir, name, text string) { s.must(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)) }
	write(s.project, "aburn.yaml", "repo: group/shop\ntracker: {plugin: gitlab, url: '"+other.URL+"'}\ntrackers: {gitlab: {url: '"+other.URL+
		"', token_env: GITLAB_KEY}}\n")
	ask := func(key string, args ...string) (string, error) {
		cmd := s.command("aburn", append([]string{"spawn", "--print-prompt"}, args...)...)
		cmd.Env = append(cmd.Env, "GITLAB_KEY="+key)
		out, err := cmd.CombinedOutput()
		if strings.Contains(string(out), "hidden") {
			t.Errorf("the key is printed: %s", out)
		}
		return string(out), err
	}
	if out, err := ask("hidden", "--issue", "7"); err == nil || !strings.Contains(out, "GitLab is not asked without a token") {
		t.Errorf("a project's file gives the address: %s", out)
	}
	write(config, "workers.yaml", "trackers: {gitlab: {url: '"+own.URL+"', token_env: GITLAB_KEY}}\n")
	if out, err := ask("hidden", "--issue", "7"); err != nil || !strings.Contains(out, "Title: The cart is flaky\n") || !strings.Contains(out, "\nOn Mondays.\n") {
		t.Errorf("%s %v", out, err)
	}
	for _, c := range []struct{ key, issue, want string }{
		{"hidden", "8", "redirects"}, {"hidden", "9", "429 Too Many Requests, and asks to try again in 15m0s"},
		{"wrong", "7", "GitLab does not accept the key: 127.0.0.1"}, {"", "7", "GitLab is not asked without a token"},
	} {
		if out, err := ask(c.key, "--issue", c.issue); err == nil || !strings.Contains(out, c.want) {
			t.Errorf("%s %s: %s", c.key, c.issue, out)
		}
	}
	if evil > 0 {
		t.Errorf("the other address was asked %d times", evil)
	}
}

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"aburn/internal/lab/world"
	"aburn/worker/daemon"
)

// waiting is a scripted agent that is done once its file is there.
const waiting = `#!/bin/sh
here=$(pwd) id=5b0c2f91
for a; do [ "$before" = --session-id ] && id=$a; before=$a; done
hook() { printf '{"session_id":"%s","cwd":"%s",%s}' "$id" "$here" "$1" | aburn-hook claude; }
part() { printf '%s' "$line" | sed "s/.*\"$1\":\"\\([^\"]*\\)\".*/\\1/"; }
hook '"hook_event_name":"SessionStart","source":"startup"'
while IFS= read -r line; do
	uuid=$(part uuid) text=$(part content)
	for state in queued started; do echo "{\"type\":\"command_lifecycle\",\"command_uuid\":\"$uuid\",\"state\":\"$state\"}"; done
	hook "\"hook_event_name\":\"UserPromptSubmit\",\"prompt\":\"$text\""
	until [ -e "../go-$(basename "$here")" ]; do sleep 0.1; done
	echo x > made; aburn done made >&2
	hook '"hook_event_name":"Stop"'
	echo '{"type":"result","subtype":"success","is_error":false}'
	echo "{\"type\":\"command_lifecycle\",\"command_uuid\":\"$uuid\",\"state\":\"completed\"}"
done
`

// pending counts the requests for notices of each worker that a deaf service holds.
type pending struct {
	mu sync.Mutex
	of map[string]int
}

func (p *pending) serve(r *http.Request, release <-chan struct{}) {
	body, _ := io.ReadAll(r.Body)
	add := func(n int) {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, name := range []string{"alpha", "beta", "gamma", "delta"} {
			if strings.Contains(string(body), name) {
				p.of[name] += n
			}
		}
	}
	add(1)
	defer add(-1)
	select {
	case <-release:
	case <-r.Context().Done(): // aburn gave up, or asks again
	}
}

func (p *pending) any(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.of[name] > 0
}

// TestDeafNotifierHoldsNobody: one web service never answers. Meanwhile rounds go on, other ways are told, and stop keeps its time.
func TestDeafNotifierHoldsNobody(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s := newSite(t)
	s.shim("claude", waiting)
	s.notices("")
	release, held := make(chan struct{}), &pending{of: map[string]int{}}
	deaf := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { held.serve(r, release) }))
	defer deaf.Close()
	defer close(release)
	var mu sync.Mutex
	var got []daemon.NoticeReport
	fine := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var n daemon.NoticeReport
		mu.Lock()
		defer mu.Unlock()
		if json.Unmarshal(body, &n) == nil && r.Header.Get("X-Auth") == "k" {
			got = append(got, n)
		}
	}))
	defer fine.Close()
	yaml := "notifiers:\n  deaf: {plugin: slack, webhook: " + deaf.URL + "/hidden}\n  fine: {plugin: webhook, url: " + fine.URL +
		", headers: {X-Auth: k}}\n  wrong: {plugin: pigeon}\n"
	s.must(os.WriteFile(filepath.Join(s.home, ".config", "aburn", "workers.yaml"), []byte(yaml), 0o600))
	s.ok("aburn", "daemon", "start")
	names := []string{"alpha", "beta", "gamma", "delta"}
	for _, name := range names {
		s.ok("aburn", "spawn", "--runtime", "headless", "--trust", "--name", name, "--gate", "true", "task")
	}
	// Only a round runs gates. While the service holds the notice of one worker, a round has to see the next one through. A machine that
	// is too slow for that once may be in time with another.
	meanwhile := false
	for i, name := range names {
		s.must(os.WriteFile(filepath.Join(filepath.Dir(s.tree(name)), "go-"+name), nil, 0o600))
		s.patiently(name+" is done", s.is(name, "done"))
		meanwhile = meanwhile || i > 0 && held.any(names[i-1])
		s.patiently("the deaf service has the notice of "+name, func() bool { return held.any(name) })
	}
	if !meanwhile {
		t.Error("rounds wait for a service that never answers")
	}
	for _, name := range names {
		s.patiently(name+" is told at the web address", func() bool {
			mu.Lock()
			defer mu.Unlock()
			for _, n := range got {
				if n.Worker == name && n.Key == "agent-done" && n.Project == filepath.Base(s.project) && n.ID != "" {
					return true
				}
			}
			return false
		})
		s.patiently(name+" is told by the program", func() bool { return len(s.heardOf(name, "agent-done")) == 1 })
	}
	s.ok("aburn", "daemon", "stop", "--yes")
	log, err := os.ReadFile(filepath.Join(s.home, ".local/state/aburn/daemon/log"))
	if s.must(err); strings.Contains(string(log), "hidden") || !strings.Contains(string(log), `notifiers.wrong: no way to notify is called "pigeon"`) {
		t.Errorf("%s", log)
	}
}

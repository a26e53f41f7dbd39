package doctor

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"aburn/install"
)

// statusLine looks at aburn's status line in a settings file.
func (e *exam) statusLine(p *patient, s *install.Settings) {
	r := s.Status
	if r == nil {
		return
	}
	where := fmt.Sprintf("%s:%d", s.Path, r.Line)
	again := "reinstall aburn, then run aburn install-hooks --statusline"
	switch path := s.Expand(*r, e.Env); {
	case path == "":
		e.add(p.topic(), Bad, fmt.Sprintf("%s: the status line calls %s, which is not on PATH: %s shows nothing of aburn's", where, r.Path, p.Title), again)
	case !runs(path):
		e.add(p.topic(), Bad, fmt.Sprintf("%s: the status line calls %s, which doesn't exist: %s shows nothing of aburn's", where, path, p.Title), again)
	case r.Wrapped:
		e.addf(p.topic(), OK, "%s has aburn's status line, behind your own", s.Path)
	default:
		e.addf(p.topic(), OK, "%s has aburn's status line", s.Path)
	}
}

// liveStatus runs a status line as its agent would.
func (e *exam) liveStatus(p *patient, s *install.Settings) {
	r := s.Status
	if r == nil {
		return
	}
	where := fmt.Sprintf("%s, the status line of %s", p.Title, s.Path)
	dir, err := os.MkdirTemp("", "aburn-doctor-*")
	if err != nil {
		e.addf("live", Bad, "%s: %v", where, err)
		return
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(e.ctx, 15*time.Second)
	defer cancel()
	cmd := command(ctx, s, *r, e.Env)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, slices.DeleteFunc(os.Environ(), e.ofAgents), time.Second
	cmd.Stdin = strings.NewReader(`{"session_id":"` + canarySession +
		`","cwd":"/","model":{"id":"canary","display_name":"Canary"},"workspace":{"current_dir":"/","project_dir":"/"},"cost":{"total_cost_usd":0.01}}`)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err = cmd.Run()
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	switch {
	case err != nil:
		e.addf("live", Bad, "%s: %v%s", where, err, said(stderr.Bytes()))
	case !strings.HasPrefix(lines[len(lines)-1], "canary"):
		e.addf("live", Bad, "%s: it does not show aburn's line%s", where, said(stdout.Bytes()))
	default:
		e.addf("live", OK, "%s: it shows aburn's line, in %.1f ms", where, float64(time.Since(start).Microseconds())/1000)
	}
}

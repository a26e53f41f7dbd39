package forge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"aburn/internal/run"
	"aburn/worker"
)

// GitHub is a repository on GitHub, asked by gh with the person's own login.
type GitHub struct {
	Place   Place
	Dir     string
	Environ []string
	Now     func() time.Time
	Run     func(context.Context, run.Program) (run.Result, error) // nil starts the program
}

const (
	ghPatience = time.Minute
	maxAnswer  = 16 << 20 // bytes
	maxLog     = 64 << 10 // bytes of the end of a log
)

// ghVariables are those of gh, and of the network.
var ghVariables = []string{
	"GH_*", "GITHUB_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "DBUS_SESSION_BUS_ADDRESS", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy",
	"https_proxy", "no_proxy",
	"all_proxy", "SSL_CERT_*",
}

// Name says which forge it is.
func (g *GitHub) Name() string { return "github" }

// Host is that of the repository.
func (g *GitHub) Host() string { return g.Place.Host }

// answer is what an HTTP server said.
type answer struct {
	code int
	head http.Header
	body []byte
}

// api makes one call.
func (g *GitHub) api(ctx context.Context, body any, args ...string) (*answer, error) {
	argv := append([]string{"gh", "api", "--include", "--hostname", g.Place.Host}, args...)
	var in []byte
	if body != nil {
		var err error
		if in, err = json.Marshal(body); err != nil {
			return nil, err
		}
		argv = append(argv, "--input", "-")
	}
	r, err := g.gh(ctx, run.Program{Argv: argv, Stdin: bytes.NewReader(in)})
	if err != nil {
		return nil, err
	}
	a, err := parseAnswer(r.Stdout)
	switch {
	case r.Code == 4 || err == nil && a.code == http.StatusUnauthorized:
		return nil, ErrNoLogin
	case err != nil && r.Code != 0:
		return nil, &Failed{Text: "gh: " + firstLine(r.Stderr)}
	case r.Cut:
		return nil, &Failed{Text: fmt.Sprintf("the answer has more than %d MiB", maxAnswer>>20)}
	case err != nil:
		return nil, err
	}
	return a, g.judge(a)
}

func (g *GitHub) gh(ctx context.Context, p run.Program) (run.Result, error) {
	p.Dir, p.Timeout, p.Output = g.Dir, ghPatience, maxAnswer
	p.Env = append(run.Clean(g.Environ, ghVariables...), "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "NO_COLOR=1", "LC_ALL=C")
	do := g.Run
	if do == nil {
		do = run.Do
	}
	r, err := do(ctx, p)
	if errors.Is(err, exec.ErrNotFound) {
		err = ErrNoClient
	}
	return r, err
}

// parseAnswer reads what gh api --include prints.
func parseAnswer(out []byte) (*answer, error) {
	torn := &Failed{Text: "gh gave half an answer"}
	line, rest, _ := bytes.Cut(out, []byte("\n"))
	words := strings.Fields(string(line))
	if len(words) < 2 || !strings.HasPrefix(words[0], "HTTP/") {
		return nil, torn
	}
	code, err := strconv.Atoi(words[1])
	if err != nil {
		return nil, torn
	}
	a := &answer{code: code, head: http.Header{}}
	for {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		if !whole {
			return nil, torn
		}
		rest = after
		text := strings.TrimSpace(string(line))
		if text == "" {
			a.body = rest
			return a, nil
		}
		if name, value, ok := strings.Cut(text, ":"); ok {
			a.head.Add(name, strings.TrimSpace(value))
		}
	}
}

// judge says whether an answer is an error.
func (g *GitHub) judge(a *answer) error {
	if until, ok := pause(a.code, a.head, g.now()); ok {
		return &Limited{until, message(a.body)}
	}
	if a.code < 200 || a.code > 299 {
		return &Failed{a.code, message(a.body)}
	}
	return nil
}

func (g *GitHub) now() time.Time {
	if g.Now != nil {
		return g.Now()
	}
	return time.Now()
}

// The pause after an answer that names none.
const defaultPause, longestPause = time.Minute, time.Hour

// pause reads how long a server wants to be left alone.
func pause(code int, h http.Header, now time.Time) (until time.Time, ok bool) {
	spent := h.Get("X-RateLimit-Remaining") == "0"
	busy := code == http.StatusServiceUnavailable && h.Get("Retry-After") != ""
	if code != http.StatusTooManyRequests && !busy && !(code == http.StatusForbidden && (spent || h.Get("Retry-After") != "")) {
		return until, false
	}
	until = now.Add(defaultPause)
	if after := h.Get("Retry-After"); after != "" {
		if n, err := strconv.Atoi(after); err == nil && n >= 0 {
			until = now.Add(time.Duration(min(n, int(longestPause/time.Second))) * time.Second)
		} else if at, err := http.ParseTime(after); err == nil {
			until = at
		}
	} else if n, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64); err == nil && spent {
		until = time.Unix(n, 0)
	}
	return clampTime(until, now.Add(time.Second), now.Add(longestPause)), true
}

func clampTime(t, least, most time.Time) time.Time {
	switch {
	case t.Before(least):
		return least
	case t.After(most):
		return most
	}
	return t
}

// message is what an error says.
func message(body []byte) string {
	var said struct {
		Message string `json:"message"`
		Error   string `json:"error"`
		Errors  []any  `json:"errors"`
	}
	if json.Unmarshal(body, &said) != nil {
		return firstLine(body)
	}
	text := said.Message + said.Error
	for _, e := range said.Errors {
		if m, ok := e.(map[string]any); ok {
			if more, _ := m["message"].(string); more != "" {
				text = strings.TrimPrefix(text+"; "+more, "; ")
			}
		}
	}
	return cut(text, 300)
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return cut(line, 300)
}

func cut(s string, n int) string { return strings.ToValidUTF8(s[:min(len(s), n)], "") }

// Log is the failed step of a job, and the end of what it printed.
func (g *GitHub) Log(ctx context.Context, c Check) (l Log, err error) {
	if c.ID == "" {
		return l, nil
	}
	path := "repos/" + g.Place.Path + "/actions/jobs/" + url.PathEscape(c.ID)
	a, err := g.api(ctx, nil, path)
	if err != nil {
		return l, err
	}
	var job struct {
		Steps []struct{ Name, Conclusion string }
	}
	if err := json.Unmarshal(a.body, &job); err != nil {
		return l, &Failed{Text: "the answer is no JSON: " + err.Error()}
	}
	for _, s := range job.Steps {
		if s.Conclusion == "failure" && l.Step == "" {
			l.Step = s.Name
		}
	}
	said := &tail{}
	r, err := g.gh(ctx, run.Program{Argv: []string{"gh", "api", "--hostname", g.Place.Host, path + "/logs"}, Live: said})
	switch {
	case err != nil:
		return l, err
	case r.Code != 0:
		return l, &Failed{Text: "the log of " + c.Name + ": " + firstLine(r.Stderr)}
	}
	l.Text = failedPart(said.String())
	return l, nil
}

// tail keeps the end of what is written.
type tail struct{ b []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p[max(0, len(p)-maxLog):]...)
	if len(t.b) > 2*maxLog {
		t.b = append([]byte{}, t.b[len(t.b)-maxLog:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(t.b[max(0, len(t.b)-maxLog):]) }

// failedPart is a job's log up to the last error that the runner marked, without the times at the beginning of lines.
func failedPart(log string) string {
	lines := strings.Split(strings.ReplaceAll(log, "\r", ""), "\n")
	stamp := regexp.MustCompile(`^\x{FEFF}?\d{4}-\d\d-\d\dT[0-9:.]+Z `)
	for i, line := range lines {
		lines[i] = stamp.ReplaceAllString(line, "")
	}
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.HasPrefix(lines[i], "##[error]") {
			lines = lines[:i+1]
			break
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// Open opens a pull request.
func (g *GitHub) Open(ctx context.Context, n New) (*Pull, error) {
	head := n.Branch
	if n.Owner != "" && !strings.EqualFold(n.Owner, g.Place.Owner()) {
		head = n.Owner + ":" + n.Branch
	}
	a, err := g.api(ctx, map[string]any{"title": n.Title, "body": n.Body, "head": head, "base": n.Base, "draft": n.Draft}, "--method", "POST",
		"repos/"+g.Place.Path+"/pulls")
	if err != nil {
		return nil, err
	}
	var made struct {
		Number int
		URL    string `json:"html_url"`
		Head   struct{ SHA string }
		Draft  bool
	}
	if err := json.Unmarshal(a.body, &made); err != nil || made.Number == 0 {
		return nil, &Failed{Text: "the forge does not say which pull request it opened"}
	}
	return &Pull{Number: made.Number, URL: made.URL, Title: n.Title, Is: worker.PullOpen, Draft: made.Draft, Branch: n.Branch, Head: made.Head.SHA, Base: n.Base},
		nil
}

// Merge merges p, if its head is still p.Head.
func (g *GitHub) Merge(ctx context.Context, p *Pull, how string) error {
	if how == "" {
		how = "merge"
	}
	_, err := g.api(ctx, map[string]any{"sha": p.Head, "merge_method": how}, "--method", "PUT", fmt.Sprintf("repos/%s/pulls/%d/merge", g.Place.Path, p.Number))
	return err
}

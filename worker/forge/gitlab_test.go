package forge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"aburn/worker"
)

// lab is a GitLab on this machine. It refuses what is not as GitLab wants it.
type lab struct {
	*httptest.Server
	node  map[string]any // of the merge request !7
	fail  func(http.ResponseWriter) bool
	calls int
	got   map[string]any // the last body
}

func newLab(t *testing.T) (*lab, *GitLab) {
	l := &lab{}
	token := "glpat-" + "for-tests"
	l.node = map[string]any{
		"iid": "7", "webUrl": "https://gitlab.example.com/shop/cart/-/merge_requests/7", "title": "fix", "state": "opened", "sourceBranch": "aburn/fix",
		"targetBranch": "main",
		"diffHeadSha":  "h1", "approved": true, "detailedMergeStatus": "MERGEABLE", "sourceProject": map[string]any{"fullPath": "shop/sub/cart"},
		"author": map[string]any{"username": "ann"},
	}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.calls++
		if r.Header.Get("Authorization") != "Bearer "+token {
			http.Error(w, `{"message":"401 Unauthorized"}`, http.StatusUnauthorized)
			return
		}
		body, _ := io.ReadAll(r.Body)
		l.got = nil
		if len(body) > 0 && (r.Header.Get("Content-Type") != "application/json" || json.Unmarshal(body, &l.got) != nil) {
			http.Error(w, `{"error":"not JSON"}`, http.StatusBadRequest)
			return
		}
		if l.fail != nil && l.fail(w) {
			return
		}
		l.answer(w, r)
	}))
	t.Cleanup(l.Close)
	return l, &GitLab{Place: Place{"gitlab.example.com", "shop/sub/cart"}, Base: l.URL, Token: token, Now: func() time.Time { return noon }}
}

func (l *lab) answer(w http.ResponseWriter, r *http.Request) {
	const project = "/api/v4/projects/shop%2Fsub%2Fcart"
	switch path := r.Method + " " + r.URL.EscapedPath(); path {
	case "POST /api/graphql":
		vars, _ := l.got["variables"].(map[string]any)
		query := fmt.Sprint(l.got["query"])
		if list, ok := vars["iids"].([]any); ok && vars["path"] == "shop/sub/cart" && strings.Contains(query, "mergeRequests(iids: $iids") &&
			strings.Contains(query, "$iids: [String!]") {
			nodes := []any{}
			if list[0] == l.node["iid"] {
				nodes = append(nodes, l.node)
			}
			json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{"project": map[string]any{"mergeRequests": map[string]any{"nodes": nodes}}}})
			return
		}
		if vars["path"] != "shop/sub/cart" || !strings.Contains(query, "mergeRequests(sourceBranches: $branches") {
			fmt.Fprint(w, `{"data":{"project":null}}`)
			return
		}
		json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{"project": map[string]any{"mergeRequests": map[string]any{"nodes": []any{l.node}}}}})
	case "GET " + project + "/jobs/12/trace":
		fmt.Fprint(w, "section_start:1700000000:step\r\x1b[0K\x1b[32;1m$ go test\x1b[0;m\r\nwant 3 carts\n")
	case "POST " + project + "/merge_requests":
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"iid":7,"web_url":"https://gitlab.example.com/7","sha":"h1","draft":true}`)
	case "PUT " + project + "/merge_requests/7/merge":
		if l.got["sha"] != "h1" {
			http.Error(w, `{"message":"SHA does not match HEAD of source branch"}`, http.StatusConflict)
			return
		}
		fmt.Fprint(w, `{"state":"merged"}`)
	default:
		http.Error(w, `{"message":"404 Not Found"}`, http.StatusNotFound)
	}
}

// TestGitLabMeans: GitLab's words become a worker's status.
func TestGitLabMeans(t *testing.T) {
	type m = map[string]any
	jobs := func(list ...any) m {
		return m{"sha": "h1", "jobs": m{"nodes": list}}
	}
	job := func(status string, allow bool) m {
		return m{"id": "gid://gitlab/Ci::Build/12", "name": "test", "status": status, "allowFailure": allow}
	}
	note := func(author, access, body string, bot bool) m {
		return m{"id": body, "body": body, "maxAccessLevelOfAuthor": access, "author": m{"username": author, "bot": bot},
			"position": m{"filePath": "cart.go", "newLine": 3}}
	}
	thread := func(notes ...any) m {
		return m{"nodes": []any{m{"id": "d1", "resolvable": true, "notes": m{"nodes": notes}},
			m{"id": "d2", "notes": m{"nodes": []any{note("bob", "Owner", "an overview", false)}}}}}
	}
	for name, c := range map[string]struct {
		set  m
		want worker.Status
	}{
		"nothing yet":         {m{}, worker.StatusPullOpen},
		"green":               {m{"headPipeline": jobs(job("SUCCESS", false))}, worker.StatusMergeable},
		"draft":               {m{"headPipeline": jobs(job("SUCCESS", false)), "draft": true}, worker.StatusPullOpen},
		"red":                 {m{"headPipeline": jobs(job("SUCCESS", false), job("FAILED", false))}, worker.StatusCIFailed},
		"may fail":            {m{"headPipeline": jobs(job("SUCCESS", false), job("FAILED", true))}, worker.StatusMergeable},
		"by hand, optional":   {m{"headPipeline": jobs(job("SUCCESS", false), job("MANUAL", true))}, worker.StatusMergeable},
		"by hand, blocks":     {m{"headPipeline": jobs(job("SUCCESS", false), job("MANUAL", false))}, worker.StatusCIFailed},
		"cancelled":           {m{"headPipeline": jobs(job("SUCCESS", false), job("CANCELED", false))}, worker.StatusCIFailed},
		"cancelled, may fail": {m{"headPipeline": jobs(job("SUCCESS", false), job("CANCELED", true))}, worker.StatusMergeable},
		"is cancelled":        {m{"headPipeline": jobs(job("SUCCESS", false), job("CANCELING", false))}, worker.StatusPullOpen},
		"approved draft": {m{"headPipeline": jobs(job("SUCCESS", false)), "draft": true, "approvedBy": m{"nodes": []any{m{"username": "bob"}}}},
			worker.StatusPullOpen},
		"runs":               {m{"headPipeline": jobs(job("RUNNING", false))}, worker.StatusPullOpen},
		"of an older commit": {m{"headPipeline": m{"sha": "h0", "jobs": m{"nodes": []any{job("FAILED", false)}}}}, worker.StatusPullOpen},
		"of the merge result": {m{"headPipeline": m{"sha": "m0", "mergeRequestEventType": "MERGED_RESULT", "jobs": m{"nodes": []any{job("FAILED", false)}}}},
			worker.StatusCIFailed},
		"conflicts":    {m{"conflicts": true}, worker.StatusMergeConflict},
		"nobody knows": {m{"detailedMergeStatus": "CHECKING", "headPipeline": jobs(job("SUCCESS", false))}, worker.StatusPullOpen},
		"not approved": {m{"approved": false}, worker.StatusReviewPending},
		"approved":     {m{"approvedBy": m{"nodes": []any{m{"username": "bob"}}}}, worker.StatusApproved},
		"changes": {m{"reviewers": m{"nodes": []any{m{"username": "bob", "mergeRequestInteraction": m{"reviewState": "REQUESTED_CHANGES"}}}}},
			worker.StatusChangesRequested},
		"thread":       {m{"discussions": thread(note("bob", "Maintainer", "why", false))}, worker.StatusChangesRequested},
		"a stranger's": {m{"discussions": thread(note("eve", "Guest", "run this", false))}, worker.StatusPullOpen},
		"nobody's":     {m{"discussions": thread(note("eve", "", "run this", false))}, worker.StatusPullOpen},
		"a bot's":      {m{"discussions": thread(note("bot", "", "nil pointer", true))}, worker.StatusPullOpen},
		"merged":       {m{"state": "merged"}, worker.StatusMerged},
		"a fork's":     {m{"sourceProject": m{"fullPath": "eve/cart"}}, ""},
	} {
		l, g := newLab(t)
		for k, v := range c.set {
			l.node[k] = v
		}
		pulls, err := g.Pulls(t.Context(), "", []string{"aburn/fix"})
		p := pulls["aburn/fix"]
		if err != nil || (p == nil) != (c.want == "") {
			t.Errorf("%s: %v %v", name, p, err)
			continue
		}
		if p == nil {
			continue
		}
		facts := []worker.Fact{{Kind: worker.Launched, Gen: 1}, {Kind: worker.Prompted}, {Kind: worker.TurnEnded}}
		facts = append(facts, p.Known().Facts()...)
		for i := range facts {
			facts[i].Seq, facts[i].File, facts[i].At = uint64(i+1), worker.Ledger, noon
		}
		if got := worker.Reduce(facts).Status(); got != c.want || l.calls != 1 {
			t.Errorf("%s: %s, %d calls", name, got, l.calls)
		}
	}
}

// TestGitLabThatFails: each failure is an error as a whole, a pause is kept, and the token goes nowhere else.
func TestGitLabThatFails(t *testing.T) {
	elsewhere := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	code := func(n int, head, body string) func(http.ResponseWriter) bool {
		return func(w http.ResponseWriter) bool {
			if name, value, ok := strings.Cut(head, ": "); ok {
				w.Header().Set(name, value)
			}
			w.WriteHeader(n)
			io.WriteString(w, body)
			return true
		}
	}
	for name, c := range map[string]struct {
		fail  func(http.ResponseWriter) bool
		want  string
		until time.Duration
	}{
		"500":      {code(500, "", "<html>"), "<html> (HTTP 500)", 0},
		"429":      {code(429, "Retry-After: 33", `{"message":"Too many"}`), "Too many", 33 * time.Second},
		"429 date": {code(429, "Retry-After: "+noon.Add(2*time.Minute).Format(http.TimeFormat), ""), "", 2 * time.Minute},
		"429 bare": {code(429, "", ""), "", time.Minute},
		"503":      {code(503, "Retry-After: 5", ""), "", 5 * time.Second},
		"errors":   {code(200, "", `{"errors":[{"message":"Field 'bot' doesn't exist"}]}`), "Field 'bot' doesn't exist", 0},
		"no JSON":  {code(200, "", "<html>"), "broke off", 0},
		"redirect": {code(302, "Location: "+other.URL, ""), "HTTP 302", 0},
		"half": {func(w http.ResponseWriter) bool {
			w.Header().Set("Content-Length", "5000")
			io.WriteString(w, `{"data":{"project":{"mergeRequests":{"nodes":[`)
			return true
		}, "broke off", 0},
		"large": {func(w http.ResponseWriter) bool {
			io.WriteString(w, `{"data":"`+strings.Repeat("x", maxAnswer+10)+`"}`)
			return true
		}, "more than 16 MiB", 0},
	} {
		l, g := newLab(t)
		l.fail = c.fail
		pulls, err := g.Pulls(t.Context(), "", []string{"aburn/fix"})
		var limited *Limited
		errors.As(err, &limited)
		if err == nil || pulls != nil || !strings.Contains(err.Error(), c.want) || (limited != nil) != (c.until > 0) || limited != nil &&
			limited.Until.Sub(noon) != c.until {
			t.Errorf("%s: %v %v", name, pulls, err)
		}
	}
	if elsewhere > 0 {
		t.Error("a redirect was followed")
	}
	l, g := newLab(t)
	g.Token = "another"
	if _, err := g.Pulls(t.Context(), "", []string{"aburn/fix"}); !errors.Is(err, ErrNoLogin) {
		t.Errorf("401: %v", err)
	}
	l.Close()
	if _, err := g.Pulls(t.Context(), "", []string{"aburn/fix"}); err == nil || strings.Contains(err.Error(), g.Token) {
		t.Errorf("nobody there: %v", err)
	}
}

// TestGitLabActs: it opens, merges only what was judged, and gives the log without its colours.
func TestGitLabActs(t *testing.T) {
	l, g := newLab(t)
	p, err := g.Open(t.Context(), New{Branch: "aburn/fix", Base: "main", Title: "fix", Body: "* fix", Draft: true})
	if err != nil || p.Number != 7 || !p.Draft || l.got["title"] != "Draft: fix" || l.got["source_branch"] != "aburn/fix" || l.got["target_branch"] != "main" {
		t.Errorf("%+v %v %v", p, err, l.got)
	}
	if _, err := g.Open(t.Context(), New{Branch: "b", Base: "main", Title: "t", Owner: "ann"}); err == nil {
		t.Error("opened from a fork")
	}
	if log, err := g.Log(t.Context(), Check{ID: "12"}); err != nil || log.Text != "$ go test\nwant 3 carts" {
		t.Errorf("%q %v", log.Text, err)
	}
	if err := g.Merge(t.Context(), &Pull{Number: 7, Head: "h0"}, ""); err == nil {
		t.Error("merged a head that nobody judged")
	}
	if err := g.Merge(t.Context(), p, "squash"); err != nil || l.got["squash"] != true {
		t.Errorf("%v %v", err, l.got)
	}
}

// Package fakegh is a stand-in for gh with a state: pull requests, checks, reviews, threads and logs that a test changes, in the forms
// that GitHub answers in. It refuses what GitHub would refuse, and fails as told.
package fakegh

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"aburn/internal/lockfile"
)

// State is what the forge knows. Its JSON lies in the file that FAKE_GH names.
type State struct {
	Repo  string // owner/name
	Git   string // a bare repository, which says where branches stand; "" takes Pull.Head
	Login string // of the person; "" is Owner of Repo
	Auto  bool   // the check of the first commit of a pull request fails, as job 7, and those of others pass
	Pulls []*Pull
	Logs  map[string]Log // by job
	Fail  []Failure      // what the next calls answer instead
	Calls []Call
}

// Pull is a pull request. Words are GitHub's.
type Pull struct {
	Number                      int
	Title, Body, State          string
	Branch, Head, Owner         string
	Base, BaseAt                string
	Draft                       bool
	Mergeable, Decision, Author string
	Asked                       int
	Checks                      []Check
	Reviews                     []Comment
	Threads                     []*Thread
	Merged                      string // how
	First                       string // the first head that was seen, with State.Auto
}

// Check is a check run, or a status if Status is set.
type Check struct {
	ID                int64
	Name, Conclusion  string // "" runs
	App, Status, Text string
}

// Comment is a comment or a review.
type Comment struct{ ID, Author, Type, Association, State, Body, Head string }

// Thread is a conversation on a line.
type Thread struct {
	ID, Path string
	Line     int
	Resolved bool
	Comments []Comment
}

// Log is of one job.
type Log struct{ Step, Text string }

// Failure is an answer that is none.
type Failure struct {
	When string // a part of the call's arguments; "" is any
	Code int    // of HTTP; 0: no answer at all
	Head map[string]string
	Body string
	Half bool // the real answer, cut in the middle
}

// Call is one call.
type Call struct {
	Args  []string
	Input string
}

// Main is the stand-in as a program.
func Main() {
	path := os.Getenv("FAKE_GH")
	in, _ := io.ReadAll(os.Stdin)
	var out, errs []byte
	code := 1
	err := Change(path, func(s *State) { out, errs, code = s.Do(os.Args[1:], in) })
	if err != nil {
		errs = []byte("fake gh: " + err.Error() + "\n")
	}
	os.Stdout.Write(out)
	os.Stderr.Write(errs)
	os.Exit(code)
}

// Change changes the state in a file, alone.
func Change(path string, do func(*State)) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer root.Close()
	lock, err := lockfile.Acquire(root, filepath.Base(path)+".lock", 2*time.Minute)
	if err != nil {
		return err
	}
	defer lock.Release()
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var s State
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	do(&s)
	if data, err = json.MarshalIndent(&s, "", " "); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

// Do answers one call.
func (s *State) Do(args []string, in []byte) (out, errs []byte, code int) {
	s.Calls = append(s.Calls, Call{args, string(in)})
	if len(args) == 0 || args[0] != "api" {
		return nil, []byte("unknown command\n"), 1
	}
	include := slices.Contains(args, "--include")
	for i, f := range s.Fail {
		if !strings.Contains(strings.Join(args, " "), f.When) {
			continue
		}
		s.Fail = slices.Delete(s.Fail, i, i+1)
		if f.Half {
			status, body := s.answer(args, in)
			whole := render(include, status, nil, body)
			return whole[:len(whole)/2], nil, 0
		}
		if f.Code == 0 {
			return nil, []byte("error connecting to api.github.com\ncheck your internet connection\n"), 1
		}
		return render(include, f.Code, f.Head, []byte(f.Body)), []byte(fmt.Sprintf("gh: failed (HTTP %d)\n", f.Code)), 1
	}
	status, body := s.answer(args, in)
	out = render(include, status, nil, body)
	if status > 299 {
		return out, []byte(fmt.Sprintf("gh: failed (HTTP %d)\n", status)), 1
	}
	return out, nil, 0
}

func render(include bool, code int, head map[string]string, body []byte) []byte {
	if !include {
		return body
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/2.0 %d Said\nContent-Type: application/json; charset=utf-8\r\n", code)
	for name, value := range head {
		fmt.Fprintf(&b, "%s: %s\r\n", name, value)
	}
	b.WriteString("\r\n")
	return append(b.Bytes(), body...)
}

func refuse(code int, text string) (int, []byte) {
	body, _ := json.Marshal(map[string]any{"message": text})
	return code, body
}

func (s *State) answer(args []string, in []byte) (int, []byte) {
	method, path := "GET", args[len(args)-1]
	for i, a := range args {
		switch a {
		case "--method":
			method = args[i+1]
		case "--input":
			path = args[i-1]
		}
	}
	rest, ours := strings.CutPrefix(path, "repos/"+s.Repo+"/")
	job := regexp.MustCompile(`^actions/jobs/(\d+)(/logs)?$`).FindStringSubmatch(rest)
	var number int
	merge, _ := fmt.Sscanf(rest, "pulls/%d/merge", &number)
	switch {
	case path == "graphql":
		return s.query(in)
	case !ours:
		return refuse(404, "Not Found")
	case job != nil && method == "GET":
		return s.job(job[1], job[2] != "")
	case rest == "pulls" && method == "POST":
		return s.open(in)
	case merge == 1 && method == "PUT":
		return s.merge(number, in)
	}
	return refuse(404, "Not Found")
}

func (s *State) job(id string, log bool) (int, []byte) {
	l, ok := s.Logs[id]
	if !ok {
		return refuse(404, "Not Found")
	}
	if log {
		return 200, []byte(l.Text)
	}
	body, _ := json.Marshal(map[string]any{"id": id, "steps": []any{
		map[string]any{"name": "Set up job", "conclusion": "success"}, map[string]any{"name": l.Step, "conclusion": "failure"},
	}})
	return 200, body
}

func (s *State) owner() string {
	owner, _, _ := strings.Cut(s.Repo, "/")
	return owner
}

// head is where a branch stands; "" if nobody pushed it.
func (s *State) head(branch string) string {
	if s.Git == "" {
		return "0123456789012345678901234567890123456789"
	}
	out, _ := exec.Command("git", "-C", s.Git, "rev-parse", "--verify", "-q", "refs/heads/"+branch).Output()
	return strings.TrimSpace(string(out))
}

func (s *State) open(in []byte) (int, []byte) {
	var n struct {
		Title, Body, Head, Base string
		Draft                   bool
	}
	json.Unmarshal(in, &n)
	head, base := s.head(n.Head), s.head(n.Base)
	open := slices.ContainsFunc(s.Pulls, func(p *Pull) bool { return p.Branch == n.Head && p.State == "OPEN" })
	switch {
	case n.Title == "" || head == "" || base == "":
		return 422, []byte(`{"message":"Validation Failed","errors":[{"message":"head or base is invalid"}]}`)
	case open:
		return 422, []byte(`{"message":"Validation Failed","errors":[{"message":"A pull request already exists for ` + n.Head + `."}]}`)
	}
	p := &Pull{Number: 31 + len(s.Pulls), Title: n.Title, Body: n.Body, State: "OPEN", Branch: n.Head, Head: head, Base: n.Base, Draft: n.Draft,
		Mergeable: "UNKNOWN"}
	s.Pulls = append(s.Pulls, p)
	body, _ := json.Marshal(map[string]any{"number": p.Number, "html_url": s.url(p), "head": map[string]any{"sha": head}, "draft": n.Draft})
	return 201, body
}

func (s *State) url(p *Pull) string {
	return fmt.Sprintf("https://github.com/%s/pull/%d", s.Repo, p.Number)
}

func (s *State) merge(number int, in []byte) (int, []byte) {
	var n struct {
		SHA string `json:"sha"`
		How string `json:"merge_method"`
	}
	json.Unmarshal(in, &n)
	for _, p := range s.Pulls {
		switch {
		case p.Number != number:
		case n.SHA != p.Head:
			return refuse(409, "Head branch was modified. Review and try the merge again.")
		case p.State != "OPEN" || p.Mergeable != "MERGEABLE":
			return refuse(405, "Pull Request is not mergeable")
		default:
			p.State, p.Merged = "MERGED", n.How
			return 200, []byte(`{"merged":true}`)
		}
	}
	return refuse(404, "Not Found")
}

// query answers the one query that aburn asks; it has to name each field that it reads.
func (s *State) query(in []byte) (int, []byte) {
	var q struct {
		Query     string
		Variables map[string]any
	}
	if err := json.Unmarshal(in, &q); err != nil {
		return refuse(400, "Problems parsing JSON")
	}
	if fmt.Sprint(q.Variables["owner"], "/", q.Variables["name"]) != s.Repo {
		return 200, []byte(`{"data":{"repository":null},"errors":[{"type":"NOT_FOUND","message":"Could not resolve to a Repository"}]}`)
	}
	repository := map[string]any{}
	if number, ok := q.Variables["number"].(float64); ok {
		if !strings.Contains(q.Query, "pullRequest(number: $number)") || !strings.Contains(q.Query, "$number: Int!") {
			return refuse(400, "the query does not ask for a number")
		}
		repository["pullRequest"] = nil
		for _, p := range s.Pulls {
			if p.Number == int(number) {
				repository["pullRequest"] = s.node(p)
			}
		}
	}
	for i := 0; ; i++ {
		alias := fmt.Sprintf("b%d", i)
		branch, ok := q.Variables[alias].(string)
		if !ok {
			break
		}
		if !strings.Contains(q.Query, alias+": pullRequests(headRefName: $"+alias+",") || !strings.Contains(q.Query, "$"+alias+": String!") {
			return refuse(400, "the query does not ask for "+alias)
		}
		nodes := []any{}
		for _, p := range slices.Backward(s.Pulls) {
			if p.Branch == branch {
				nodes = append(nodes, s.node(p))
			}
		}
		repository[alias] = map[string]any{"nodes": nodes}
	}
	body, _ := json.Marshal(map[string]any{"data": map[string]any{"rateLimit": map[string]any{"remaining": 4990, "resetAt": "2026-11-22T13:00:00Z"},
		"repository": repository}})
	return 200, body
}

func or(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

func list(n int, nodes any) map[string]any { return map[string]any{"totalCount": n, "nodes": nodes} }

func author(login, kind string) map[string]any {
	return map[string]any{"login": login, "__typename": or(kind, "User")}
}

func comment(c Comment) map[string]any {
	return map[string]any{"id": c.ID, "body": c.Body, "state": c.State, "authorAssociation": or(c.Association, "NONE"), "commit": map[string]any{"oid": c.Head},
		"author": author(c.Author, c.Type)}
}

func (s *State) node(p *Pull) map[string]any {
	if h := s.head(p.Branch); s.Git != "" && h != "" && p.State == "OPEN" {
		p.Head = h
	}
	if s.Auto {
		if p.First == "" {
			p.First = p.Head
		}
		p.Mergeable, p.Checks = "MERGEABLE", []Check{{ID: 7, Name: "test", Conclusion: "FAILURE"}}
		if p.Head != p.First {
			p.Checks = []Check{{ID: 8, Name: "test", Conclusion: "SUCCESS"}}
		}
	}
	var reviews, threads, checks []any
	for _, r := range p.Reviews {
		reviews = append(reviews, comment(r))
	}
	for _, t := range p.Threads {
		var said []any
		for _, c := range t.Comments {
			said = append(said, comment(c))
		}
		threads = append(threads, map[string]any{"id": t.ID, "isResolved": t.Resolved, "path": t.Path, "line": t.Line, "comments": list(len(said), said)})
	}
	for _, c := range p.Checks {
		checks = append(checks, c.node())
	}
	commit := map[string]any{"oid": p.Head, "statusCheckRollup": nil}
	if len(checks) > 0 {
		commit["statusCheckRollup"] = map[string]any{"contexts": list(len(checks), checks)}
	}
	var decision any
	if p.Decision != "" {
		decision = p.Decision
	}
	return map[string]any{
		"number": p.Number, "url": s.url(p), "title": p.Title, "state": p.State, "isDraft": p.Draft, "headRefName": p.Branch, "headRefOid": p.Head,
		"baseRefName": p.Base,
		"baseRefOid":  p.BaseAt, "mergeable": or(p.Mergeable, "MERGEABLE"), "reviewDecision": decision, "author": author(or(p.Author, or(s.Login, s.owner())), ""),
		"headRepositoryOwner": map[string]any{"login": or(p.Owner, s.owner())}, "reviewRequests": map[string]any{"totalCount": p.Asked},
		"latestReviews": list(len(reviews), reviews), "reviewThreads": list(len(threads), threads),
		"commits": map[string]any{"nodes": []any{map[string]any{"commit": commit}}},
	}
}

func (c Check) node() map[string]any {
	if c.Status != "" {
		return map[string]any{"__typename": "StatusContext", "context": c.Name, "state": c.Status, "targetUrl": "https://ci.example.com/1", "description": c.Text}
	}
	status := "COMPLETED"
	if c.Conclusion == "" {
		status = "IN_PROGRESS"
	}
	return map[string]any{
		"__typename": "CheckRun", "databaseId": c.ID, "name": c.Name, "status": status, "conclusion": c.Conclusion, "detailsUrl": "https://github.com/x",
		"title": nil, "summary": c.Text, "checkSuite": map[string]any{"app": map[string]any{"slug": or(c.App, "github-actions")}},
	}
}

package forge

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"aburn/worker"
)

// GitLab is a project on GitLab, asked over its API with a token that a person's own file names.
type GitLab struct {
	Place Place
	Base  string // https://HOST, or where a person said that its API is
	Token string
	Now   func() time.Time
}

const labPatience = 30 * time.Second

// Name says which forge it is.
func (g *GitLab) Name() string { return "gitlab" }

// Host is that of the project.
func (g *GitLab) Host() string { return g.Place.Host }

// call makes one call. Redirects are not followed: the token is for this host.
func (g *GitLab) call(ctx context.Context, method, path string, body any, keep func(io.Reader) error) error {
	ctx, cancel := context.WithTimeout(ctx, labPatience)
	defer cancel()
	var in io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		in = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, g.Base+path, in)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+g.Token)
	req.Header.Set("User-Agent", "aburn")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return &Failed{Text: err.Error()}
	}
	defer resp.Body.Close()
	if resp.StatusCode > 199 && resp.StatusCode < 300 {
		if err := keep(resp.Body); err != nil {
			return &Failed{Text: "the answer broke off: " + err.Error()}
		}
		return nil
	}
	said, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if until, ok := pause(resp.StatusCode, resp.Header, g.now()); ok {
		return &Limited{until, message(said)}
	}
	if resp.StatusCode == http.StatusUnauthorized {
		return ErrNoLogin
	}
	return &Failed{resp.StatusCode, message(said)}
}

func (g *GitLab) now() time.Time {
	if g.Now != nil {
		return g.Now()
	}
	return time.Now()
}

// decode reads a whole JSON answer.
func decode(v any) func(io.Reader) error {
	return func(r io.Reader) error {
		data, err := io.ReadAll(io.LimitReader(r, maxAnswer+1))
		if err == nil && len(data) > maxAnswer {
			err = fmt.Errorf("it has more than %d MiB", maxAnswer>>20)
		}
		if err != nil {
			return err
		}
		return json.Unmarshal(data, v)
	}
}

const labQuery = `query($path: ID!, $branches: [String!]) {
  project(fullPath: $path) {
    mergeRequests(sourceBranches: $branches, sort: CREATED_DESC, first: 100) {
      nodes { iid webUrl title state draft sourceBranch targetBranch diffHeadSha conflicts approved detailedMergeStatus
        diffRefs { baseSha } sourceProject { fullPath } author { username }
        approvedBy(first: 1) { nodes { username } }
        reviewers(first: 20) { nodes { username mergeRequestInteraction { reviewState } } }
        headPipeline { sha mergeRequestEventType jobs(first: 100, retried: false) { pageInfo { hasNextPage } nodes { id name status allowFailure webPath } } }
        discussions(first: 80) { pageInfo { hasNextPage } nodes { id resolvable resolved
          notes(first: 20) { nodes { id system body maxAccessLevelOfAuthor author { username bot } position { filePath newLine } } } } }
      }
    }
  }
}`

// labPull is a merge request as GitLab's GraphQL gives it.
type labPull struct {
	IID          string `json:"iid"`
	WebURL       string `json:"webUrl"`
	Title, State string
	Draft        bool
	SourceBranch string
	TargetBranch string
	DiffHeadSHA  string `json:"diffHeadSha"`
	Conflicts    bool
	Approved     bool
	MergeStatus  string `json:"detailedMergeStatus"`
	DiffRefs     struct {
		BaseSHA string `json:"baseSha"`
	}
	SourceProject struct{ FullPath string }
	Author        struct{ Username string }
	ApprovedBy    struct{ Nodes []struct{ Username string } }
	Reviewers     struct {
		Nodes []struct {
			Username    string
			Interaction struct{ ReviewState string } `json:"mergeRequestInteraction"`
		}
	}
	HeadPipeline *struct {
		SHA   string
		Event string `json:"mergeRequestEventType"`
		Jobs  labList[labJob]
	}
	Discussions labList[labThread]
}

type labList[T any] struct {
	PageInfo struct{ HasNextPage bool }
	Nodes    []T
}

type labJob struct {
	ID, Name, Status string
	AllowFailure     bool
	WebPath          string
}

type labThread struct {
	ID                   string
	Resolvable, Resolved bool
	Notes                labList[labNote]
}

type labNote struct {
	ID     string
	System bool
	Body   string
	Access string `json:"maxAccessLevelOfAuthor"`
	Author struct {
		Username string
		Bot      bool
	}
	Position *struct {
		FilePath string
		NewLine  int
	}
}

// Pulls asks for all branches in one call.
func (g *GitLab) Pulls(ctx context.Context, owner string, branches []string) (map[string]*Pull, error) {
	branches = branches[:min(len(branches), MaxBranches)]
	var said struct {
		Data struct {
			Project *struct {
				MergeRequests *labList[labPull]
			}
		}
		Errors []struct{ Message string }
	}
	ask := map[string]any{"query": labQuery, "variables": map[string]any{"path": g.Place.Path, "branches": branches}}
	if err := g.call(ctx, http.MethodPost, "/api/graphql", ask, decode(&said)); err != nil {
		return nil, err
	}
	switch {
	case len(said.Errors) > 0:
		return nil, &Failed{Text: cut(said.Errors[0].Message, 300)}
	case said.Data.Project == nil:
		return nil, &Failed{Text: "there is no project " + g.Place.Path + ", or your token may not see it"}
	case said.Data.Project.MergeRequests == nil:
		return nil, &Failed{Text: "the answer leaves out merge requests"}
	}
	if owner == "" {
		owner = g.Place.Owner()
	}
	_, name := g.Place.split()
	pulls := map[string]*Pull{}
	for _, n := range said.Data.Project.MergeRequests.Nodes {
		if !strings.EqualFold(n.SourceProject.FullPath, owner+"/"+name) || !slices.Contains(branches, n.SourceBranch) {
			continue
		}
		p, err := n.pull()
		if err != nil {
			return nil, err
		}
		if old := pulls[p.Branch]; old == nil || old.Is != worker.PullOpen && p.Is == worker.PullOpen {
			pulls[p.Branch] = p
		}
	}
	return pulls, nil
}

func (n *labPull) pull() (*Pull, error) {
	p := &Pull{
		URL: n.WebURL, Title: n.Title, Author: n.Author.Username, Draft: n.Draft, Branch: n.SourceBranch, Head: n.DiffHeadSHA, Base: n.TargetBranch,
		BaseAt: n.DiffRefs.BaseSHA,
		Is:     map[string]string{"opened": worker.PullOpen, "locked": worker.PullOpen, "merged": worker.PullMerged, "closed": worker.PullClosed}[n.State],
		Asked:  len(n.Reviewers.Nodes) > 0, More: n.Discussions.PageInfo.HasNextPage,
	}
	if _, err := fmt.Sscan(n.IID, &p.Number); err != nil || p.Number <= 0 || p.Is == "" {
		return nil, &Failed{Text: "the answer has a merge request without a number or state"}
	}
	if !slices.Contains([]string{"CHECKING", "UNCHECKED", "PREPARING"}, n.MergeStatus) {
		p.Conflicts = &n.Conflicts
	}
	switch {
	case !n.Approved:
		p.Decision = worker.ReviewAsked // by the project's rules
	case len(n.ApprovedBy.Nodes) > 0:
		p.Decision = worker.ReviewApproved
	}
	for _, r := range n.Reviewers.Nodes {
		if r.Interaction.ReviewState == "REQUESTED_CHANGES" {
			p.Decision = worker.ReviewChanges
			p.Reviews = append(p.Reviews, Review{Comment{ID: "review of " + r.Username, Author: r.Username, Known: true}, worker.ReviewChanges, ""})
		}
	}
	for _, d := range n.Discussions.Nodes {
		if t, ok := d.thread(); ok {
			p.Threads = append(p.Threads, t)
		}
	}
	// A pipeline of an older commit says nothing of this one; one of the merged result has a commit of its own.
	if h := n.HeadPipeline; h != nil && (h.SHA == n.DiffHeadSHA || h.Event == "MERGED_RESULT" || h.Event == "MERGE_TRAIN") {
		p.More = p.More || h.Jobs.PageInfo.HasNextPage
		for _, j := range h.Jobs.Nodes {
			p.Checks = append(p.Checks, j.check())
		}
	}
	return p, nil
}

// accesses are those that may write to the repository.
var accesses = []string{"DEVELOPER", "MAINTAINER", "OWNER"}

func (d *labThread) thread() (t Thread, ok bool) {
	t.ID = d.ID
	for _, n := range d.Notes.Nodes {
		if n.System {
			continue
		}
		if n.Position != nil && t.Path == "" {
			t.Path, t.Line = n.Position.FilePath, n.Position.NewLine
		}
		t.Comments = append(t.Comments, Comment{ID: n.ID, Author: n.Author.Username, Known: slices.Contains(accesses, strings.ToUpper(n.Access)), Bot: n.Author.Bot,
			Text: n.Body})
	}
	return t, d.Resolvable && !d.Resolved && len(t.Comments) > 0
}

func (j *labJob) check() Check {
	c := Check{ID: j.ID[strings.LastIndexByte(j.ID, '/')+1:], Name: j.Name, Is: worker.CheckPending, URL: j.WebPath}
	switch {
	case j.Status == "SUCCESS":
		c.Is = worker.CheckPassing
	case j.Status == "SKIPPED" || j.AllowFailure && slices.Contains([]string{"FAILED", "CANCELED", "MANUAL"}, j.Status):
		c.Is = ""
	case j.Status == "CANCELED":
		c.Is, c.Why, c.Stopped = worker.CheckFailing, "cancelled", true
	case j.Status == "MANUAL": // the pipeline is blocked until somebody starts it
		c.Is, c.Why, c.Stopped = worker.CheckFailing, "waits for a person", true
	case j.Status == "FAILED":
		c.Is = worker.CheckFailing
	}
	return c
}

func (g *GitLab) project() string { return "/api/v4/projects/" + url.PathEscape(g.Place.Path) }

// Log is the end of what a job printed.
func (g *GitLab) Log(ctx context.Context, c Check) (l Log, err error) {
	if c.ID == "" {
		return l, nil
	}
	said := &tail{}
	err = g.call(ctx, http.MethodGet, g.project()+"/jobs/"+url.PathEscape(c.ID)+"/trace", nil, func(r io.Reader) error {
		_, err := io.Copy(said, io.LimitReader(r, maxAnswer))
		return err
	})
	if err != nil {
		return l, err
	}
	marks := regexp.MustCompile(`section_(start|end):\d+:[^\r\n]*\r?|\x1b\[[0-9;]*[A-Za-z]`)
	return Log{Text: strings.TrimSpace(strings.ReplaceAll(marks.ReplaceAllString(said.String(), ""), "\r", ""))}, nil
}

// Open opens a merge request.
func (g *GitLab) Open(ctx context.Context, n New) (*Pull, error) {
	if n.Owner != "" && !strings.EqualFold(n.Owner, g.Place.Owner()) {
		return nil, &Failed{Text: "a merge request from a fork has to be opened on the page: " + g.Base + "/" + g.Place.Path}
	}
	title := n.Title
	if n.Draft {
		title = "Draft: " + title
	}
	var made struct {
		IID    int    `json:"iid"`
		WebURL string `json:"web_url"`
		SHA    string `json:"sha"`
		Draft  bool   `json:"draft"`
	}
	err := g.call(ctx, http.MethodPost, g.project()+"/merge_requests",
		map[string]any{"source_branch": n.Branch, "target_branch": n.Base, "title": title, "description": n.Body}, decode(&made))
	if err == nil && made.IID == 0 {
		err = &Failed{Text: "the forge does not say which merge request it opened"}
	}
	if err != nil {
		return nil, err
	}
	return &Pull{Number: made.IID, URL: made.WebURL, Title: n.Title, Is: worker.PullOpen, Draft: made.Draft, Branch: n.Branch, Head: made.SHA, Base: n.Base}, nil
}

// Merge merges p, if its head is still p.Head. How its commits are joined is the project's setting, squashing aside.
func (g *GitLab) Merge(ctx context.Context, p *Pull, how string) error {
	var said any
	return g.call(ctx, http.MethodPut, fmt.Sprintf("%s/merge_requests/%d/merge", g.project(), p.Number), map[string]any{"sha": p.Head, "squash": how == "squash"},
		decode(&said))
}

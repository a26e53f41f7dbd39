package tracker

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"aburn/internal/fetch"
)

// gitLab asks GitLab's REST interface, version 4.
type gitLab struct{ o Options }

const gitLabHint = "look at trackers: {gitlab: …} in your own workers.yaml: the token needs the scope read_api, and api to comment"

func (g gitLab) ask(ctx context.Context, id, method, rest string, body any) ([]byte, error) {
	r := fetch.Request{
		Method: method, Header: map[string]string{"PRIVATE-TOKEN": g.o.Token, "Accept": "application/json"},
		URL: strings.TrimRight(cmp.Or(g.o.URL, "https://gitlab.com"), "/") + "/api/v4/projects/" + url.PathEscape(g.o.Repo) + "/issues/" + url.PathEscape(id) + rest,
	}
	if body != nil {
		r.Header["Content-Type"] = "application/json"
		r.Body, _ = json.Marshal(body) // strings
	}
	out, err := g.o.Fetch.Do(ctx, r)
	if err != nil {
		return nil, told("GitLab", id, err, gitLabHint)
	}
	return out, nil
}

func (g gitLab) Issue(ctx context.Context, id string) (Issue, error) {
	out, err := g.ask(ctx, id, "GET", "", nil)
	if err != nil {
		return Issue{}, err
	}
	var a struct {
		Title       string   `json:"title"`
		Description string   `json:"description"`
		Labels      []string `json:"labels"`
		WebURL      string   `json:"web_url"`
		State       string   `json:"state"`
		Author      struct {
			Username string `json:"username"`
		} `json:"author"`
	}
	if err := json.Unmarshal(out, &a); err != nil {
		return Issue{}, problem("GitLab: its answer is no JSON, or half of it")
	}
	return bounded(id, Issue{Title: a.Title, Body: a.Description, Labels: a.Labels, URL: a.WebURL, Author: a.Author.Username, Closed: a.State == "closed"})
}

func (g gitLab) Comment(ctx context.Context, id, text string) error {
	_, err := g.ask(ctx, id, "POST", "/notes", map[string]string{"body": text})
	return err
}

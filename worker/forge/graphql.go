package forge

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"aburn/worker"
)

// pullFields are what is asked of each pull request.
const pullFields = `fragment pull on PullRequest {
  number url title state isDraft headRefName headRefOid baseRefName baseRefOid mergeable reviewDecision
  author { login } headRepositoryOwner { login }
  reviewRequests(first: 1) { totalCount }
  latestReviews(first: 20) { totalCount nodes { id state body authorAssociation author { login __typename } commit { oid } } }
  reviewThreads(first: 80) { totalCount nodes { id isResolved path line comments(last: 5) { nodes { id body authorAssociation author { login __typename } } } } }
  commits(last: 1) { nodes { commit { oid statusCheckRollup { contexts(first: 100) { totalCount nodes { __typename
    ... on CheckRun { databaseId name status conclusion detailsUrl title summary checkSuite { app { slug } } }
    ... on StatusContext { context state targetUrl description } } } } } } }
}`

// Pulls asks for all branches in one call.
func (g *GitHub) Pulls(ctx context.Context, owner string, branches []string) (map[string]*Pull, error) {
	branches = branches[:min(len(branches), MaxBranches)]
	of, name := g.Place.split()
	vars := map[string]any{"owner": of, "name": name}
	params, fields := "$owner: String!, $name: String!", ""
	for i, b := range branches {
		vars[fmt.Sprintf("b%d", i)] = b
		params += fmt.Sprintf(", $b%d: String!", i)
		fields += fmt.Sprintf("    b%d: pullRequests(headRefName: $b%d, first: 5, orderBy: {field: CREATED_AT, direction: DESC}) { nodes { ...pull } }\n", i, i)
	}
	query := "query(" + params + ") {\n  rateLimit { remaining resetAt }\n  repository(owner: $owner, name: $name) {\n" + fields + "  }\n}\n" + pullFields
	a, err := g.api(ctx, map[string]any{"query": query, "variables": vars}, "graphql")
	if err != nil {
		return nil, err
	}
	var said struct {
		Data struct {
			Limit struct {
				Remaining *int      `json:"remaining"`
				ResetAt   time.Time `json:"resetAt"`
			} `json:"rateLimit"`
			Repository map[string]struct{ Nodes []ghPull } `json:"repository"`
		} `json:"data"`
		Errors []struct{ Type, Message string } `json:"errors"`
	}
	if err := json.Unmarshal(a.body, &said); err != nil {
		return nil, &Failed{Text: "the answer is no JSON: " + err.Error()}
	}
	for _, e := range said.Errors {
		if e.Type == "RATE_LIMITED" {
			return nil, &Limited{g.now().Add(defaultPause), cut(e.Message, 300)}
		}
	}
	if len(said.Errors) > 0 {
		return nil, &Failed{Text: cut(said.Errors[0].Message, 300)}
	}
	if said.Data.Repository == nil {
		return nil, &Failed{Text: "there is no repository " + g.Place.Path}
	}
	if owner == "" {
		owner = of
	}
	pulls := map[string]*Pull{}
	for i, b := range branches {
		list, answered := said.Data.Repository[fmt.Sprintf("b%d", i)]
		if !answered {
			return nil, &Failed{Text: "the answer leaves out " + b}
		}
		for _, n := range list.Nodes {
			if !strings.EqualFold(n.HeadOwner.Login, owner) || n.Branch != b {
				continue
			}
			if p := n.pull(); pulls[b] == nil || pulls[b].Is != worker.PullOpen && p.Is == worker.PullOpen {
				pulls[b] = p
			}
		}
	}
	return pulls, nil
}

type ghAuthor struct {
	Login string
	Type  string `json:"__typename"`
}

type ghComment struct {
	ID, Body, State string
	Association     string `json:"authorAssociation"`
	Author          ghAuthor
	Commit          struct{ OID string } // of a review
}

func (c *ghComment) comment() Comment {
	known := c.Association == "OWNER" || c.Association == "MEMBER" || c.Association == "COLLABORATOR"
	return Comment{ID: c.ID, Author: c.Author.Login, Known: known, Bot: c.Author.Type == "Bot", Text: c.Body}
}

// ghPull is a pull request as GitHub's GraphQL gives it.
type ghPull struct {
	Number         int
	URL, Title     string
	State          string
	IsDraft        bool
	Branch         string `json:"headRefName"`
	Head           string `json:"headRefOid"`
	Base           string `json:"baseRefName"`
	BaseAt         string `json:"baseRefOid"`
	Mergeable      string
	Decision       string `json:"reviewDecision"`
	Author         ghAuthor
	HeadOwner      ghAuthor                          `json:"headRepositoryOwner"`
	ReviewRequests struct{ TotalCount int }          `json:"reviewRequests"`
	LatestReviews  ghList[ghComment]                 `json:"latestReviews"`
	ReviewThreads  ghList[ghThread]                  `json:"reviewThreads"`
	Commits        ghList[struct{ Commit ghCommit }] `json:"commits"`
}

type ghList[T any] struct {
	TotalCount int
	Nodes      []T
}

type ghThread struct {
	ID         string
	IsResolved bool
	Path       string
	Line       int
	Comments   ghList[ghComment]
}

type ghCommit struct {
	OID    string                              `json:"oid"`
	Rollup *struct{ Contexts ghList[ghCheck] } `json:"statusCheckRollup"`
}

type ghCheck struct {
	Type                      string `json:"__typename"`
	DatabaseID                int64  `json:"databaseId"`
	Name, Status, Conclusion  string
	DetailsURL                string `json:"detailsUrl"`
	Title, Summary            string
	Suite                     struct{ App struct{ Slug string } } `json:"checkSuite"`
	Context, State, TargetURL string
	Description               string
}

func (n *ghPull) pull() *Pull {
	p := &Pull{
		Number: n.Number, URL: n.URL, Title: n.Title, Author: n.Author.Login, Draft: n.IsDraft, Branch: n.Branch, Head: n.Head, Base: n.Base, BaseAt: n.BaseAt,
		Is:       map[string]string{"OPEN": worker.PullOpen, "MERGED": worker.PullMerged, "CLOSED": worker.PullClosed}[n.State],
		Decision: reviewWords[n.Decision], Asked: n.ReviewRequests.TotalCount > 0,
		More: n.LatestReviews.TotalCount > len(n.LatestReviews.Nodes) || n.ReviewThreads.TotalCount > len(n.ReviewThreads.Nodes),
	}
	if n.Mergeable == "MERGEABLE" || n.Mergeable == "CONFLICTING" {
		c := n.Mergeable == "CONFLICTING"
		p.Conflicts = &c
	}
	for _, r := range n.LatestReviews.Nodes {
		p.Reviews = append(p.Reviews, Review{r.comment(), reviewWords[r.State], r.Commit.OID})
	}
	for _, t := range n.ReviewThreads.Nodes {
		if t.IsResolved || len(t.Comments.Nodes) == 0 {
			continue
		}
		thread := Thread{ID: t.ID, Path: t.Path, Line: t.Line}
		for _, c := range t.Comments.Nodes {
			thread.Comments = append(thread.Comments, c.comment())
		}
		p.Threads = append(p.Threads, thread)
	}
	for _, c := range n.Commits.Nodes {
		if c.Commit.Rollup == nil || c.Commit.OID != n.Head {
			continue
		}
		for _, check := range c.Commit.Rollup.Contexts.Nodes {
			p.Checks = append(p.Checks, check.check())
		}
		p.Checks = superseded(p.Checks)
		p.More = p.More || c.Commit.Rollup.Contexts.TotalCount > len(c.Commit.Rollup.Contexts.Nodes)
	}
	return p
}

var reviewWords = map[string]string{"APPROVED": worker.ReviewApproved, "CHANGES_REQUESTED": worker.ReviewChanges, "REVIEW_REQUIRED": worker.ReviewAsked}

// check reads a check or a status. GitHub merges nothing over a required check that was cancelled, waits for a person or is stale, so
// each of them fails. A conclusion that is not known is not over.
func (c *ghCheck) check() Check {
	if c.Type == "StatusContext" {
		is := map[string]string{"SUCCESS": worker.CheckPassing, "FAILURE": worker.CheckFailing, "ERROR": worker.CheckFailing}[c.State]
		if is == "" {
			is = worker.CheckPending
		}
		return Check{Name: c.Context, Is: is, URL: c.TargetURL, Said: c.Description}
	}
	k := Check{Name: c.Name, Is: worker.CheckPending, URL: c.DetailsURL, Said: strings.TrimSpace(c.Title + "\n" + c.Summary)}
	if c.Suite.App.Slug == "github-actions" && c.DatabaseID > 0 {
		k.ID = strconv.FormatInt(c.DatabaseID, 10) // of the job too
	}
	if c.Status != "COMPLETED" {
		return k
	}
	switch c.Conclusion {
	case "SUCCESS":
		k.Is = worker.CheckPassing
	case "NEUTRAL", "SKIPPED":
		k.Is = ""
	case "FAILURE", "STARTUP_FAILURE":
		k.Is = worker.CheckFailing
	case "TIMED_OUT":
		k.Is, k.Why = worker.CheckFailing, "timed out"
	case "CANCELLED":
		k.Is, k.Why, k.Stopped = worker.CheckFailing, "cancelled", true
	case "ACTION_REQUIRED":
		k.Is, k.Why, k.Stopped = worker.CheckFailing, "waits for a person", true
	case "STALE":
		k.Is, k.Why, k.Stopped = worker.CheckFailing, "stale: the forge gave up on it", true
	}
	return k
}

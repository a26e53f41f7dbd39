package forge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// ErrElsewhere says that the branch of a pull request is in another repository: a fork, or one that is gone.
var ErrElsewhere = errors.New("its branch is in another repository")

// Numbered asks for one pull request.
func (g *GitHub) Numbered(ctx context.Context, owner string, number int) (*Pull, error) {
	of, name := g.Place.split()
	query := "query($owner: String!, $name: String!, $number: Int!) {\n  repository(owner: $owner, name: $name) {\n    pullRequest(number: $number) { ...pull " +
		"}\n  }\n}\n" + pullFields
	a, err := g.api(ctx, map[string]any{"query": query, "variables": map[string]any{"owner": of, "name": name, "number": number}}, "graphql")
	if err != nil {
		return nil, err
	}
	var said struct {
		Data struct {
			Repository *struct{ PullRequest *ghPull }
		}
		Errors []struct{ Message string }
	}
	if err := json.Unmarshal(a.body, &said); err != nil {
		return nil, &Failed{Text: "the answer is no JSON: " + err.Error()}
	}
	switch r := said.Data.Repository; {
	case r != nil && r.PullRequest != nil:
		if owner == "" {
			owner = of
		}
		if !strings.EqualFold(r.PullRequest.HeadOwner.Login, owner) {
			return r.PullRequest.pull(), ErrElsewhere
		}
		return r.PullRequest.pull(), nil
	case len(said.Errors) > 0:
		return nil, &Failed{Text: cut(said.Errors[0].Message, 300)}
	}
	return nil, &Failed{Text: fmt.Sprintf("there is no pull request %d in %s", number, g.Place.Path)}
}

// Numbered asks for one merge request.
func (g *GitLab) Numbered(ctx context.Context, owner string, number int) (*Pull, error) {
	query := strings.Replace(strings.Replace(labQuery, "$branches: [String!]", "$iids: [String!]", 1), "sourceBranches: $branches", "iids: $iids", 1)
	var said struct {
		Data struct {
			Project *struct{ MergeRequests *labList[labPull] }
		}
		Errors []struct{ Message string }
	}
	ask := map[string]any{"query": query, "variables": map[string]any{"path": g.Place.Path, "iids": []string{strconv.Itoa(number)}}}
	if err := g.call(ctx, http.MethodPost, "/api/graphql", ask, decode(&said)); err != nil {
		return nil, err
	}
	if len(said.Errors) > 0 {
		return nil, &Failed{Text: cut(said.Errors[0].Message, 300)}
	}
	if said.Data.Project == nil || said.Data.Project.MergeRequests == nil || len(said.Data.Project.MergeRequests.Nodes) != 1 {
		return nil, &Failed{Text: fmt.Sprintf("there is no merge request %d in %s, or your token may not see it", number, g.Place.Path)}
	}
	n := &said.Data.Project.MergeRequests.Nodes[0]
	if owner == "" {
		owner = g.Place.Owner()
	}
	p, err := n.pull()
	if _, name := g.Place.split(); err == nil && !strings.EqualFold(n.SourceProject.FullPath, owner+"/"+name) {
		err = ErrElsewhere
	}
	return p, err
}

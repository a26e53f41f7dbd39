package tracker

import (
	"cmp"
	"context"
	"encoding/json"

	"aburn/internal/fetch"
	"aburn/internal/plain"
)

// linear asks Linear's GraphQL interface. It answers with 200 or 400 to what it refuses, and says why in the body.
type linear struct{ o Options }

const linearHint = "look at trackers: {linear: …} in your own workers.yaml"

const (
	linearIssue   = `query($id: String!) { issue(id: $id) { id title description url state { type } labels { nodes { name } } creator { displayName } } }`
	linearComment = `mutation($id: String!, $text: String!) { commentCreate(input: {issueId: $id, body: $text}) { success } }`
)

type linearAnswer struct {
	Data struct {
		Issue *struct {
			ID, Title, Description, URL string
			State                       struct{ Type string }
			Labels                      struct{ Nodes []struct{ Name string } }
			Creator                     *struct{ DisplayName string }
		}
		CommentCreate struct{ Success bool }
	}
	Errors []struct {
		Message    string
		Extensions struct{ Code string }
	}
}

func (l linear) ask(ctx context.Context, id, query string, variables map[string]string, repeat bool) (a linearAnswer, err error) {
	body, _ := json.Marshal(map[string]any{"query": query, "variables": variables}) // strings
	out, err := l.o.Fetch.Do(ctx, fetch.Request{
		Method: "POST", URL: cmp.Or(l.o.URL, "https://api.linear.app/graphql"), Body: body, Repeat: repeat,
		Header: map[string]string{"Authorization": l.o.Token, "Content-Type": "application/json"},
	})
	s, refused := err.(*fetch.Status)
	if refused && s.Code == 400 {
		out, err = s.Body, nil
	}
	if err != nil {
		return a, told("Linear", id, err, linearHint)
	}
	err = json.Unmarshal(out, &a)
	switch {
	case err == nil && len(a.Errors) > 0 && a.Errors[0].Extensions.Code == "AUTHENTICATION_ERROR":
		return a, problem("Linear does not accept the key: "+plain.OneLine(a.Errors[0].Message, 200), linearHint)
	case err == nil && len(a.Errors) > 0:
		return a, problem("Linear: " + plain.OneLine(a.Errors[0].Message, 200))
	case refused:
		return a, told("Linear", id, s, linearHint)
	case err != nil:
		return a, problem("Linear: its answer is no JSON, or half of it")
	}
	return a, nil
}

func (l linear) Issue(ctx context.Context, id string) (Issue, error) {
	a, err := l.ask(ctx, id, linearIssue, map[string]string{"id": id}, true)
	if err != nil {
		return Issue{}, err
	}
	if a.Data.Issue == nil {
		return Issue{}, problem("Linear knows no issue " + id + ", or the key may not see it")
	}
	d := a.Data.Issue
	i := Issue{Title: d.Title, Body: d.Description, URL: d.URL, Closed: d.State.Type == "completed" || d.State.Type == "canceled"}
	for _, n := range d.Labels.Nodes {
		i.Labels = append(i.Labels, n.Name)
	}
	if d.Creator != nil {
		i.Author = d.Creator.DisplayName
	}
	return bounded(id, i)
}

// Comment asks for the issue's internal id first, which is what a comment takes.
func (l linear) Comment(ctx context.Context, id, text string) error {
	a, err := l.ask(ctx, id, linearIssue, map[string]string{"id": id}, true)
	if err == nil && a.Data.Issue == nil {
		err = problem("Linear knows no issue " + id)
	}
	if err != nil {
		return err
	}
	a, err = l.ask(ctx, id, linearComment, map[string]string{"id": a.Data.Issue.ID, "text": text}, false)
	if err == nil && !a.Data.CommentCreate.Success {
		err = problem("Linear did not take the comment")
	}
	return err
}

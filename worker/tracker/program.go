package tracker

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"aburn/internal/plain"
	"aburn/internal/run"
)

// program is a tracker that the person brings: a program that reads one JSON line and writes one, then ends.
type program struct{ o Options }

// Question is the line that it gets.
type Question struct {
	V    int    `json:"v"`  // 1
	Do   string `json:"do"` // issue, comment
	ID   string `json:"id"`
	Repo string `json:"repo,omitempty"`
	Text string `json:"text,omitempty"` // of a comment
}

// answer is the line that it writes: an issue, or an error.
type answer struct {
	Issue
	Error string `json:"error"`
}

func (p program) ask(ctx context.Context, q Question) (a answer, err error) {
	q.V, q.Repo = 1, p.o.Repo
	line, err := json.Marshal(q)
	if err != nil {
		return a, err
	}
	r, err := run.Do(ctx, run.Program{
		Argv: p.o.Command, Dir: p.o.Dir, Env: p.o.Environ, Stdin: bytes.NewReader(append(line, '\n')), Timeout: ghTime,
	})
	name := "the tracker's program " + p.o.Command[0]
	first, _, _ := strings.Cut(strings.TrimSpace(string(r.Stdout)), "\n")
	switch unread := json.Unmarshal([]byte(first), &a); {
	case err != nil:
		return a, problem(name + ": " + err.Error())
	case unread == nil && a.Error != "":
		return a, problem(name + ": " + plain.OneLine(a.Error, 200))
	case r.Code != 0:
		return a, problem(name + ": " + said(r.Stderr))
	case r.Cut:
		return a, problem(name + ": its answer is too long")
	case unread != nil:
		return a, problem(name + ": its answer is no line of JSON")
	}
	return a, nil
}

func (p program) Issue(ctx context.Context, id string) (Issue, error) {
	a, err := p.ask(ctx, Question{Do: "issue", ID: id})
	if err != nil {
		return Issue{}, err
	}
	return bounded(id, a.Issue)
}

func (p program) Comment(ctx context.Context, id, text string) error {
	_, err := p.ask(ctx, Question{Do: "comment", ID: id, Text: text})
	return err
}

package tracker

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"aburn/internal/plain"
	"aburn/internal/run"
)

// gitHub asks through gh, with the person's own login.
type gitHub struct{ o Options }

// ghTime is how long gh may take.
const ghTime = 30 * time.Second

// repository is owner/name, or host/owner/name.
const repository = `^([A-Za-z0-9.-]+/)?[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$`

func (g gitHub) gh(ctx context.Context, stdin string, args ...string) ([]byte, error) {
	if g.o.Repo == "" {
		return nil, problem("nobody says which repository of GitHub's it is", "repo: owner/name in aburn.yaml", "git remote add origin URL")
	}
	if ok, _ := regexp.MatchString(repository, g.o.Repo); !ok || strings.HasPrefix(g.o.Repo, "-") || strings.Contains(g.o.Repo, "..") {
		return nil, problem(plain.Quote(g.o.Repo, 80) + " is no repository of GitHub's, such as owner/name")
	}
	env := append(append([]string{}, g.o.Environ...), "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "NO_COLOR=1", "GH_PAGER=cat")
	r, err := run.Do(ctx, run.Program{
		Argv: append([]string{"gh"}, append(args, "--repo", g.o.Repo)...), Dir: g.o.Dir, Env: env, Stdin: strings.NewReader(stdin), Timeout: ghTime,
	})
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return nil, problem("gh is not installed, through which GitHub is asked", "install gh, then: gh auth login")
	case err != nil:
		return nil, problem("gh: " + err.Error())
	case r.Code == 4:
		return nil, problem("gh is not logged in", "gh auth login")
	case r.Code != 0:
		return nil, problem("gh: " + said(r.Stderr))
	case r.Cut:
		return nil, problem("gh: its answer is too long")
	}
	return r.Stdout, nil
}

// said is the first line of what a program said when it failed.
func said(stderr []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(stderr)), "\n")
	if line = plain.OneLine(line, 200); line == "" {
		return "it failed, and did not say why"
	}
	return line
}

func (g gitHub) Issue(ctx context.Context, id string) (Issue, error) {
	out, err := g.gh(ctx, "", "issue", "view", id, "--json", "number,title,body,labels,url,state,author")
	if err != nil {
		return Issue{}, err
	}
	var a struct {
		Title, Body, URL, State string
		Labels                  []struct{ Name string }
		Author                  struct{ Login string }
	}
	if err := json.Unmarshal(out, &a); err != nil {
		return Issue{}, problem("gh: its answer is no JSON, or half of it")
	}
	i := Issue{Title: a.Title, Body: a.Body, URL: a.URL, Author: a.Author.Login, Closed: strings.EqualFold(a.State, "closed")}
	for _, l := range a.Labels {
		i.Labels = append(i.Labels, l.Name)
	}
	return bounded(id, i)
}

func (g gitHub) Comment(ctx context.Context, id, text string) error {
	_, err := g.gh(ctx, text, "issue", "comment", id, "--body-file", "-")
	return err
}

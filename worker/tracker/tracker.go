// Package tracker reads issues where a project keeps them: in GitHub through `gh`, in GitLab and Linear over HTTP, elsewhere
// through a program of the person's.
//
// # Invariants
//
//   - Addresses, keys and programs come from the caller, who has them from the person's own file.
//   - What an issue says is data. It leaves this package bounded, and without characters that nobody sees.
//   - No error contains a key.
package tracker

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"aburn/internal/fetch"
	"aburn/internal/plain"
)

// Issue is what a tracker says of one issue.
type Issue struct {
	ID     string   `json:"id"` // as people write it: 12, SHOP-12
	Title  string   `json:"title"`
	Body   string   `json:"body,omitempty"`
	Labels []string `json:"labels,omitempty"`
	URL    string   `json:"url,omitempty"`
	Author string   `json:"author,omitempty"`
	Closed bool     `json:"closed,omitempty"`
	Cut    bool     `json:"cut,omitempty"` // the body was longer
}

// Tracker is where issues are.
type Tracker interface {
	// Issue reads one. The id is one that Clean accepted.
	Issue(ctx context.Context, id string) (Issue, error)
	// Comment writes below one.
	Comment(ctx context.Context, id, text string) error
}

// Options say which tracker is meant, and how it is asked.
type Options struct {
	Plugin  string   // one of Plugins; another name needs a Command
	Repo    string   // owner/name, in GitHub and GitLab
	URL     string   // of the service, if it is not the public one
	Token   string   // GitLab's, Linear's
	Command []string // a program that speaks JSON lines, in place of the plugin
	Environ []string // of programs
	Dir     string   // where programs run: never a repository
	Fetch   *fetch.Client
}

// Problem is a call or a setting that cannot work, with what helps.
type Problem struct {
	Text  string
	Hints []string
}

func (p *Problem) Error() string { return p.Text }

func problem(text string, hints ...string) error { return &Problem{text, hints} }

// Open is the tracker that o means. The error is a *Problem.
func Open(o Options) (Tracker, error) {
	if o.Fetch == nil {
		o.Fetch = new(fetch.Client)
	}
	if o.URL != "" {
		if err := fetch.Check(o.URL); err != nil {
			return nil, problem("the tracker's url " + err.Error())
		}
	}
	if len(o.Command) > 0 {
		return program{o}, nil
	}
	k := kindOf(o.Plugin)
	switch {
	case k == nil:
		return nil, problem(fmt.Sprintf("no tracker %q is known", o.Plugin), "tracker: {plugin: "+strings.Join(Plugins(), "|")+"}",
			"trackers: {"+o.Plugin+": {command: [PROGRAM]}} in your own workers.yaml")
	case k.secret != "" && o.Token == "":
		return nil, problem(k.title+" is not asked without a "+k.secret,
			"in your own workers.yaml: trackers: {"+k.name+": {token_env: "+k.variable+"}}, with the name of the variable that holds it")
	case k.project && o.Repo == "":
		return nil, problem("nobody says which project of "+k.title+"'s it is", "repo: group/project in aburn.yaml")
	}
	return k.open(o), nil
}

// RepoAt is the repository's name for the tracker, of the place that it was cloned from; "" if that is somewhere else.
func (o *Options) RepoAt(host, path string) string {
	if k := kindOf(o.Plugin); k != nil && k.repo != nil && len(o.Command) == 0 && path != "" {
		return k.repo(o, host, path)
	}
	return path
}

const maxID = 40

// Clean is the id that a person means, without # before it.
func (o *Options) Clean(word string) (string, error) {
	id := strings.TrimPrefix(strings.TrimSpace(word), "#")
	if id == "" || len(id) > maxID || strings.ContainsFunc(id, func(r rune) bool { return !known(r) }) || strings.HasPrefix(id, "-") {
		return "", noNumber(word)
	}
	if len(o.Command) > 0 {
		return id, nil
	}
	if k := kindOf(o.Plugin); k != nil && k.id != nil {
		return k.id(word, id)
	}
	if !isNumber(id) {
		return "", noNumber(word)
	}
	return id, nil
}

func noNumber(word string) error {
	return problem(fmt.Sprintf("%s is no issue's number", plain.Quote(word, 60)), "--issue 12")
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func known(r rune) bool {
	return r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// Bounds of an issue, in bytes.
const (
	maxTitle  = 300
	maxBody   = 48 << 10
	maxLabels = 20
	maxLabel  = 60
	maxURL    = 500
)

// bounded is an issue as everybody downstream may take it.
func bounded(id string, i Issue) (Issue, error) {
	i.ID = id
	if i.Title = plain.OneLine(i.Title, maxTitle); i.Title == "" {
		return Issue{}, errors.New("the tracker's answer has no title of an issue")
	}
	if i.Body = strings.TrimSpace(plain.ModelText(strings.ReplaceAll(i.Body, "\r\n", "\n"))); len(i.Body) > maxBody {
		i.Body, i.Cut = strings.ToValidUTF8(i.Body[:maxBody], ""), true
	}
	var labels []string
	for _, l := range i.Labels {
		if l = plain.OneLine(l, maxLabel); l != "" && len(labels) < maxLabels && !slices.Contains(labels, l) {
			labels = append(labels, l)
		}
	}
	i.Labels, i.Author = labels, plain.OneLine(i.Author, maxLabel)
	if u, err := url.Parse(i.URL); err != nil || len(i.URL) > maxURL || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" ||
		plain.OneLine(i.URL, maxURL) != i.URL || strings.ContainsAny(i.URL, " \"'<>`") {
		i.URL = ""
	}
	return i, nil
}

// told is an error of a service, with the way out of it.
func told(name, id string, err error, unauthorised string) error {
	var s *fetch.Status
	if !errors.As(err, &s) {
		return problem(name + ": " + err.Error())
	}
	switch s.Code {
	case 401, 403:
		return problem(name+" does not accept the key: "+s.Error(), unauthorised)
	case 404:
		return problem(name + " knows no issue " + id + ", or the key may not see it: " + s.Error())
	}
	return problem(name + ": " + s.Error())
}

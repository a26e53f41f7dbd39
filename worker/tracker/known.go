package tracker

import (
	"fmt"
	"net/url"
	"strings"

	"aburn/internal/plain"
)

// kind is a tracker that aburn knows.
type kind struct {
	name, title string
	host        string // part of the names of hosts whose projects have their issues in it, unless settings say otherwise
	secret      string // what the service calls the key without which it is not asked; empty if there is none
	variable    string // usually holds it
	project     bool   // Options.Repo is needed
	open        func(o Options) Tracker
	// repo is what Options.Repo is for a clone of host and path; nil is path.
	repo func(o *Options, host, path string) string
	// id brings an issue's id into its usual form; nil accepts numbers. word is as the user typed it.
	id func(word, id string) (string, error)
}

// kinds lists all trackers; the first is the default. A new one is a file with its Tracker, and a row.
var kinds = []kind{
	{
		name: "github", title: "GitHub", open: func(o Options) Tracker { return gitHub{o} },
		repo: func(_ *Options, host, path string) string {
			if host != "github.com" {
				return host + "/" + path // gh asks only hosts that the person logged in to
			}
			return path
		},
	},
	{
		name: "gitlab", title: "GitLab", host: "gitlab", secret: "token", variable: "GITLAB_TOKEN", project: true, open: func(o Options) Tracker { return gitLab{o} },
		repo: func(o *Options, host, path string) string {
			asked := "gitlab.com"
			if u, err := url.Parse(o.URL); err == nil && o.URL != "" {
				asked = u.Hostname()
			}
			if host != asked {
				return ""
			}
			return path
		},
	},
	{
		name: "linear", title: "Linear", secret: "key", variable: "LINEAR_API_KEY", open: func(o Options) Tracker { return linear{o} },
		id: func(word, id string) (string, error) {
			team, number, _ := strings.Cut(id, "-")
			if team == "" || !isNumber(number) {
				return "", problem(fmt.Sprintf("%s is no issue of Linear's", plain.Quote(word, 60)), "--issue SHOP-12")
			}
			return strings.ToUpper(id), nil
		},
	},
}

// kindOf is nil for a name that no tracker has.
func kindOf(name string) *kind {
	for i := range kinds {
		if kinds[i].name == name {
			return &kinds[i]
		}
	}
	return nil
}

// Plugins are the names of the trackers that aburn knows.
func Plugins() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// ForHost is the tracker of a project that was cloned from host, unless settings name another one.
func ForHost(host string) string {
	for _, k := range kinds {
		if k.host != "" && strings.Contains(host, k.host) {
			return k.name
		}
	}
	return kinds[0].name
}

package forge

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"aburn/internal/plain"
)

// kind is a forge that aburn knows.
type kind struct {
	name     string   // in scm.plugin
	hosts    []string // its public hosts
	variable string   // names another host in the environment
	own      bool     // it is what runs on scm.host unless scm.plugin names another one
	command  string   // logs the user in; empty if a token in the user's own file does
	login    string   // the hint after a failed login
	open     func(a Access, p Place) (Forge, error)
}

// known lists all forges. A new one is a file with its Forge, and a row.
var known = []kind{
	{
		name: "github", hosts: []string{"github.com"}, variable: "GH_HOST", command: "gh auth login", login: "gh auth login",
		open: func(a Access, p Place) (Forge, error) { return &GitHub{Place: p, Dir: a.Dir, Environ: a.Environ}, nil },
	},
	{
		name: "gitlab", hosts: []string{"gitlab.com"}, own: true, login: "GitLab: a token with the scope api",
		open: func(a Access, p Place) (Forge, error) {
			base, token, err := a.tokenFor(p, "GitLab", "gitlab.com", "GITLAB_TOKEN")
			if err != nil {
				return nil, err
			}
			return &GitLab{Place: p, Base: base, Token: token}, nil
		},
	},
}

// LoginHints are what to type, or to get, where a forge does not accept the user's login.
func LoginHints() (hints []string) {
	for _, k := range known {
		hints = append(hints, k.login)
	}
	return hints
}

// LoginCommand is the command that logs the user in to the forge with this name; empty if there is none.
func LoginCommand(name string) string {
	for _, k := range known {
		if k.name == name {
			return k.command
		}
	}
	return ""
}

// Access is what settings say about a project's forge. Only Plugin may come from the repository's own file.
type Access struct {
	Plugin    string
	Host, URL string
	TokenEnv  string // names the variable that holds a token
	TokenFile string
	Dir       string // of the repository
	Environ   []string
}

// Problem says why no forge can be asked, and what to do.
type Problem struct{ Text, Advice string }

func (p *Problem) Error() string { return p.Text }

// Remote is a remote of a repository.
type Remote struct{ Name, Push, Base string }

// Find opens the forge that has the base of a remote. owner owns the branches that are pushed. The error is a *Problem.
func Find(r Remote, a Access) (f Forge, owner string, err error) {
	pushed, ok := ParseRemote(r.Push)
	place, based := ParseRemote(r.Base)
	if !ok || !based {
		return nil, "", &Problem{"its remote " + r.Name + " is on no forge: " + plain.Line(withoutPassword(r.Push)), "git push by hand, or git remote set-url"}
	}
	if a.Host != "" && !strings.Contains(place.Host, ".") { // a name of ssh's own settings
		place.Host, pushed.Host = a.Host, a.Host
	}
	i := slices.IndexFunc(known, func(k kind) bool { return k.matches(a, place.Host) })
	if i < 0 {
		var names []string
		for _, k := range known {
			names = append(names, k.name)
		}
		return nil, "", &Problem{"aburn does not know which forge " + place.Host + " is",
			"scm: {plugin: " + names[0] + "} in aburn.yaml, or " + strings.Join(names[1:], ", ")}
	}
	f, err = known[i].open(a, place)
	return f, pushed.Owner(), err
}

func (k kind) matches(a Access, host string) bool {
	if a.Plugin != "" {
		return a.Plugin == k.name
	}
	return slices.Contains(k.hosts, host) || k.variable != "" && host == a.variable(k.variable) || k.own && host == a.Host
}

// tokenFor returns the address of a forge's API and the user's token. The token goes only to the host that the user's own file names.
func (a Access) tokenFor(place Place, title, public, variable string) (base, token string, err error) {
	host := public
	if a.Host != "" {
		host = a.Host
	}
	advice := "scm: {host: " + place.Host + ", token_env: " + variable + "} in your own workers.yaml"
	if place.Host != host {
		return "", "", &Problem{"your own file does not say that " + place.Host + " gets your token", advice}
	}
	if base = strings.TrimRight(a.URL, "/"); a.URL == "" {
		base = "https://" + host
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" &&
		!(u.Scheme == "http" && (u.Hostname() == "127.0.0.1" || u.Hostname() == "localhost")) {
		return "", "", &Problem{"scm.url is no address that a token may go to: " + plain.Line(withoutPassword(base)), "https://" + host}
	}
	if token = a.variable(a.TokenEnv); token != "" {
		return base, token, nil
	}
	switch {
	case a.TokenFile != "":
		if token, err = tokenIn(a.TokenFile, a.variable("HOME")); err != nil {
			return "", "", &Problem{"scm.token_file: " + err.Error(), "a file that only you can read, with the token alone"}
		}
	case a.TokenEnv != "":
		return "", "", &Problem{"your environment has no " + a.TokenEnv + ", which scm.token_env names", "set it where aburn runs, also for aburn daemon start"}
	default:
		return "", "", &Problem{title + " is asked with a token, and your own file names none", advice}
	}
	return base, token, nil
}

// maxToken bounds a file that holds a token, in bytes.
const maxToken = 4 << 10

func tokenIn(path, home string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = filepath.Join(home, rest)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return "", err
	case !st.Mode().IsRegular():
		return "", errors.New(path + " is no regular file")
	case st.Mode().Perm()&0o077 != 0:
		return "", fmt.Errorf("others can read %s (%o)", path, st.Mode().Perm())
	}
	data, err := io.ReadAll(io.LimitReader(f, maxToken+1))
	token := strings.TrimSpace(string(data))
	if err == nil && (token == "" || len(data) > maxToken || strings.ContainsAny(token, " \t\r\n")) {
		err = errors.New(path + " holds no token")
	}
	return token, err
}

// variable is the last value of a variable, as a program that gets Environ would see it.
func (a Access) variable(name string) (value string) {
	if name == "" {
		return ""
	}
	for _, kv := range a.Environ {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}

// withoutPassword is an address without the login before its host.
func withoutPassword(address string) string {
	if scheme, rest, ok := strings.Cut(address, "://"); ok {
		if i := strings.LastIndexByte(rest, '@'); i >= 0 {
			return scheme + "://…@" + rest[i+1:]
		}
	}
	return address
}

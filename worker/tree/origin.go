package tree

import (
	"context"
	"net/url"
	"strings"
)

// Origin is where the repository was cloned from: the host, and the path without .git; "" for both if that is no host.
func (r *Repo) Origin(ctx context.Context) (host, path string) {
	address, err := r.g.Out(ctx, "remote", "get-url", "origin")
	if err != nil {
		return "", ""
	}
	return origin(address)
}

// origin reads the forms https://host/path, ssh://git@host:22/path and git@host:path.
func origin(address string) (host, path string) {
	if u, err := url.Parse(address); err == nil && u.Scheme != "" && strings.Contains(address, "://") {
		if u.Scheme == "file" {
			return "", ""
		}
		host, path = u.Hostname(), u.Path
	} else if before, after, ok := strings.Cut(address, ":"); ok && !strings.ContainsAny(before, "/\\") && len(before) > 1 {
		host, path = before[strings.LastIndexByte(before, '@')+1:], after
	}
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if host == "" || path == "" {
		return "", ""
	}
	return strings.ToLower(host), path
}

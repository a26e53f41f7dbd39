package viewer

import (
	"fmt"
	"path/filepath"
	"strings"

	"aburn/internal/plain"
	"aburn/web"
	"aburn/web/pages"
)

// projectLink is a project's name, with the list of its sessions.
func projectLink(r *row) pages.Link {
	name := filepath.Base(r.root)
	if sub := strings.TrimPrefix(r.Project.Key, r.root); sub != "" && sub != r.Project.Key {
		name += filepath.ToSlash(sub)
	}
	return pages.Link{Text: plain.Line(name), Href: filter{project: r.root}.address("/sessions")}
}

// address is the page of a session.
func (r *row) address() string { return web.SessionPath(r.Source, r.ID) }

// eventAt is the address of an event of a session. It works without a script, too: the page begins near it.
func (r *row) eventAt(n int) string { return fmt.Sprintf("%s?at=%d#e%d", r.address(), n, n) }

// title is a session's first prompt, or what else names it.
func (r *row) title() string {
	if text := plain.Cut(plain.Line(r.Ask), 160); strings.TrimSpace(text) != "" {
		return text
	}
	return "without a prompt: " + plain.Line(r.Source+"/"+r.ID)
}

package snapshot

import (
	"fmt"
	"path/filepath"
	"strings"

	"aburn/internal/plain"
	"aburn/web"
	"aburn/web/pages"
)

// ProjectLink is a project's name, with the list of its sessions.
func ProjectLink(r *Row) pages.Link {
	name := filepath.Base(r.Root)
	if sub := strings.TrimPrefix(r.Project.Key, r.Root); sub != "" && sub != r.Project.Key {
		name += filepath.ToSlash(sub)
	}
	return pages.Link{Text: plain.Line(name), Href: Filter{Project: r.Root}.Address("/sessions")}
}

// Address is the page of a session.
func (r *Row) Address() string { return web.SessionPath(r.Source, r.ID) }

// EventAt is the address of an event of a session. It works without a script, too: the page begins near it.
func (r *Row) EventAt(n int) string { return fmt.Sprintf("%s?at=%d#e%d", r.Address(), n, n) }

// Title is a session's first prompt, or what else names it.
func (r *Row) Title() string {
	if text := plain.Cut(plain.Line(r.Ask), 160); strings.TrimSpace(text) != "" {
		return text
	}
	return "without a prompt: " + plain.Line(r.Source+"/"+r.ID)
}

// RawPart stands in an address between a session and the number of an event.
const RawPart = "/raw/"

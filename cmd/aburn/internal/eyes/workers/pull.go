package workers

import (
	"fmt"
	"net/url"
	"strings"

	"aburn/internal/plain"
	"aburn/web/pages"
	"aburn/web/show"
	"aburn/worker"
	"aburn/worker/board"
)

// pullOf is what the forge said last of a worker's pull request; nothing without one. What it did not say stays out.
func pullOf(w *board.Standing) (pull pages.Pull) {
	p := &w.Pull
	if p.Number == 0 {
		return pull
	}
	pull.Number, pull.URL = fmt.Sprintf("#%d", p.Number), forgeURL(w.PullURL)
	words := []string{p.Is}
	if p.Checks != "" {
		words = append(words, "checks "+p.Checks)
	}
	switch p.Review {
	case worker.ReviewApproved:
		words = append(words, "approved")
	case worker.ReviewChanges:
		words = append(words, "changes requested")
	case worker.ReviewAsked:
		words = append(words, "review requested")
	}
	if p.Conflicts {
		words = append(words, "conflicts")
	}
	pull.Says = plain.Line(strings.Join(words, " · "))
	for _, name := range w.Failed {
		pull.Failed = append(pull.Failed, show.Scrubbed(name))
	}
	return pull
}

// forgeURL is the address of a pull request as a link, "" if it is none that a browser opens as a page of a forge.
func forgeURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || show.Scrubbed(text) != text {
		return ""
	}
	return u.String()
}

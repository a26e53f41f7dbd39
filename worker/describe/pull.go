package describe

import (
	"strings"

	"aburn/internal/plain"
	"aburn/worker"
	"aburn/worker/manager"
)

// PullText is how a pull request stands, in words.
func PullText(name, state string, draft bool, checks, review string, clash bool, threads int) string {
	words := []string{name + " " + state}
	if draft && state == worker.PullOpen {
		words[0] += " as a draft"
	}
	if state != worker.PullOpen {
		return words[0]
	}
	if checks != "" {
		words = append(words, "checks "+checks)
	}
	if text := map[string]string{worker.ReviewApproved: "approved", worker.ReviewChanges: "changes requested",
		worker.ReviewAsked: "review asked"}[review]; text != "" {
		words = append(words, text)
	}
	if clash {
		words = append(words, "conflicts")
	}
	if threads > 0 {
		words = append(words, plain.Plural(int64(threads), "open thread"))
	}
	return strings.Join(words, " · ")
}

// PullReport is a pull request in `aburn ps --json`, as the forge said it last.
type PullReport struct {
	Number    int    `json:"number"`
	State     string `json:"state"`
	URL       string `json:"url,omitempty"`
	Draft     bool   `json:"draft,omitempty"`
	Head      string `json:"head,omitempty"`
	Checks    string `json:"checks,omitempty"`
	Review    string `json:"review,omitempty"`
	Conflicts bool   `json:"conflicts,omitempty"`
}

// PullOf is nil where nobody knows of one.
func PullOf(m *manager.Member) *PullReport {
	if m.Err != nil || m.Worker.Pull.Number == 0 {
		return nil
	}
	p := m.Worker.Pull
	r := &PullReport{Number: p.Number, State: p.Is, Head: p.Head, Checks: p.Checks, Review: p.Review, Conflicts: p.Conflicts}
	if e := m.Ledger.Last(worker.Pulled); e != nil {
		r.URL, r.Draft = e.URL, e.Draft
	}
	return r
}

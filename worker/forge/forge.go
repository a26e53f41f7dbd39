// Package forge asks a forge (GitHub by its own client gh, GitLab by its API) how the pull requests of branches stand, and opens
// and merges them. It decides nothing, keeps nothing, and never pushes.
//
// # Invariants
//
//   - One question asks about all branches of a repository.
//   - What was not answered is unknown and never "none": an answer that is cut off or has errors is an error as a whole.
//   - A branch of a fork that has the same name is somebody else's, and so is its pull request.
package forge

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"aburn/worker"
)

// Place is a repository on a forge.
type Place struct{ Host, Path string }

// Owner is the account or group that the repository belongs to.
func (p Place) Owner() string {
	owner, _ := p.split()
	return owner
}

func (p Place) split() (owner, name string) {
	i := strings.LastIndexByte(p.Path, '/')
	return p.Path[:max(i, 0)], p.Path[i+1:]
}

// harmless is what a path of a forge is made of.
const harmless = `^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)+$`

// ParseRemote reads the address of a remote, in any of the forms that git takes. ok is false for one that no forge has.
func ParseRemote(remote string) (p Place, ok bool) {
	if scheme, rest, found := strings.Cut(remote, "://"); found {
		u, err := url.Parse(remote)
		if err != nil || !slices.Contains([]string{"https", "http", "ssh", "git", "git+ssh"}, scheme) || rest == "" {
			return p, false
		}
		p.Host, p.Path = u.Hostname(), u.Path
	} else {
		host, path, found := strings.Cut(remote, ":")
		if !found || strings.ContainsAny(host, `/\`) {
			return p, false
		}
		_, at, found := strings.Cut(host, "@")
		if p.Host = at; !found {
			p.Host = host
		}
		p.Path = path
	}
	p.Host, p.Path = strings.ToLower(p.Host), strings.TrimSuffix(strings.Trim(p.Path, "/"), ".git")
	if p.Host == "ssh.github.com" {
		p.Host = "github.com"
	}
	good, err := regexp.MatchString(harmless, p.Path)
	return p, err == nil && good && len(p.Host) > 1
}

// Pull is a pull request.
type Pull struct {
	Number int
	URL    string
	Title  string
	Author string
	Is     string // worker.PullOpen, PullMerged, PullClosed
	Draft  bool
	Branch string
	Head   string // the commit that all below is about
	Base   string
	BaseAt string // the commit that Base stands on
	// Conflicts is whether it conflicts with Base; nil while the forge works that out.
	Conflicts *bool
	Asked     bool   // somebody is asked for a review
	Decision  string // worker.ReviewApproved, ReviewChanges, ReviewAsked as the forge's rules see it; "" if it has none
	Reviews   []Review
	Checks    []Check
	Threads   []Thread // that are open
	LeftOut   int      // comments and reviews of strangers that are not in it; see Known
	More      bool     // there are more reviews, checks or threads than were read
}

// Review is the newest review of one person.
type Review struct {
	Comment
	State string // worker.ReviewApproved, ReviewChanges; "" is another one
	Head  string // the commit that was looked at; "" is unknown
}

// Check is one check of Head.
type Check struct {
	ID   string // with which its log is asked for; "" has none
	Name string
	Is   string // worker.CheckPassing, CheckFailing, CheckPending; "" counts as nothing
	URL  string
	Said string // what it says of itself
	Why  string // why it counts as failing although nothing was found wrong, such as "cancelled"
	// Stopped means that a person has to start it again or to answer it on the forge: no commit mends it.
	Stopped bool
}

// Thread is an open conversation on a line.
type Thread struct {
	ID       string
	Path     string
	Line     int
	Comments []Comment
}

// Comment is what somebody said.
type Comment struct {
	ID     string
	Author string
	Known  bool // may write to the repository
	Bot    bool
	Text   string
}

// New is a pull request to open.
type New struct {
	Branch, Base, Title, Body string
	Owner                     string // of Branch, where that is another one
	Draft                     bool
}

// Log is why a check failed.
type Log struct {
	Step string // the step of the job
	Text string // the end of what it printed
}

// Forge is where pull requests are.
type Forge interface {
	Name() string
	// Host is whom it asks. A pause that it wants holds for all of that host.
	Host() string
	// Pulls are the newest pull requests of branches of owner's ("" is the repository's own), by branch. Open ones come before
	// those that have ended.
	Pulls(ctx context.Context, owner string, branches []string) (map[string]*Pull, error)
	// Numbered is the pull request with a number. The error is ErrElsewhere if its branch is not owner's.
	Numbered(ctx context.Context, owner string, number int) (*Pull, error)
	// Log is why a check failed; it is empty if the forge has none of it.
	Log(ctx context.Context, c Check) (Log, error)
	Open(ctx context.Context, n New) (*Pull, error)
	// Merge merges p if its head is still what it was.
	Merge(ctx context.Context, p *Pull, how string) error
}

// MaxBranches is how many branches one question is about.
const MaxBranches = 50

// Limited says that the forge wants to be left alone until a moment.
type Limited struct {
	Until time.Time
	Text  string
}

func (l *Limited) Error() string {
	return "the forge wants a pause until " + l.Until.Local().Format("15:04:05") + ": " + l.Text
}

// Failed is an answer of the forge that is none.
type Failed struct {
	Code int // of HTTP; 0 without one
	Text string
}

func (f *Failed) Error() string {
	if f.Code == 0 {
		return f.Text
	}
	return fmt.Sprintf("%s (HTTP %d)", f.Text, f.Code)
}

// The errors that a person can do something about.
var (
	ErrNoClient = errors.New("gh is not installed")
	ErrNoLogin  = errors.New("the forge does not know you")
)

// Known is p without what strangers wrote: comments of people who may not write to the repository. It counts them. A thread of which
// nothing is left is gone.
func (p *Pull) Known() *Pull {
	k := *p
	k.Threads = nil
	for _, t := range p.Threads {
		known := slices.DeleteFunc(slices.Clone(t.Comments), stranger)
		k.LeftOut += len(t.Comments) - len(known)
		if t.Comments = known; len(known) > 0 {
			k.Threads = append(k.Threads, t)
		}
	}
	for _, r := range p.Reviews {
		if stranger(r.Comment) && (strings.TrimSpace(r.Text) != "" || r.State == worker.ReviewChanges) {
			k.LeftOut++
		}
	}
	k.Reviews = slices.DeleteFunc(slices.Clone(p.Reviews), func(r Review) bool { return stranger(r.Comment) })
	return &k
}

func stranger(c Comment) bool { return !c.Known && !c.Bot }

// Last is the newest comment of a thread.
func (t *Thread) Last() Comment { return t.Comments[len(t.Comments)-1] }

// OfBot reports whether a program began the thread.
func (t *Thread) OfBot() bool { return t.Comments[0].Bot }

// Unanswered are the open threads of bots, or of people, in which the author of the pull request does not have the last word. In a
// thread that the author began, nobody can tell a note from an answer: agents write under their person's name.
func (p *Pull) Unanswered(bots bool) (list []Thread) {
	for _, t := range p.Threads {
		if t.OfBot() == bots && (t.Last().Author != p.Author || t.Comments[0].Author == p.Author) {
			list = append(list, t)
		}
	}
	return list
}

// Failing are the checks that failed.
func (p *Pull) Failing() []Check {
	return slices.DeleteFunc(slices.Clone(p.Checks), func(c Check) bool { return c.Is != worker.CheckFailing })
}

// superseded drops the stopped checks that ran again under the same name: the newer one counts.
func superseded(checks []Check) []Check {
	ran := map[string]bool{}
	for _, c := range checks {
		ran[c.Name] = ran[c.Name] || !c.Stopped
	}
	return slices.DeleteFunc(checks, func(c Check) bool { return c.Stopped && ran[c.Name] })
}

// CI is how the checks stand; "" if there are none.
func (p *Pull) CI() (is string) {
	for _, c := range p.Checks {
		switch {
		case c.Is == worker.CheckFailing:
			return c.Is
		case c.Is == worker.CheckPending || c.Is == worker.CheckPassing && is == "":
			is = c.Is
		}
	}
	return is
}

// Review is what became of reviews. Where the forge's rules ask for none, the people's own words count.
func (p *Pull) Review() string {
	is := p.Decision
	for _, r := range p.Reviews {
		if p.Decision == "" && !r.Bot && r.State != "" && is != worker.ReviewChanges {
			is = r.State
		}
	}
	switch {
	case is == worker.ReviewChanges || len(p.Unanswered(false)) > 0:
		return worker.ReviewChanges
	case is != "":
		return is
	case p.Draft:
		return "" // nobody was asked yet
	case p.Asked:
		return worker.ReviewAsked
	}
	return worker.ReviewNone
}

// Green reports whether nothing stands between p and its merge.
func (p *Pull) Green() bool {
	review := p.Review()
	return p.Is == worker.PullOpen && !p.Draft && !p.More && p.Conflicts != nil && !*p.Conflicts && p.CI() == worker.CheckPassing &&
		(review == worker.ReviewApproved || review == worker.ReviewNone) && len(p.Unanswered(true)) == 0
}

// Approved reports whether somebody approved exactly p.Head. A forge may keep an approval when more is pushed.
func (p *Pull) Approved() bool {
	return p.Review() == worker.ReviewApproved && slices.ContainsFunc(p.Reviews, func(r Review) bool {
		return r.Known && !r.Bot && r.State == worker.ReviewApproved && r.Head == p.Head
	})
}

// Facts are what p means for a worker.
func (p *Pull) Facts() []worker.Fact {
	pull := worker.Fact{Kind: worker.Pulled, PR: p.Number, Is: p.Is, Head: p.Head, Draft: p.Draft && p.Is == worker.PullOpen, Unsure: p.Conflicts == nil,
		Conflicts: p.Conflicts != nil && *p.Conflicts}
	facts := []worker.Fact{pull}
	if p.Is != worker.PullOpen {
		return facts
	}
	if ci := p.CI(); ci != "" {
		facts = append(facts, worker.Fact{Kind: worker.Checked, Is: ci, Head: p.Head})
	}
	return append(facts, worker.Fact{Kind: worker.Reviewed, Is: p.Review(), Head: p.Head, Threads: len(p.Unanswered(true))})
}

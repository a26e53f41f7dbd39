// Package limits holds the names of the types of issues and the numbers that a verdict depends on. It imports the
// standard library alone: internal/settings fills it in hooks, and supervisor, which reads it, stands above settings.
package limits

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// Limits is every number that a verdict depends on. A project may set them, a sweep tries others.
// A new parameter is a field here and a row of params, and `go test ./internal/settings -update`.
type Limits struct {
	QueueAbove   float64       // an issue of a higher confidence becomes a task of the queue
	SuggestAbove float64       // one of a higher confidence comes with a suggestion; below, it is only told
	Cooldown     time.Duration // how long after an intervention the same one is not repeated
	Off          []string      // types of issues, of Types, that are not looked for

	LoopRepeats             int           // the same action again, without progress
	PhaseStuckTimeout       time.Duration // for every phase; 0 = each has its own: see PhaseTimeout
	ToolFailureRunFailures  int           // failing calls in a row
	EditChurnReturns        int           // times that a file's earlier content came back
	SilenceAfter            time.Duration
	MissingMilestonesPhases int     // phases complete without a milestone
	DecliningVelocityGaps   int     // gaps between milestones that grew one after the other
	DecliningVelocityFactor float64 // by how much the last of so many gaps exceeds the first; half of it with each gap more, but twice
	AgentSilenceAfter       time.Duration
	UndeclaredCommandTurns  int // turns of work after the command was invoked
	IgnoredAdviceTurns      int // turns of work after the advice was seen
	AbandonedAgentAfter     time.Duration
	AgentHangsAfter         time.Duration
	AbruptStopAfter         time.Duration // how long the process has to be gone
	PartialCompletionAfter  time.Duration
	PermissionWaitAfter     time.Duration
	QuestionWaitAfter       time.Duration
}

// Default is a copy of what holds where nobody set anything.
func Default() *Limits {
	l := &Limits{QueueAbove: 0.9, SuggestAbove: 0.7, Cooldown: 30 * time.Minute}
	for _, p := range l.params() {
		p.put(p.def)
	}
	return l
}

// PhaseTimeout is how long a phase may take: one limit for all phases, else its own.
func (l *Limits) PhaseTimeout(own time.Duration) time.Duration {
	if l.PhaseStuckTimeout > 0 {
		return l.PhaseStuckTimeout
	}
	return own
}

// param is one number by name: to points to a *time.Duration, *int or *float64, which is def by default and may be from least
// to most (seconds for a duration). about is for docs/reference/settings.md.
type param struct {
	name             string
	to               any
	def, least, most float64
	about            string
}

// put sets the number without a check.
func (p param) put(n float64) {
	switch to := p.to.(type) {
	case *time.Duration:
		*to = seconds(n)
	case *int:
		*to = int(n)
	case *float64:
		*to = n
	}
}

const (
	minute = 60
	day    = 24 * 60 * minute
)

// params is made for each use: hooks link this, and most never ask.
func (l *Limits) params() []param {
	return []param{
		{Loop + ".repeats", &l.LoopRepeats, 4, 2, 1000, "the same action again, with nothing changed in between"},
		{PhaseStuck + ".timeout", &l.PhaseStuckTimeout, 0, 0, day, "one timeout for every phase; 0 = those of `timeouts.*`"},
		{ToolFailureRun + ".failures", &l.ToolFailureRunFailures, 5, 2, 1000, "failing calls in a row"},
		{EditChurn + ".returns", &l.EditChurnReturns, 2, 1, 1000, "times that a file's earlier content came back"},
		{Silence + ".after", &l.SilenceAfter, 15 * minute, 1, 7 * day, "nothing at all, in a session at work"},
		{MissingMilestone + ".phases", &l.MissingMilestonesPhases, 2, 1, 1000, "phases complete since the last milestone, when a slice is over"},
		{Declining + ".gaps", &l.DecliningVelocityGaps, 3, 2, 1000, "gaps between milestones, each longer than the one before; a trend needs at least 5"},
		{Declining + ".factor", &l.DecliningVelocityFactor, 4, 1, 1000,
			"how many times the first of those gaps the last one is; half as much is enough with each gap more, but at least twice"},
		{AgentSilence + ".after", &l.AgentSilenceAfter, 10 * minute, 1, 7 * day, "no entry of an agent since it was spawned"},
		{Undeclared + ".turns", &l.UndeclaredCommandTurns, 1, 1, 1000, "turns of work since a command was invoked that logged nothing"},
		{IgnoredAdvice + ".turns", &l.IgnoredAdviceTurns, 2, 1, 1000, "turns of work with the same trouble since the advice was seen"},
		{AbandonedAgent + ".after", &l.AbandonedAgentAfter, 15 * minute, 1, 7 * day, "nothing of an agent that had begun"},
		{AgentHangs + ".after", &l.AgentHangsAfter, 30 * minute, 1, 7 * day, "since the last entry of a sub-agent with an open call"},
		{AbruptStop + ".after", &l.AbruptStopAfter, 0, 0, 7 * day, "since the process is gone: its last entry may be on its way"},
		{Partial + ".after", &l.PartialCompletionAfter, 0, 0, 7 * day, "since the session is gone"},
		{PermissionWait + ".after", &l.PermissionWaitAfter, 5 * minute, 1, 7 * day, "a permission without an answer"},
		{QuestionWait + ".after", &l.QuestionWaitAfter, 10 * minute, 1, 7 * day, "a question without an answer"},
	}
}

// Names lists the parameters as TYPE.PARAM, in a fixed order; QueueAbove, SuggestAbove, Cooldown and Off are not
// among them.
func Names() []string {
	params := new(Limits).params()
	names := make([]string, len(params))
	for i := range params {
		names[i] = params[i].name
	}
	return names
}

// About says what a parameter counts, "" for a name that is none of Names.
func About(name string) string {
	for _, p := range new(Limits).params() {
		if p.name == name {
			return p.about
		}
	}
	return ""
}

// ErrNoLimit is Set's answer to a name that is none of Names.
var ErrNoLimit = errors.New("no such limit")

// Set sets a parameter from text: a time like "10m" or a number of seconds, else a number. An error leaves it as it was
// and says what the value should be.
func (l *Limits) Set(name, value string) error {
	for _, p := range l.params() {
		if p.name == name {
			return p.set(value)
		}
	}
	return ErrNoLimit
}

// Get is a parameter as text that Set takes, "" for a name that is none of Names.
func (l *Limits) Get(name string) string {
	for _, p := range l.params() {
		if p.name == name {
			return p.text()
		}
	}
	return ""
}

func (p param) set(value string) error {
	n, err := strconv.ParseFloat(value, 64)
	if to, ok := p.to.(*time.Duration); ok {
		d := time.Duration(n * float64(time.Second))
		if err != nil {
			d, err = time.ParseDuration(value)
		}
		if err != nil || math.IsNaN(n) || d.Seconds() < p.least || d.Seconds() > p.most || math.Abs(n) > p.most {
			return errors.New(p.should())
		}
		*to = d
		return nil
	}
	if err != nil || !(n >= p.least && n <= p.most) {
		return errors.New(p.should())
	}
	if _, whole := p.to.(*int); whole && n != math.Trunc(n) {
		return errors.New(p.should())
	}
	p.put(n)
	return nil
}

func (p param) text() string {
	switch to := p.to.(type) {
	case *time.Duration:
		return shortDuration(*to)
	case *int:
		return strconv.Itoa(*to)
	case *float64:
		return strconv.FormatFloat(*to, 'g', -1, 64)
	}
	return ""
}

func (p param) should() string {
	switch p.to.(type) {
	case *time.Duration:
		return `should be a time like "10m", from ` + shortDuration(seconds(p.least)) + " to " + shortDuration(seconds(p.most)) + ", or seconds"
	case *int:
		return "should be a whole number from " + strconv.Itoa(int(p.least)) + " to " + strconv.Itoa(int(p.most))
	}
	return "should be a number from " + strconv.FormatFloat(p.least, 'g', -1, 64) + " to " + strconv.FormatFloat(p.most, 'g', -1, 64)
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// shortDuration is 10m for what time.Duration calls 10m0s.
func shortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = text[:len(text)-2]
	}
	if strings.HasSuffix(text, "h0m") {
		text = text[:len(text)-2]
	}
	return text
}

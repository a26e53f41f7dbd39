package supervisor

import "aburn/supervisor/limits"

type Group string

// The groups: what the types of a group have in common.
const (
	Presence Group = "presence of bad"
	Absence  Group = "absence of good"
	Hard     Group = "hard stops"
	Waiting  Group = "waiting"
)

// Kind is what is fixed about a type, whatever the evidence.
type Kind struct {
	Type     Type
	Group    Group
	Priority string // critical, high, medium or low
	Earned   bool   // the corpus has proved it: it may exceed MaxUnearned
	Means    string // when it is said, in a sentence for docs
}

// MaxUnearned is the highest confidence of a type that has not earned more, so
// that it stays below the queue's default threshold.
const MaxUnearned = 0.9

// kinds is the table of all types in the order of the documentation.
var kinds = [...]Kind{
	{limits.Loop, Presence, "high", true,
		"the same call with the same input, two calls in turns, or the same milestone, again and again with no progress and no change between"},
	{limits.PhaseStuck, Presence, "high", true, "a phase was worked on for longer than its timeout, with no progress for as long and no call open"},
	{limits.Regression, Presence, "high", true,
		"a test that had passed is broken, outside a phase that wants a failing test, and the command or phase failed with it broken"},
	{limits.OutOfOrder, Presence, "medium", true, "a phase was begun without one that the model requires before it"},
	{limits.ChainBroken, Presence, "medium", true, "a command of the chain was begun although the one before it was jumped over, failed or never finished"},
	{limits.TDDViolation, Presence, "high", true,
		"production code was edited in a phase for tests only, or the next phase began and no test was seen or declared failing"},
	{limits.ExplicitFailure, Presence, "critical", true, "a command ended with FAILED, and its session did not complete it since; or a phase did, and was left"},
	{limits.AgentFailed, Presence, "high", true, "a sub-agent's end says that it failed, and nobody did its task since"},
	{limits.ToolFailureRun, Presence, "high", true, "many calls in a row failed, with different inputs"},
	{limits.EditChurn, Presence, "medium", true, "a file's content goes back and forth between contents that it had before"},

	{limits.Silence, Absence, "medium", false, "a session is at work on a command and nothing at all was heard for long, and nothing explains it"},
	{limits.MissingMilestone, Absence, "low", false, "a slice is over without a milestone, in a command that is expected to log some"},
	{limits.Declining, Absence, "low", false, "the gaps between milestones grow, one after the other or as a trend, with no pause inside"},
	{limits.IncompleteOutput, Absence, "high", true, "a COMPLETE names a file that does not exist"},
	{limits.AgentSilence, Absence, "medium", false, "a sub-agent was started long ago, and not one entry of it or its tools came"},
	{limits.Undeclared, Absence, "low", true, "a command of the chain was invoked, and a turn of work passed without a lifecycle entry of it"},
	{limits.IgnoredAdvice, Absence, "medium", true, "advice was delivered and seen, and over turns of work the same trouble goes on"},

	{limits.AbruptStop, Hard, "critical", true, "a session ended in the middle of a turn for a reason that is not the user's, or its process is gone"},
	{limits.Partial, Hard, "critical", false, "a command has phases complete, neither ended nor failed, and its session is over or gone"},
	{limits.AbandonedAgent, Hard, "critical", false, "a sub-agent had begun and has said nothing for long, and its parent went on or finished"},
	{limits.KilledTool, Hard, "critical", true, "a call was open when its session was cut off, or when another process took it up"},

	{limits.PermissionWait, Waiting, "high", false, "a permission is unanswered for long"},
	{limits.QuestionWait, Waiting, "medium", false, "a question to the user is unanswered for long"},
}

// Kinds lists the types with what is fixed about each, in the order of the documentation.
func Kinds() []Kind { return append([]Kind(nil), kinds[:]...) }

// Types lists all types in the order of the documentation.
func Types() []Type {
	types := make([]Type, len(kinds))
	for i := range kinds {
		types[i] = kinds[i].Type
	}
	return types
}

// Kind is the type's row of the table; the zero Kind for a type that has none.
func (t Type) Kind() Kind {
	if k := t.kind(); k != nil {
		return *k
	}
	return Kind{}
}

func (t Type) kind() *Kind {
	for i := range kinds {
		if kinds[i].Type == t {
			return &kinds[i]
		}
	}
	return nil
}

// Priority of a type: critical, high, medium or low; fixed, see docs/guide/supervising.md.
func (t Type) Priority() string {
	if k := t.kind(); k != nil {
		return k.Priority
	}
	return ""
}

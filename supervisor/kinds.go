package supervisor

// Group is what the types of a group have in common.
type Group string

// The groups.
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
}

// MaxUnearned is the highest confidence of a type that has not earned more, so
// that it stays below the queue's default threshold.
const MaxUnearned = 0.9

// Kinds is the table of all types in the order of the documentation.
func Kinds() []Kind {
	return []Kind{
		{Loop, Presence, "high", true},
		{PhaseStuck, Presence, "high", true},
		{Regression, Presence, "high", true},
		{OutOfOrder, Presence, "medium", true},
		{ChainBroken, Presence, "medium", true},
		{TDDViolation, Presence, "high", true},
		{ExplicitFailure, Presence, "critical", true},
		{AgentFailed, Presence, "high", true},
		{ToolFailureRun, Presence, "high", true},
		{EditChurn, Presence, "medium", true},

		{Silence, Absence, "medium", false},
		{MissingMilestone, Absence, "low", false},
		{Declining, Absence, "low", false},
		{IncompleteOutput, Absence, "high", true},
		{AgentSilence, Absence, "medium", false},
		{Undeclared, Absence, "low", true},
		{IgnoredAdvice, Absence, "medium", true},

		{AbruptStop, Hard, "critical", true},
		{Partial, Hard, "critical", false},
		{AbandonedAgent, Hard, "critical", false},
		{KilledTool, Hard, "critical", true},

		{PermissionWait, Waiting, "high", true},
		{QuestionWait, Waiting, "medium", false},
	}
}

// Kind is the type's row of the table; the zero Kind for a type that has none.
func (t Type) Kind() Kind {
	for _, k := range Kinds() {
		if k.Type == t {
			return k
		}
	}
	return Kind{}
}

// Priority of a type: critical, high, medium or low; fixed, see docs/supervision.md.
func (t Type) Priority() string { return t.Kind().Priority }

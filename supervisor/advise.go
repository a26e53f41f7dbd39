package supervisor

import "aburn/workflow"

// Level is how far an issue goes.
type Level string

// The levels, by confidence (design: graduated response).
const (
	Notify  Level = "notify"
	Suggest Level = "suggest"
	Queue   Level = "queue"
)

// LevelOf is the level of an issue under the limits of the model; "" when its type is switched off.
func LevelOf(i *Issue, m *workflow.Model) Level { return Notify }

// Prompt is the text that tells the agent about an issue: our own sentences, counts, entry numbers, names in quotes.
func (i *Issue) Prompt() string { return "" }

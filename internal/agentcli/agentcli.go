// Package agentcli is what is known of the coding agents as data: static, so that whoever links it does nothing at init.
// It decides nothing. What is behaviour stands with its agent: hooks/<agent>, trace/<agent>, install/<agent>.
//
// Whoever asks about an agent takes its record, or the record of an entry's source (Of), and asks for the trait. Only
// composition roots read the list of all.
package agentcli

// Agent is the record of one agent. A record without Hooks.Events is of an agent whose session store is read and that
// gets no hooks. The zero record is that of a source that nobody knows: it promises nothing.
type Agent struct {
	Name     string // the hook's argument, the source of entries and of traces, a value of flags
	Title    string // how the agent calls itself
	Program  string // its executable, looked for on PATH
	Home     Home
	Settings Settings
	Hooks    Hooks
	Prompts  Prompts
	Plugin   Plugin
	Session  Session
	Store    Store
	Traits   Traits
}

// Home is the folder in which the agent keeps what is this user's. Dir is below the user's home.
type Home struct {
	Dir     string
	Var     string // names the folder itself; "" if no variable does
	BaseVar string // names the folder that Dir is below, in place of the user's home; "" if no variable does
}

// Settings are the files that hold the agent's hooks, by whose sessions they govern; "" where it has none.
type Settings struct {
	User    string // below Home
	Project string // below the project's root
	Local   string // below the project's root, and not committed
	// Worktree says that a project's files are those of the work tree that a session starts in, not of the main checkout.
	Worktree bool
}

// Hooks is how the agent runs hooks.
type Hooks struct {
	Events []Event
	// Exec says that a handler is a program with arguments. Otherwise it is one line for the user's own shell.
	Exec bool
	// MissingBlocks says that the agent stops its work when a hook's program is missing. Then what is registered has to
	// survive that.
	MissingBlocks bool
	// Once says that an identical command in several settings files runs once.
	Once bool
	// Reloads says that sessions that run take up changed settings.
	Reloads bool
	// ProjectVar is the variable in which a hook is told the project's folder; "" if there is none.
	ProjectVar string
	// Since is the first version that runs hooks as they are registered; Before is what an older one does.
	Since, Before string
}

// Event is one event that aburn's hook subscribes to.
type Event struct {
	Name    string // as the agent spells it in its settings
	Timeout int    // seconds after which the agent gives up on the hook; the hook itself ends within one
}

// Prompts is in what form the agent takes prompts.
type Prompts struct {
	Folder  string // in a project or in a home folder: where commands and skills lie; ends in "/"
	Mention string // what stands before the name of a command that the user calls
	// Slash says that the agent has slash commands, whose lines it runs and whose arguments it fills in. Otherwise a command
	// of the workflow is a skill.
	Slash bool
	// Explicit is the file beside a skill that keeps the model from starting it by itself, and ExplicitText what is in it.
	Explicit, ExplicitText string
}

// PluginForm is what a plugin of the agent is like.
type PluginForm int

// The forms of plugins.
const (
	NoPlugin    PluginForm = iota
	HooksPlugin            // commands, skills and hooks; the folder is its own marketplace
	SkillPlugin            // skills only, in a folder below the marketplace
)

// Plugin is how aburn becomes a plugin of the agent.
type Plugin struct {
	Form    PluginForm
	Use     string // the command line that tries it, with DIR for the folder
	RootVar string // stands for the folder in the commands of a plugin's hooks
}

// Session are the variables in which the agent tells the commands of its model who they are; "" where it tells nothing.
type Session struct {
	ID     string
	Thread string // the session's id, or that of a sub-agent in it
	Call   string // the id of the tool call
}

// Store is the agent's session store.
type Store struct {
	Var string // names the store itself; "" if only the folder that it lies in has a variable
	// Sessions is a pattern, below Home, of the files of sessions; "" if a session has no file of its own.
	Sessions string
	Keeps    Keeps
}

// Keeps is for how long the agent keeps a session; zero is for ever.
type Keeps struct {
	Days    int
	File    string // of the settings, below Home
	Setting string // in it, which says otherwise: days, or an object with enabled and maxAge
}

// Traits are what others ask about the agent's sessions. Of an agent that nobody knows all are false.
type Traits struct {
	// BackgroundAgents: its sub-agents always run beside the session's turns.
	BackgroundAgents bool
	// CallsRunOn: a call that is open when its turn or its sub-agent ends still runs, and its end is told later.
	CallsRunOn bool
	// PromptsCut: when a prompt comes, none of the session's own calls runs any more.
	PromptsCut bool
	// TellsInterrupts: an interrupt is told at once, so that until the next prompt the session was at work.
	TellsInterrupts bool
	// Recorded: its sessions are what hooks recorded of other agents' sessions.
	Recorded bool
	// ReviewsNeverEnd: the end of a turn that no person asked for is not told.
	ReviewsNeverEnd bool
}

// Variables say where the agent's store lies. Whoever starts a reader apart from the agent passes them on.
func (a *Agent) Variables() [3]string { return [3]string{a.Home.Var, a.Home.BaseVar, a.Store.Var} }

// Hooked says that aburn has hooks for the agent.
func (a *Agent) Hooked() bool { return len(a.Hooks.Events) > 0 }

var unknown Agent

// Of is the record of a source of entries or traces, the zero record if nobody knows it.
func Of(source string) *Agent {
	for _, a := range all {
		if a.Name == source {
			return a
		}
	}
	return &unknown
}

// All are all records, in the order in which they are shown.
func All() []*Agent { return all[:] }

// Names are the names of agents as a text lists them: "a, b, c".
func Names(agents []*Agent) string {
	names := ""
	for i, a := range agents {
		if i > 0 {
			names += ", "
		}
		names += a.Name
	}
	return names
}

// Package agentcli holds all facts about coding agents as static data, so that a program that links it does nothing at
// init. It imports almost nothing, because the hook links it. It decides nothing: behaviour is code in hooks/<agent>,
// trace/<agent> and install.
//
// A caller takes an agent's record, or the record of an entry's source (Of), and reads the trait. Only composition
// roots read the list of all agents.
package agentcli

import "strings"

// Agent is the record of one agent. Without Hooks.Events aburn only reads the agent's session store and installs no
// hooks. The zero record stands for an unknown source: it promises nothing.
type Agent struct {
	Name     string // the hook's argument, the source of entries and of traces, a value of flags
	Title    string // its product name
	Program  string // its executable on PATH
	Tried    string // the newest version that the real client's tests ran with; "" for none
	Home     Home
	Settings Settings
	Hooks    Hooks
	Prompts  Prompts
	Plugin   Plugin
	Resume   string // the command with which a person takes a session up again, before the session's id; "" if unknown
	// FirstPrompt is the argument before the first prompt of a session in a terminal; "" if nobody has tried.
	FirstPrompt string
	Session     Session
	Store       Store
	Traits      Traits
}

// Home is the folder of the agent's files for this user. Dir is relative to the user's home.
type Home struct {
	Dir     string
	Var     string // the variable with the folder's path; "" for none
	BaseVar string // the variable that replaces the user's home above Dir; "" for none
	TopVar  string // the variable that replaces the user's home and the first folder of Dir; "" for none
}

// Folder returns the folder for the user with this home directory, with "/" as separator; "" if home is needed and empty.
// A variable counts as the agents take it: every value but an empty one, a relative one from the working folder.
func (h Home) Folder(home string, env func(string) string) string {
	if h.Var != "" && env(h.Var) != "" {
		return env(h.Var)
	}
	if _, below, ok := strings.Cut(h.Dir, "/"); ok && h.TopVar != "" && env(h.TopVar) != "" {
		return env(h.TopVar) + "/" + below
	}
	if h.BaseVar != "" && env(h.BaseVar) != "" {
		home = env(h.BaseVar)
	}
	if home == "" {
		return ""
	}
	return home + "/" + h.Dir
}

// Settings are the files with the agent's hooks by scope; "" if it has none of a scope.
type Settings struct {
	User    string // below Home
	Project string // below the project's root
	Local   string // below the project's root, and not committed
	// Worktree: the project's files lie in the work tree in which a session starts, not in the main checkout.
	Worktree bool
	// StatusLine: the file may name a command whose output the agent shows below its prompt.
	StatusLine bool
}

// Hooks is how the agent runs hooks.
type Hooks struct {
	Events []Event
	// Exec: a handler is a program with arguments. Otherwise it is one line for the user's shell.
	Exec bool
	// EventArg: a payload does not name its event, so that is the hook's second argument.
	EventArg bool
	// MissingBlocks: the agent stops its work if a hook's program is missing, so the command line has to survive that.
	MissingBlocks bool
	// Named: a handler has a name, under which the agent lists it and switches it off.
	Named bool
	// Millis: the agent's settings have time limits in milliseconds.
	Millis bool
	// Comments: the settings file may hold // and /* */ comments.
	Comments bool
	// Renamed are events that Claude Code has under another name: the agent's own name, Claude Code's.
	Renamed [][2]string
	// Once: an identical command in several settings files runs once.
	Once bool
	// AtStart: a start can bring hooks of its own, which run although no settings file has them.
	AtStart bool
	// Reloads: running sessions reload changed settings.
	Reloads bool
	// ProjectVar is the variable with the project's folder in a hook's environment; "" for none.
	ProjectVar string
	// Since is the first version that runs hooks as aburn registers them, "" if nobody has tried. Before says what older
	// ones do.
	Since, Before string
}

// Event is one event that aburn's hook subscribes to.
type Event struct {
	Name    string // as the agent spells it in its settings
	Timeout int    // the agent's time limit in seconds; the hook itself ends within one
}

// Prompts is the form of the agent's prompts; the zero value if aburn has none for it.
type Prompts struct {
	Folder  string // of commands and skills, below a project or a home folder; ends in "/"
	Mention string // the prefix with which the user calls a command
	// Slash: the agent has slash commands; it runs their ! lines and fills in arguments. Otherwise a command of the
	// workflow is a skill.
	Slash bool
	// Braces: in a command {{args}} stands for the arguments, and !{…} for a line that the agent runs. Otherwise these are
	// $ARGUMENTS and !`…`. TOML: a command is a TOML file with its prompt, not Markdown.
	Braces, TOML bool
	// Explicit is the file beside a skill that keeps the model from starting it by itself; ExplicitText is its content.
	Explicit, ExplicitText string
}

// PluginForm is the kind of plugin that aburn makes for an agent.
type PluginForm int

// The forms of plugins.
const (
	NoPlugin    PluginForm = iota
	HooksPlugin            // commands, skills and hooks; the folder is its own marketplace
	SkillPlugin            // skills only, in a folder below the marketplace
)

// Plugin describes aburn's plugin for the agent.
type Plugin struct {
	Form    PluginForm
	Use     string // the command line that tries it, with DIR for the folder
	RootVar string // stands for the folder in the commands of a plugin's hooks
}

// Session names the variables with which the agent identifies the commands of its model; "" for none.
type Session struct {
	ID     string
	Thread string // the session's id, or that of a sub-agent in it; without an ID only the log tells which
	Call   string // the id of the tool call
	// Mark is set in the commands of its model where no variable has the session's id. The log tells it: by the open
	// call that runs the command.
	Mark string
}

// Store is the agent's session store.
type Store struct {
	Var string // the variable with the store's own path; "" for none
	// Sessions is a glob of the session files, below Home; "" if sessions have no own files.
	Sessions string
	// Result comes before the id of a call, as a JSON string, in the record of the call's result and in no other; "" if the files don't tell.
	Result string
	Keeps  Keeps
}

// Keeps is how long the agent keeps a session; the zero value is for ever.
type Keeps struct {
	Days    int
	File    string // of the settings, below Home
	Setting string // the key in File that overrides Days: a number of days, or an object with enabled and maxAge
}

// Traits are facts about the agent's sessions. All are false for an unknown agent.
type Traits struct {
	// BackgroundAgents: its sub-agents always run beside the session's turns.
	BackgroundAgents bool
	// CallsRunOn: a call that is open at the end of its turn or sub-agent still runs, and its end comes later.
	CallsRunOn bool
	// PromptsCut: when a prompt comes, none of the session's own calls runs any more.
	PromptsCut bool
	// TellsInterrupts: an interrupt has an event, so without one the session was at work until the next prompt.
	TellsInterrupts bool
	// Recorded: its sessions are aburn's records of other agents' sessions, by hooks or in workers' ledgers.
	Recorded bool
	// HidesCacheWrites: its store says 0 for the tokens that were written to a cache, whatever they were.
	HidesCacheWrites bool
	// ShortWindows: its plans limit windows of five hours.
	ShortWindows bool
	// TellsAgentEnds: the client itself tells the model of the end of each sub-agent.
	TellsAgentEnds bool
	// LoginShell: the model's commands run in a login shell, which sets PATH anew.
	LoginShell bool
	// ReviewsNeverEnd: a turn that no person asked for has no end event.
	ReviewsNeverEnd bool
}

// Variables are the names of the variables that locate the agent's store. A program that starts a reader outside of the
// agent passes them on. Empty names are unused.
func (a *Agent) Variables() [3]string { return [3]string{a.Home.Var, a.Home.BaseVar, a.Store.Var} }

// Prompted reports whether aburn has commands and skills for the agent.
func (a *Agent) Prompted() bool { return a.Prompts.Folder != "" }

// Common is the name that Claude Code has for an event of the agent.
func (h *Hooks) Common(event string) string {
	for _, r := range h.Renamed {
		if r[0] == event {
			return r[1]
		}
	}
	return event
}

// Hooked reports whether aburn has hooks for the agent.
func (a *Agent) Hooked() bool { return len(a.Hooks.Events) > 0 }

var unknown Agent

// Of returns the record of a source of entries or traces, or of an agent that can be a worker; the zero record if it is unknown.
func Of(source string) *Agent {
	for _, a := range all {
		if a.Name == source {
			return a
		}
	}
	for _, a := range quiet {
		if a.Name == source {
			return a
		}
	}
	return &unknown
}

// Called is how a session's agent is called wherever people read it. source is who wrote the session, agent what the session says of its agent:
// the two differ where aburn recorded the session.
func Called(source, agent string) string {
	return called(source, agent, func(a *Agent) string { return a.Title })
}

// CalledShort is Called for a column.
func CalledShort(source, agent string) string {
	return called(source, agent, func(a *Agent) string { return a.Program })
}

func called(source, agent string, name func(*Agent) string) string {
	from := Of(source)
	if !from.Traits.Recorded {
		if word := name(from); word != "" {
			return word
		}
		return source
	}
	word := name(Of(agent))
	if word == "" {
		word = "unknown agent"
	}
	if source == Own.Name {
		return word + " via hooks"
	}
	return word + " worker"
}

// All returns the records of all sources in display order.
func All() []*Agent { return all[:] }

// Names joins the names of agents: "a, b, c".
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

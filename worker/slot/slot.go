// Package slot is what can be exchanged around a worker: the agent that works, what it is started with, and how one speaks to
// it. It decides nothing. Who implements a slot imports this package and no other slot.
package slot

// Permissions are what an agent may do without asking.
type Permissions string

// The permissions. There is no word for "everything": a person says that in the agent itself.
const (
	Ask   Permissions = "ask"   // every action that the agent itself would ask about
	Edits Permissions = "edits" // edits of files in the tree run unasked
	Auto  Permissions = "auto"  // the agent judges by itself
	Plan  Permissions = "plan"  // it only plans
)

// AllPermissions lists the words, the careful one first.
func AllPermissions() []Permissions { return []Permissions{Ask, Edits, Auto, Plan} }

// Order is what an agent is started for.
type Order struct {
	Tree        string   // where it works
	Writable    []string // what it has to write beside Tree so that it can commit: folders of git's, none of its settings or hooks
	Task        string
	Fork        string // the session whose conversation it goes on with, in one of its own; only for a Forker
	Rules       string // what a worker is, for the agent's own instructions
	Session     string // the id that the session gets, if the agent lets others choose it
	Permissions Permissions
	Model       string   // "" is the agent's own choice
	Folder      string   // for files that the agent reads at its start
	Reports     []string // shell commands that it may run unasked: they only tell how it goes
	Hook        string   // aburn-hook, if hooks have to be passed at the start; "" if they are installed
}

// Launch is how an agent is started for an order.
type Launch struct {
	Args    []string          // behind the program
	Files   map[string][]byte // to be written before, by path, for the user alone
	Session string            // the session's id; "" if only the agent itself knows it
	Env     []string          // NAME=value, no secrets
	Prompt  string            // without a terminal: what it is told instead of the bare task; "" is the task
}

// Confiner is an agent that works in a sandbox of its own.
type Confiner interface {
	// Confine is how its program runs a command in a sandbox equal to that of an agent started for o: arguments behind the
	// program, and names of variables that it needs.
	Confine(o Order, argv []string) (args, variables []string)
}

// Forker is an agent whose starts, in a terminal and without one, take Order.Fork.
type Forker interface{ Forks() }

// Queuer is an agent that keeps a queue of messages for each session, from which its idle terminal takes the next one by itself.
type Queuer interface {
	// Queue is the command line that puts text into the queue of a session. It ends with 0 if the queue has it.
	Queue(session, text string) []string
}

// Agent is an agent that can be a worker.
type Agent interface {
	// Name is that of its record in agentcli.
	Name() string
	// Launch is how it is started with the task as its first prompt.
	Launch(Order) Launch
	// Resume is how it is started in a terminal to go on with a session.
	Resume(o Order, session string) Launch
	// Protocol is how it works without a terminal; nil if it cannot.
	Protocol() Protocol
	// Variables are the names of the environment that it needs beside what every program sees; * at the end stands for all
	// that begin so.
	Variables() []string
}

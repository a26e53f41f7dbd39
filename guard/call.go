package guard

// Kind is what a tool does, in one word for all agents.
type Kind string

// The kinds of tools, as in a trace.
const (
	Shell    Kind = "shell"
	ReadKind Kind = "read"
	Edit     Kind = "edit"
	Search   Kind = "search"
	Web      Kind = "web"
	MCP      Kind = "mcp"
	Agent    Kind = "agent"
	Other    Kind = "other"
)

// Call is one call of a tool, before it runs.
type Call struct {
	Tool    string // as its agent calls it
	Kind    Kind
	Command string   // of a shell
	Paths   []string // of a tool that reads or writes files
	URL     string
	Server  string // of an MCP tool
	Dir     string // the working directory, absolute
	// Sub: a sub-agent makes the call.
	Sub bool
	// Cut is the reason why the call is not known whole; "" if it is.
	Cut string
}

// Truth is what is known of a fact.
type Truth int

// The truths, in the order that makes `and` the smallest and `or` the largest of several.
const (
	No      Truth = iota - 1
	Unknown       // the zero value
	Yes
)

// TruthOf is b as a Truth.
func TruthOf(b bool) Truth {
	if b {
		return Yes
	}
	return No
}

// Counts are numbers of a session at a call, which is counted already.
type Counts struct {
	Turn, Session int // calls
	Repeats       int // how often this call came with equal results, in the turn
	Failures      int // in a row before it
	Agents        int // sub-agents of the turn
	SessionAgents int
	SecretRead    bool // the turn has read a secret before
}

// Facts is what rules can ask about the moment of a call. Each may be unknown.
type Facts interface {
	Dirty(dir string) Truth  // the worktree has changes
	Pushed(dir string) Truth // the newest commit is on a remote branch
	Branch(dir string) string
	Tracked(path string) Truth
	Ignored(path string) Truth
	Resolve(path string) string // with the links of its existing part followed
	Cluster() string            // kubectl's current context
	Counts() (Counts, bool)
}

// Place is where a call happens.
type Place struct {
	Root   string   // of the worktree; "" if unknown
	Home   string   // of the user
	Config string   // the folder of aburn's settings
	Temp   []string // folders for temporary files
}

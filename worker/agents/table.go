package agents

import (
	"slices"

	"aburn/internal/agentcli"
	"aburn/worker/acp"
	"aburn/worker/slot"
)

// client is a client that speaks the Agent Client Protocol and also takes its first prompt on the command line.
type client struct {
	agent *agentcli.Agent
	// args and env are what each permission adds to every start. A client without a judge of its own takes auto as edits.
	args      map[slot.Permissions][]string
	env       map[slot.Permissions]string
	resume    string   // comes before the id of the session to continue
	session   string   // comes before the id of a new session; empty if only the client chooses ids
	protocol  []string // starts it without a terminal
	bare      bool     // without a terminal it takes neither a model nor args
	variables []string
}

// table is in the order of preference. The command lines are those of opencode 1.18.33, Gemini CLI 0.61.0, Qwen Code 0.24.4 and
// Copilot CLI 1.0.102.
var table = []client{
	{
		agent: &agentcli.Opencode, resume: "--session", protocol: []string{"acp"}, bare: true,
		env: map[slot.Permissions]string{ // its own default edits and runs commands without asking
			slot.Ask:   opencodePermission("ask", "ask"),
			slot.Edits: opencodePermission("allow", "ask"),
			slot.Auto:  opencodePermission("allow", "ask"),
			slot.Plan:  opencodePermission("deny", "deny"),
		},
		variables: []string{"OPENCODE_*", "ANTHROPIC_*", "OPENAI_*", "OPENROUTER_*", "GOOGLE_*", "GEMINI_*", "GROQ_*", "MISTRAL_*", "AZURE_*", "AWS_*"},
	},
	{
		agent: &agentcli.Gemini, resume: "--resume", session: "--session-id", protocol: []string{"--acp"},
		args:      approvalModes("default", "auto_edit", "auto_edit", "plan"),
		variables: []string{agentcli.Gemini.Home.BaseVar, "GEMINI_*", "GOOGLE_*", "CODE_ASSIST_*"},
	},
	{
		agent: &agentcli.Qwen, resume: "--resume", session: "--session-id", protocol: []string{"--acp"},
		args:      approvalModes("default", "auto-edit", "auto", "plan"), // always passed: without a terminal its own default is auto
		variables: []string{agentcli.Qwen.Home.Var, "QWEN_*", "OPENAI_*", "DASHSCOPE_*", "ANTHROPIC_*", "GEMINI_*"},
	},
	{
		agent: &agentcli.Copilot, resume: "--resume", protocol: []string{"--acp"},
		args: map[slot.Permissions][]string{ // it asks about everything by itself, and has no flag for its own plan mode
			slot.Edits: {"--allow-tool", "write"},
			slot.Auto:  {"--allow-tool", "write"},
			slot.Plan:  {"--deny-tool", "write", "--deny-tool", "shell"},
		},
		variables: []string{agentcli.Copilot.Home.Var, "COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN", "GH_HOST"},
	},
}

// approvalModes are the values of --approval-mode, in the order of slot.AllPermissions.
func approvalModes(values ...string) map[slot.Permissions][]string {
	m := map[slot.Permissions][]string{}
	for i, p := range slot.AllPermissions() {
		m[p] = []string{"--approval-mode", values[i]}
	}
	return m
}

// opencodePermission is the variable that says what opencode may do without asking.
func opencodePermission(edit, bash string) string {
	return `OPENCODE_PERMISSION={"bash":"` + bash + `","edit":"` + edit + `","external_directory":"ask","webfetch":"ask"}`
}

// Name is the agent's name in agentcli.
func (c client) Name() string { return c.agent.Name }

// Launch passes the task as the first prompt of a terminal.
func (c client) Launch(o slot.Order) slot.Launch {
	l := c.start(o)
	if c.session != "" {
		l.Args, l.Session = append(l.Args, c.session, o.Session), o.Session
	}
	l.Args = append(l.Args, c.agent.FirstPrompt, acp.Prompt(o))
	return l
}

// Resume continues a conversation.
func (c client) Resume(o slot.Order, session string) slot.Launch {
	l := c.start(o)
	l.Args, l.Session = append(l.Args, c.resume, session), session
	return l
}

// Protocol is the Agent Client Protocol.
func (c client) Protocol() slot.Protocol {
	return acp.Protocol(func(o slot.Order) slot.Launch {
		l := c.start(o)
		if c.bare {
			l.Args = nil
		}
		l.Args = append(slices.Clone(c.protocol), l.Args...)
		return l
	})
}

// Variables are the names that c needs in its environment.
func (c client) Variables() []string { return c.variables }

// start is what every start has.
func (c client) start(o slot.Order) (l slot.Launch) {
	l.Args = slices.Clone(c.args[o.Permissions])
	if v := c.env[o.Permissions]; v != "" {
		l.Env = []string{v}
	}
	if o.Model != "" {
		l.Args = append(l.Args, "--model", o.Model)
	}
	return l
}

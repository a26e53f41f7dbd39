package launch

import (
	"os/exec"
	"path/filepath"
	"strings"

	"aburn/install"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/worker/agents"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/slot"
)

// PlanHooks sees to it that the agent calls aburn-hook, or says what is lost. The linked worktree will have the hooks that the
// person's own checkout has.
func PlanHooks(o *projects.Project, a fault.Reporter, p *manager.Plan) {
	adapter := adapterOf(p.Agent.Name())
	p.Hook = func(folder string) string { return hookAtStart(adapter, folder, o.Env) }
	if p.Hooked = adapter.Hooks.AtStart || hooksRun(adapter, o.Dir, o.Env); p.Hooked {
		return
	}
	if !adapter.Hooked() {
		a.Warn(p.Title + " has no hooks, so nothing will be known of what this worker does until it ends")
		return
	}
	lost := "nothing will be known of what this worker does"
	if p.Lines { // its protocol tells the rest
		lost = "aburn done and aburn ask of this worker don't get out of its sandbox"
	}
	a.Warn(p.Title+" runs no hooks of aburn's, so "+lost, "aburn install-hooks --agent "+p.Agent.Name(), "aburn doctor")
}

// CheckTrust refuses to run an agent without a terminal where nobody has told it that it may work. In a terminal it asks
// that by itself at its first start; without one it asks nothing, and runs what the repository's own settings name.
func CheckTrust(env func(string) string, p manager.Plan, checkout string, said bool) error {
	agent := adapterOf(p.Agent.Name())
	if !p.Lines || said || agent.TrustsFolder == nil || agent.TrustsFolder(checkout, env) {
		return nil
	}
	return fault.Failed("you have not told "+p.Title+" that you trust "+checkout+", and without a terminal it does not ask",
		"run "+agent.Program+" there once, and answer its question", "--trust, if you trust this repository's hooks and servers")
}

// ChooseAgent is the agent of this name, or the first one on PATH. With the error that it is not on PATH comes the agent.
func ChooseAgent(name string) (slot.Agent, string, error) {
	var tried []string
	var first slot.Agent
	for _, agent := range agents.All() {
		known := agentcli.Of(agent.Name())
		if name != "" && name != known.Name && name != strings.ReplaceAll(strings.ToLower(known.Title), " ", "-") {
			continue
		}
		program := known.Program
		if path, err := exec.LookPath(program); err == nil {
			path, err = filepath.Abs(path)
			return agent, path, err
		}
		if tried = append(tried, program); first == nil {
			first = agent
		}
	}
	if len(tried) == 0 {
		return nil, "", fault.Usage("no agent "+fault.Quote(name)+" can be a worker", fault.DidYouMean(name, agents.Names())...)
	}
	if name != "" {
		return first, "", fault.Failed(agentcli.Of(first.Name()).Title+" is not installed: there is no "+tried[0]+" on PATH", "install it",
			"--agent with another one")
	}
	return first, "", fault.Failed("no agent is installed: there is no "+strings.Join(tried, ", ")+" on PATH",
		"install "+agentcli.Of(agents.All()[0].Name()).Title)
}

func adapterOf(agent string) install.Agent {
	for _, known := range install.Agents() {
		if known.Name == agent {
			return known
		}
	}
	return &install.Adapter{Agent: agentcli.Of(agent)}
}

// hooksRun reports whether the agent's own settings call aburn-hook in sessions in folder, and the agent lets them.
func hooksRun(agent install.Agent, folder string, env func(string) string) bool {
	for _, s := range install.Inspect(agent, folder, env) {
		if s.Err == nil && len(s.Missing()) == 0 && (agent.Trusts == nil || agent.Trusts(&s, env)) {
			return true
		}
	}
	return false
}

// hookAtStart is aburn-hook if the agent's own settings do not have it for sessions in folder, and its start can bring it.
func hookAtStart(agent install.Agent, folder string, env func(string) string) string {
	if !agent.Hooks.AtStart || hooksRun(agent, folder, env) {
		return ""
	}
	path, err := projects.Program("aburn-hook")
	if err != nil {
		return ""
	}
	return path
}

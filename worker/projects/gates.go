package projects

import (
	"os/exec"

	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/worker/config"
	"aburn/worker/manager"
)

// MergeDefaults are how a worker is merged where nobody says it.
func MergeDefaults(o *Project, a fault.Reporter, of *manager.Member, m *manager.MergeOptions) error {
	c, err := o.Config("")
	if err != nil {
		return err
	}
	if m.How == "" && !m.Hooks {
		m.How = wantedHow(c.Word("merge"), *m)
	}
	m.Gates = GatesFor(c, of)
	m.Gates.Tell = func(line string) { a.Note("gate: " + plain.Line(line)) }
	return nil
}

// GatesFor are the gates of a worker: its own, or those of the configuration.
func GatesFor(c *config.Config, m *manager.Member) manager.Gates {
	g := GatesOf(c)
	if len(m.Request.Gates) > 0 {
		g.Run = m.Request.Gates
	}
	g.Program, _ = exec.LookPath(agentcli.Of(m.Request.Agent).Program)
	return g
}

// GatesOf are the gates that a configuration names.
func GatesOf(c *config.Config) manager.Gates {
	g := manager.Gates{Run: c.Words("gates"), Retries: gateRetries, Unsandboxed: c.Flag("gates.unsandboxed")}
	if c.Where("gates.retries") != "" {
		g.Retries = c.Number("gates.retries")
	}
	return g
}

// gateRetries is how often gates may fail before only --no-gates helps, beside the first time.
const gateRetries = 2

// wantedHow is the way of the configuration.
func wantedHow(word string, o manager.MergeOptions) manager.How {
	if how := manager.How(word); how != manager.HowForward && !(how == manager.HowRebase && o.Message != "") {
		return how
	}
	return ""
}

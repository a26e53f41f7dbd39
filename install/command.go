package install

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"aburn/internal/agentcli"
)

// Command is what an agent's own program is to be told, where a settings file is its own business. Byte-exactness is for the
// agent to keep, or not.
type Command struct {
	Agent   *agentcli.Agent
	Program string   // its executable
	Args    []string // of it
}

// String is the command as a person would type it.
func (c *Command) String() string {
	words := []string{c.Agent.Program}
	for _, a := range c.Args {
		words = append(words, shellQuote(a))
	}
	return strings.Join(words, " ")
}

// commandDeadline is for a program that hangs.
const commandDeadline = 30 * time.Second

// Run tells the agent. The error holds what it said.
func (c *Command) Run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, commandDeadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Program, c.Args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", c, err, strings.TrimSpace(string(out)))
	}
	return nil
}

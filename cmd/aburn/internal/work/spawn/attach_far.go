package spawn

import (
	"fmt"
	"os"

	"github.com/urfave/cli/v3"

	"aburn/internal/fault"
	"aburn/worker/manager"
	"aburn/worker/projects"
)

// SitFar shows a far worker's terminal here.
func SitFar(o *projects.Project, cmd *cli.Command, m *manager.Member) error {
	args := []string{"attach"}
	switch {
	case cmd.Bool("terminal") || cmd.Bool("headless"):
		return fault.Usage(m.Name+" stays at its terminal there", "aburn attach "+m.Name)
	case cmd.Bool("read-only"):
		args = append(args, "--read-only")
	}
	host, _ := manager.RemoteHost(m.Request.Via)
	if err := manager.HostNamed(o.Manager, host).Sit(m.Request.Address, append(args, m.Name)...); err != nil {
		fmt.Fprintln(os.Stderr)
		return fault.Failed("the line to "+manager.HostNamed(o.Manager, host).String()+" ended: "+err.Error()+"; the worker keeps running", "aburn ps "+m.Name)
	}
	return nil
}

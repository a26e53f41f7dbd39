package hooks

import (
	"os"

	"aburn/logfmt"
)

// maxShells is how many shells may stand between an agent and its hook.
const maxShells = 3

// process is one running program, so that a reader on the same host can tell
// whether it still runs: start is the kernel's own measure of when it began
// (Linux: clock ticks since boot) and 0 where it cannot be asked.
type process struct {
	pid   int
	start int64
}

// json is the process as data.proc has it.
func (p process) json(host string) []byte {
	var o logfmt.Object
	o.Int("pid", int64(p.pid))
	if p.start > 0 {
		o.Int("start", p.start)
	}
	return o.StrIf("host", host).Bytes()
}

// agentProcess is the process that runs this hook: the parent, or what started
// the shells that an agent puts in between. A shell is gone a moment later and
// would make its session look dead.
func agentProcess() (process, bool) {
	pid := os.Getppid()
	for range maxShells + 1 {
		if pid <= 1 {
			break
		}
		p, name, parent, ok := readProcess(pid)
		if !ok {
			break
		}
		if !isShell(name) {
			return p, true
		}
		pid = parent
	}
	return process{}, false
}

func isShell(name string) bool {
	switch name {
	case "sh", "bash", "dash", "zsh", "ash", "ksh", "fish":
		return true
	}
	return false
}

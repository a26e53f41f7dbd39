package attention

import (
	"os"
	"strconv"
	"strings"

	"aburn/internal/plain"
	"aburn/internal/proc"
	"aburn/internal/shell"
)

// Way is where a person finds a session.
type Way struct {
	Where   string // tmux %3, terminal pts/4; "" if its process is not seen
	Command string // what leads there, "" if only the person's eyes do
}

// WayTo is where the process of a thing's session shows what it asks. Only processes of this computer that run are found, and on Linux
// only their terminals.
func WayTo(item *Item) (way Way) {
	if item.Worker != nil {
		return Way{Command: item.Worker.Attach}
	}
	p := item.Proc
	if p.PID <= 0 || proc.Of(proc.Process{PID: int(p.PID), Start: p.Start}, p.Host) != proc.Runs {
		return Way{}
	}
	pid := int(p.PID)
	socket, _, _ := strings.Cut(proc.Environ(pid, "TMUX"), ",")
	if pane := proc.Environ(pid, "TMUX_PANE"); socket != "" && isPane(pane) && plain.Line(socket) == socket {
		tmux := "tmux"
		if socket != "/tmp/tmux-"+strconv.Itoa(os.Getuid())+"/default" {
			tmux += " -S " + shell.Quote(socket)
		}
		// Inside of tmux a client goes to the pane; outside of it a new client does.
		return Way{"tmux " + pane, tmux + " switch-client -t '" + pane + "' 2>/dev/null || " + tmux + " attach -t '" + pane + "'"}
	}
	if at := proc.Terminal(pid); at != "" {
		return Way{Where: "terminal " + plain.Line(at) + ", process " + strconv.Itoa(pid)}
	}
	return Way{Where: "process " + strconv.Itoa(pid)}
}

func isPane(text string) bool {
	digits, ok := strings.CutPrefix(text, "%")
	_, err := strconv.ParseUint(digits, 10, 32)
	return ok && err == nil
}

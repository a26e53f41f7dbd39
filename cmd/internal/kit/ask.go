package kit

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v3"
	xterm "golang.org/x/term"
)

// CanAsk reports whether there is a person to ask: both stdin and stdout are a terminal.
func (a *App) CanAsk(cmd *cli.Command) bool {
	f, ok := a.Stdin.(*os.File)
	return ok && a.Screen(cmd).Terminal() && xterm.IsTerminal(int(f.Fd()))
}

// Confirm asks a question that only y or yes affirms.
func (a *App) Confirm(question string) bool {
	fmt.Fprint(a.Stdout, question+" [y/N] ")
	line, _ := bufio.NewReader(a.Stdin).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}

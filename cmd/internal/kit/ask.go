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
func (a *App) Confirm(question string) bool { return yes(a.answer(question + " [y/N] ")) }

// ConfirmOr is Confirm with a third answer: at d, which does what the word says, show runs, and the question comes again.
func (a *App) ConfirmOr(question, word string, show func()) bool {
	for {
		answer := a.answer(question + " [y/N, d: " + word + "] ")
		if answer != "d" && answer != word {
			return yes(answer)
		}
		show()
	}
}

func (a *App) answer(question string) string {
	fmt.Fprint(a.Stdout, question)
	line, _ := bufio.NewReader(a.Stdin).ReadString('\n')
	return strings.ToLower(strings.TrimSpace(line))
}

func yes(answer string) bool { return answer == "y" || answer == "yes" }

package spawn

import (
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/workspace"
	"aburn/worker/launch"
)

// taskOf is the task of the command line, of --file or of stdin.
func taskOf(a *kit.App, cmd *cli.Command) (string, error) {
	task := strings.Join(cmd.Args().Slice(), " ")
	file := cmd.String("file")
	var from io.Reader
	switch {
	case file != "" && task != "":
		return "", fault.Usage("the task is given twice: as words and with --file", "leave one out")
	case file != "":
		dir, err := kit.Folder(cmd)
		if err != nil {
			return "", err
		}
		f, err := os.Open(workspace.InFolder(dir, file))
		if err != nil {
			return "", fault.Usage("--file: " + err.Error())
		}
		defer f.Close()
		from = f
	case task == "-":
		from = a.Stdin
	}
	if from != nil {
		text, err := io.ReadAll(io.LimitReader(from, launch.MaxTask+1))
		if err != nil {
			return "", fault.Usage("the task cannot be read: " + err.Error())
		}
		task = string(text)
	}
	if task = strings.TrimSpace(task); task == "" && (len(cmd.StringSlice("issue")) > 0 || cmd.IsSet("from")) {
		return "", nil // the issue is the task, or the briefing
	}
	return launch.CheckTask(task)
}

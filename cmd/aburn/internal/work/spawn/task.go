package spawn

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/workspace"
)

// maxTask is the longest task, in bytes: it is one argument, and Linux takes none above 128 KiB.
const maxTask = 96 << 10

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
		text, err := io.ReadAll(io.LimitReader(from, maxTask+1))
		if err != nil {
			return "", fault.Usage("the task cannot be read: " + err.Error())
		}
		task = string(text)
	}
	if task = strings.TrimSpace(task); task == "" && len(cmd.StringSlice("issue")) > 0 {
		return "", nil // the issue is the task
	}
	return checkTask(task)
}

func checkTask(task string) (string, error) {
	switch {
	case task == "":
		return "", fault.Usage("there is no task", `aburn spawn "fix the flaky test in cart"`)
	case len(task) > maxTask:
		return "", fault.Usage(fmt.Sprintf("the task is longer than %s, more than one argument takes", plain.Size(maxTask)),
			"put it into a file of the repository, and name that in the task")
	case !utf8.ValidString(task):
		return "", fault.Usage("the task is not UTF-8")
	}
	task = strings.ReplaceAll(task, "\r\n", "\n")
	for _, r := range task {
		if plain.Control(r) && r != '\n' && r != '\t' {
			return "", fault.Usage(fmt.Sprintf("the task has the control character %U", r), "take it out: the agent would read what you do not see")
		}
	}
	return task, nil
}

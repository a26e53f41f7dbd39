package agentcli

import (
	"slices"
	"strconv"
	"strings"
)

// Qwen Code tells its model of a command in lines "Key: value": Command, Directory, Output (any number of lines), Error,
// Exit Code, Signal, Process Group PGID. Hooks and sessions hold the same text.

// ShellOutput is the output in that text, and any other text itself.
func ShellOutput(text string) string {
	if !strings.HasPrefix(text, "Command: ") {
		return text
	}
	_, rest, ok := strings.Cut(text, "\nOutput: ")
	if !ok {
		return text
	}
	if i := strings.LastIndex(rest, "\nError: "); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

// ShellExit is the exit code in that text. It reads from the end: lines that the output itself ends with stand before
// the client's.
func ShellExit(text string) (int64, bool) {
	lines := strings.Split(text[max(0, len(text)-1024):], "\n")
	for _, line := range slices.Backward(lines) {
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "Exit Code":
			code, err := strconv.ParseInt(value, 10, 32)
			return code, err == nil
		case "Process Group PGID", "Signal", "Background PIDs":
		default:
			return 0, false
		}
	}
	return 0, false
}

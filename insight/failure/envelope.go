package failure

import "strings"

// unwrap takes off what agents write around what a tool gave back, and what they quote of the input behind their own
// sentence: neither makes it another error.
func unwrap(s string) string {
	s = strings.TrimSpace(s)
	for _, tag := range [...]string{"tool_use_error", "untrusted_context", "error"} {
		if rest, ok := strings.CutPrefix(s, "<"+tag+">"); ok {
			s = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "</"+tag+">"))
		}
	}
	s = unhead(s)
	for _, end := range [...]string{" Process Group PGID: ", " (Command exited with code ", " <shell_metadata>"} {
		if i := strings.LastIndex(s, end); i >= 0 {
			s = s[:i]
		}
	}
	if i := strings.LastIndex(s, " Exit Code: "); i >= 0 && strings.Trim(s[i+len(" Exit Code: "):], "0123456789") == "" {
		s = s[:i]
	}
	// What Node says of its memory before it says what happened.
	if i := strings.Index(s, "FATAL ERROR: "); i > 0 && strings.Contains(s[:i], "<--- Last few GCs --->") {
		s = s[i:]
	}
	for _, sentence := range [...]string{"String to replace not found in file.", "of the string to replace,", "Failed to find expected lines in", "Failed to find context"} {
		if i := strings.Index(s, sentence); i >= 0 {
			s = s[:i+len(sentence)]
		}
	}
	return strings.TrimPrefix(strings.TrimPrefix(s, "Error: "), "error: ")
}

// unhead takes off how the command ended, which is known better, and the word that announces what it printed.
func unhead(s string) string {
	for _, head := range [...]string{"Chunk ID: ", "Wall time: ", "Exit code: ", "Command: "} {
		if !strings.HasPrefix(s, head) {
			continue
		}
		for _, mark := range [...]string{" Output: ", " Stdout: "} {
			if i := strings.Index(s, mark); i >= 0 && i < 300 {
				return s[i+len(mark):]
			}
		}
	}
	if rest, ok := strings.CutPrefix(s, "Exit code "); ok {
		return strings.TrimLeft(strings.TrimLeft(rest, "0123456789"), " ")
	}
	return strings.TrimPrefix(s, "Output: ")
}

package scrub

import "strings"

// piped redacts what `echo SECRET |` or `<<< SECRET` gives to the command s[i:end] on its stdin, if the command has one of the
// flags of c.
func (f *finder) piped(c *command, i, end int) {
	s := f.text
	stop, reads := f.stdin(c, end)
	if !reads {
		return
	}
	if n := strings.Index(s[end:stop], "<<<"); n >= 0 {
		start := skipBlanks(s, end+n+len("<<<"), 8)
		f.givenSecret(c, start, argumentEnd(s, min(start, len(s))))
	}
	bar := i - 1
	for bar >= 0 && i-bar < maxCommand && !endsCommand(s[bar]) {
		bar--
	}
	f.work += i - bar
	if bar > 0 && s[bar] == '|' && s[bar-1] != '|' {
		f.written(c, bar)
	}
}

// stdin reports whether the command, whose arguments begin at end, has one of the flags of c, and where its arguments end. A
// flag of one letter may stand among others: sudo -kS.
func (f *finder) stdin(c *command, end int) (stop int, reads bool) {
	s := f.text
	reads = c.flags == " "
	at := end
	for at < len(s) && at < end+maxCommand {
		start := skipBlanks(s, at, 64)
		if start == len(s) || endsCommand(s[start]) {
			break
		}
		at = argumentEnd(s, start)
		arg := flagAt(s[start:at])
		reads = reads || arg != "" && strings.Contains(c.flags, " "+arg+" ")
		if group := len(arg) > 2 && allIn(arg[1:], setLetter); group {
			reads = reads || strings.Contains(c.flags, " -"+arg[len(arg)-1:]+" ")
		}
	}
	f.work += at - end
	return at, reads
}

// flagAt is the flag that arg begins with, or "": a quote or bracket of the text around the command may follow it.
func flagAt(arg string) string {
	n := 0
	for arg[0] == '-' && n < len(arg) && (setLetter | setDash).has(arg[n]) {
		n++
	}
	return arg[:n]
}

// written redacts the arguments of the echo or printf whose output the pipe at bar takes.
func (f *finder) written(c *command, bar int) {
	s := f.text
	from := bar - 1
	for from > 0 && bar-from < maxCommand && !endsCommand(s[from-1]) {
		from--
	}
	f.work += bar - from
	for _, program := range [...]string{"echo ", "printf "} {
		n := strings.LastIndex(s[from:bar], program)
		if n < 0 || wordAt(s, from+n-1) {
			continue
		}
		for at := from + n + len(program); ; {
			start := skipBlanks(s, at, 64)
			if start >= bar {
				return
			}
			at = argumentEnd(s, start)
			if arg := s[start:at]; arg[0] != '-' && !strings.Contains(arg, "%s") {
				f.givenSecret(c, start, min(at, bar))
			}
		}
	}
}

// givenSecret redacts s[start:end], which c reads, unless it is an answer like "y".
func (f *finder) givenSecret(c *command, start, end int) {
	switch start, end = f.trimmed(start, end); {
	case end-start < 3:
	case c.how == pipedPairs:
		f.userPassword(start, end, ":")
	default:
		f.secretArgument(start, end)
	}
}

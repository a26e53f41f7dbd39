package scrub

import "strings"

// userFlag redacts the password of a command line that names a user and then a password by flags of one letter, whatever the program
// is: -u bob -p X. The flag -p ends at i.
func (f *finder) userFlag(start, i int) {
	s := f.text
	from := start
	for from > 0 && start-from < maxCommand/8 && !endsCommand(s[from-1]) {
		from--
	}
	f.work += start - from
	if before := s[from:start]; !strings.Contains(before, " -u") && !strings.Contains(before, " -U ") && !strings.Contains(before, " --user") &&
		!strings.Contains(before, " /ru ") {
		return
	}
	first, stop := f.trimmed(i, argumentEnd(s, i))
	if first < stop && isSaid(s[first:stop], password, false) {
		f.add(first, stop, "argument", rankPlace)
	}
}

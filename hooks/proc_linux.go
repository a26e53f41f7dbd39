package hooks

import (
	"bytes"
	"os"
	"strconv"
)

// readProcess reads /proc/<pid>/stat: "pid (name) state ppid … starttime …",
// where the name may hold blanks and parentheses.
func readProcess(pid int) (p process, name string, parent int, ok bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, "", 0, false
	}
	open, shut := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || shut < open {
		return process{}, "", 0, false
	}
	const afterName, starttime = 3, 22 // numbers of the fields in proc(5)
	f := bytes.Fields(b[shut+1:])
	if len(f) <= starttime-afterName {
		return process{}, "", 0, false
	}
	parent, err = strconv.Atoi(string(f[1]))
	if err != nil {
		return process{}, "", 0, false
	}
	start, err := strconv.ParseInt(string(f[starttime-afterName]), 10, 64)
	return process{pid, start}, string(b[open+1 : shut]), parent, err == nil
}

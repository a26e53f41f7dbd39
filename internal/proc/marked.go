package proc

import (
	"bytes"
	"encoding/binary"
	"os"
)

// Carrier is a process that was started with a certain variable in its environment.
type Carrier struct {
	Process
	Parent int
	Name   string // of its program
	Value  string // of the variable
	Dir    string // in which it works; "" if that cannot be seen
}

// Carriers are the processes of this user that were started with the variable, without this one. A process that overwrote
// its environment is not among them, and neither is one of another user that has the variable too. One look may miss what
// begins in the middle of it.
func Carriers(variable string) (list []Carrier) {
	key, room := []byte(variable+"="), []byte(nil)
	for _, pid := range All() {
		if pid == os.Getpid() {
			continue
		}
		value, ok := valueOf(environOf(pid, &room), key)
		if !ok || !mine(pid) {
			continue
		}
		if s, ok := read(pid); ok && !s.dead {
			list = append(list, Carrier{Process: s.Process, Parent: s.parent, Name: s.name, Value: value, Dir: Cwd(pid)})
		}
	}
	return list
}

// Relative is a process with what ties it to others.
type Relative struct {
	Process
	Parent, Session int
}

// Relatives are all processes that this one can see, but for itself.
func Relatives() (list []Relative) {
	for _, pid := range All() {
		if s, ok := read(pid); ok && !s.dead && pid != os.Getpid() {
			list = append(list, Relative{s.Process, s.parent, sessionOf(s)})
		}
	}
	return list
}

// Mine reports whether a process belongs to this user.
func Mine(pid int) bool { return mine(pid) }

// Args are the arguments with which a process was started, its program's name first; nil if they cannot be read.
func Args(pid int) []string { return argsOf(pid) }

// Environ is the value of a variable that the process was started with, "" if it cannot be read.
func Environ(pid int, name string) string {
	var room []byte
	value, _ := valueOf(environOf(pid, &room), []byte(name+"="))
	return value
}

// valueOf finds the value behind key, a name and "=", in an environment: strings that end in NUL.
func valueOf(env, key []byte) (string, bool) {
	for from := 0; ; {
		i := bytes.Index(env[from:], key)
		if i < 0 {
			return "", false
		}
		i += from
		if from = i + len(key); i > 0 && env[i-1] != 0 {
			continue // the end of a longer name, or within a value
		}
		value, _, _ := bytes.Cut(env[from:], []byte{0})
		return string(value), true
	}
}

// argsIn finds arguments and environment in what sysctl kern.procargs2 of macOS gives: the number of arguments (four bytes, as the
// machine counts), the program's path and NULs behind it, the arguments, the environment, and an empty string.
func argsIn(data []byte) (argv []string, env []byte) {
	if len(data) < 4 {
		return nil, nil
	}
	n := int(int32(binary.NativeEndian.Uint32(data)))
	_, rest, _ := bytes.Cut(data[4:], []byte{0})
	rest = bytes.TrimLeft(rest, "\x00")
	for ; n > 0 && len(rest) > 0; n-- {
		var arg []byte
		arg, rest, _ = bytes.Cut(rest, []byte{0})
		argv = append(argv, string(arg))
	}
	end := 0
	for end < len(rest) && rest[end] != 0 {
		i := bytes.IndexByte(rest[end:], 0)
		if i < 0 {
			return argv, rest
		}
		end += i + 1
	}
	return argv, rest[:end]
}

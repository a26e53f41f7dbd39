package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// shiftName is the file in a shifted toolchain that holds the shift, in seconds. Every process that the toolchain built reads it when it starts,
// whatever its environment is. Where the file can't be seen, as in a test's own root directory, the clock is the machine's.
const shiftName = "shift"

// edit is a change of one file of the toolchain. The text must occur exactly once, so that a newer Go fails here and not in silence.
type edit struct{ file, old, new string }

// edits shift what Go calls the time, and the times of files as Go programs read and write them: the kernel stamps files by its own clock.
// The monotonic clock, timers and deadlines are as they were.
func edits(shiftFile string) []edit {
	const afterCall = "r1, r2, err = RawSyscall6(trap, a1, a2, a3, %s)\n\truntime_exitsyscall()\n"
	three, six := fmt.Sprintf(afterCall, "0, 0, 0"), fmt.Sprintf(afterCall, "a4, a5, a6")
	return []edit{
		{"src/time/time.go", "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n", `func Now() Time {
	sec, nsec, mono := runtimeNow()
	if !runtimeIsBubbled() {
		sec += syscall.ClockShift()
	}
`},
		{"src/time/time.go", "import (\n", "import (\n\t\"syscall\"\n"},
		{"src/syscall/syscall_linux.go", three, three + `	if trap == SYS_FSTAT && err == 0 {
		shiftStat(a2)
	}
`},
		{"src/syscall/syscall_linux.go", six, `if trap == SYS_UTIMENSAT && a3 != 0 {
		shiftTimes(a3, -clockShift)
	}
	r1, r2, err = RawSyscall6(trap, a1, a2, a3, a4, a5, a6)
	runtime_exitsyscall()
	if trap == statAt && err == 0 {
		shiftStat(a3)
	}
	if trap == SYS_UTIMENSAT && a3 != 0 {
		shiftTimes(a3, clockShift)
	}
`},
		{"src/syscall/syscall_linux.go", "func rawSyscallNoError(", fmt.Sprintf(`var clockShift int64

func init() { clockShift = readShift() }

// ClockShift returns how many seconds ahead of the machine's clock this process is.
func ClockShift() int64 { return clockShift }

func readShift() (shift int64) {
	fd, err := Open(%q, O_RDONLY|O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	var text [24]byte
	n, _ := Read(fd, text[:])
	Close(fd)
	for _, c := range text[:max(n, 0)] {
		if '0' <= c && c <= '9' {
			shift = shift*10 + int64(c-'0')
		}
	}
	return shift
}

//go:nosplit
func shiftStat(at uintptr) {
	s := (*Stat_t)(*(*unsafe.Pointer)(unsafe.Pointer(&at)))
	s.Atim.Sec += clockShift
	s.Mtim.Sec += clockShift
	s.Ctim.Sec += clockShift
}

// shiftTimes leaves UTIME_NOW and UTIME_OMIT alone.
//
//go:nosplit
func shiftTimes(at uintptr, by int64) {
	times := (*[2]Timespec)(*(*unsafe.Pointer)(unsafe.Pointer(&at)))
	for i := 0; i < 2; i++ {
		if times[i].Nsec < 1e9 {
			times[i].Sec += by
		}
	}
}

func rawSyscallNoError(`, shiftFile)},
		{"src/syscall/zsysnum_linux_amd64.go", "const (\n", "const statAt = SYS_NEWFSTATAT\n\nconst (\n"},
		{"src/syscall/zsysnum_linux_arm64.go", "const (\n", "const statAt = SYS_FSTATAT\n\nconst (\n"},
	}
}

// version names the edits.
func version() string {
	sum := sha256.Sum256(fmt.Append(nil, edits("")))
	return hex.EncodeToString(sum[:6])
}

// shiftedToolchain makes in dir a copy of the Go installation in root whose programs read their clock's shift from shiftFile. The files that stay
// are hard links where possible.
func shiftedToolchain(root, dir, shiftFile string) error {
	for _, part := range []string{"VERSION", "go.env", "bin", "lib", "pkg", "src"} {
		if err := copyAll(filepath.Join(root, part), filepath.Join(dir, part)); err != nil {
			return err
		}
	}
	for _, e := range edits(shiftFile) {
		name := filepath.Join(dir, filepath.FromSlash(e.file))
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if bytes.Count(text, []byte(e.old)) != 1 {
			return fmt.Errorf("%s holds %d times, not once: %q", name, bytes.Count(text, []byte(e.old)), e.old)
		}
		// A new file: the old one may be the installation's own, by a hard link.
		if err := errors.Join(os.Remove(name), os.WriteFile(name, []byte(strings.Replace(string(text), e.old, e.new, 1)), 0o644)); err != nil {
			return err
		}
	}
	return nil
}

func copyAll(from, to string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rest)
		switch {
		case d.IsDir():
			return os.MkdirAll(target, 0o755)
		case os.Link(name, target) == nil:
			return nil
		}
		return copyFile(name, target)
	})
}

func copyFile(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, info.Mode().Perm())
}

package agents

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// isolated marks the process that runs inside the namespace.
const isolated = "ABURN_AGENTS_ISOLATED"

// Isolate runs this executable again, with the same arguments, in a network namespace of its own that has only
// loopback, and returns its exit code; done is then true. In that process, and where the caller is not root, it does
// nothing. The environment of the second process is the first one's plus extra.
func Isolate(extra ...string) (code int, done bool, err error) {
	if os.Getenv(isolated) != "" {
		return 0, false, loopbackUp()
	}
	if os.Geteuid() != 0 {
		return 0, false, nil
	}
	self, err := os.Executable()
	if err != nil {
		return 0, false, err
	}
	command := exec.Command(self, os.Args[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.Env = append(append(os.Environ(), isolated+"=1"), extra...)
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if err := command.Run(); command.ProcessState == nil {
		return 0, false, fmt.Errorf("start in a network namespace: %w", err)
	}
	return command.ProcessState.ExitCode(), true, nil
}

// Isolated reports whether nothing but loopback can be reached.
func Isolated() bool { return os.Getenv(isolated) != "" }

// loopbackUp does what `ip link set lo up` does, without needing ip.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("loopback up: %w", err)
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return fmt.Errorf("loopback up: %w", err)
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request); err != nil {
		return fmt.Errorf("loopback up: %w", err)
	}
	return nil
}

//go:build unix && !linux

package hold

import (
	"bytes"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// openPair makes a terminal: the side of the screen, and that of the program.
func openPair() (master, slave *os.File, err error) {
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("open /dev/ptmx", err)
	}
	master = os.NewFile(uintptr(fd), "/dev/ptmx")
	var name [128]byte
	for _, call := range []struct{ what, arg uintptr }{{unix.TIOCPTYGRANT, 0}, {unix.TIOCPTYUNLK, 0}, {unix.TIOCPTYGNAME, uintptr(unsafe.Pointer(&name))}} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), call.what, call.arg); errno != 0 {
			master.Close()
			return nil, nil, os.NewSyscallError("ioctl", errno)
		}
	}
	path, _, _ := bytes.Cut(name[:], []byte{0})
	if slave, err = os.OpenFile(string(path), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		master.Close()
		return nil, nil, err
	}
	return master, slave, nil
}

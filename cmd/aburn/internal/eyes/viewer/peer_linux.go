package viewer

import (
	"net"
	"syscall"
)

// peer is the process at the other end of a socket, 0 if unknown.
func peer(conn net.Conn) (pid int) {
	unix, ok := conn.(*net.UnixConn)
	if !ok {
		return 0
	}
	raw, err := unix.SyscallConn()
	if err != nil {
		return 0
	}
	raw.Control(func(fd uintptr) {
		if cred, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil {
			pid = int(cred.Pid)
		}
	})
	return pid
}

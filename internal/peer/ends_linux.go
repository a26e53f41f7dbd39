package peer

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"aburn/internal/proc"
)

// callerOf is the process at the other end of a connection of this computer, 0 if it is not seen: of another user, or gone.
func callerOf(remote string) (pid int) {
	host, port, err := net.SplitHostPort(remote)
	ip := net.ParseIP(host)
	number, nerr := strconv.ParseUint(port, 10, 16)
	if err != nil || nerr != nil || ip == nil {
		return 0
	}
	inode := ""
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		if inode = socketAt(table, ip, uint16(number)); inode != "" {
			break
		}
	}
	if inode == "" || inode == "0" {
		return 0
	}
	want := "socket:[" + inode + "]"
	for _, pid := range proc.All() {
		dir := filepath.Join("/proc", strconv.Itoa(pid), "fd")
		fds, _ := os.ReadDir(dir)
		for _, fd := range fds {
			if at, err := os.Readlink(filepath.Join(dir, fd.Name())); err == nil && at == want {
				return pid
			}
		}
	}
	return 0
}

// socketAt is the inode of the socket with a local address. A line of the table is "0: ADDRESS:PORT REMOTE:PORT STATE …", with the inode
// tenth, and addresses in hexadecimal digits, four bytes at a time in the order of the machine.
func socketAt(table string, ip net.IP, port uint16) string {
	f, err := os.Open(table)
	if err != nil {
		return ""
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		fields := strings.Fields(s.Text())
		if len(fields) < 10 {
			continue
		}
		address, at, ok := strings.Cut(fields[1], ":")
		if !ok || at != fmt.Sprintf("%04X", port) {
			continue
		}
		raw, err := hex.DecodeString(address)
		if err != nil || len(raw)%4 != 0 {
			continue
		}
		for i := 0; i < len(raw); i += 4 {
			raw[i], raw[i+1], raw[i+2], raw[i+3] = raw[i+3], raw[i+2], raw[i+1], raw[i]
		}
		if net.IP(raw).Equal(ip) {
			return fields[9]
		}
	}
	return ""
}

// PID is the process at the other end of a socket, 0 if unknown.
func PID(conn net.Conn) (pid int) {
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

package headless

import "syscall"

func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

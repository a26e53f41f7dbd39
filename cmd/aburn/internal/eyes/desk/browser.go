package desk

import (
	"os/exec"
	"runtime"
)

// OpenBrowser opens a link in the user's browser; false if there is none to be seen.
func OpenBrowser(link string, env func(string) string, environ []string) bool {
	var command []string
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open", link}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", link}
	default:
		if env("DISPLAY") == "" && env("WAYLAND_DISPLAY") == "" {
			return false
		}
		command = []string{"xdg-open", link}
	}
	path, err := exec.LookPath(command[0])
	if err != nil {
		return false
	}
	opener := exec.Command(path, command[1:]...)
	opener.Env = environ
	if opener.Start() != nil {
		return false
	}
	go opener.Wait()
	return true
}

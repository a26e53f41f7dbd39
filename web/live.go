package web

import (
	"net/url"
	"runtime"
	"strconv"
	"strings"
)

// LivePort is where `aburn web` is if nobody else is there.
const LivePort = 4780

// LiveHost is the name of this computer in links to aburn web. Browsers resolve names below localhost by themselves, and send their
// cookies to no other server here; Safari does not on every system that it runs on.
func LiveHost() string {
	if runtime.GOOS == "darwin" {
		return "127.0.0.1"
	}
	return "aburn.localhost"
}

// SessionPath is the path of a session's page in aburn web.
func SessionPath(source, id string) string {
	parts := strings.Split(id, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return "/s/" + url.PathEscape(source) + "/" + strings.Join(parts, "/")
}

// SessionLink leads from a written page to the session in aburn web on the reader's own computer, if it runs on its usual port.
func SessionLink(source, id string) string {
	return "http://" + LiveHost() + ":" + strconv.Itoa(LivePort) + SessionPath(source, id)
}

// WorkerPath is the path of a worker's page in aburn web.
func WorkerPath(project, name string) string {
	return "/w/" + url.PathEscape(project) + "/" + url.PathEscape(name)
}

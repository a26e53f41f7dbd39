package kit

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Build says which aburn this is, from what Go writes into the executable.
type Build struct {
	Version  string `json:"version"` // "(devel)" when built outside of a repository
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"` // of the commit
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// release is the version of a release that was built outside of its repository: the linker sets it.
var release string

// Version is the build of this executable.
func Version() Build {
	b := Build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if release != "" {
		b.Version = release
	}
	if !ok {
		return b
	}
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func (b Build) String() string {
	return fmt.Sprintf("%s %s %s", b.Version, b.Go, b.Platform)
}

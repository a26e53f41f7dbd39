// Package xterm is xterm.js and its fit add-on, byte for byte as npm publishes them. Nothing here is changed by hand: a newer one comes
// whole, out of `npm pack`, with its checksums in the test.
package xterm

import "embed"

// Versions of what is published here.
const (
	Version    = "6.0.0"  // @xterm/xterm
	FitVersion = "0.11.0" // @xterm/addon-fit
)

//go:embed published/xterm/xterm.js
var script string

//go:embed published/xterm/xterm.css
var style string

//go:embed published/addon-fit/addon-fit.js
var fit string

//go:embed published/*/LICENSE
var licences embed.FS

// Files are what a page with a terminal loads, by their paths, with their types. The licences go where the files go.
func Files() map[string][2]string {
	licence := func(name string) [2]string {
		text, err := licences.ReadFile("published/" + name + "/LICENSE")
		if err != nil {
			panic(err) // it is embedded
		}
		return [2]string{"text/plain; charset=utf-8", string(text)}
	}
	return map[string][2]string{
		"/assets/xterm.js":              {"text/javascript; charset=utf-8", script},
		"/assets/xterm.css":             {"text/css; charset=utf-8", style},
		"/assets/addon-fit.js":          {"text/javascript; charset=utf-8", fit},
		"/assets/xterm-LICENSE.txt":     licence("xterm"),
		"/assets/addon-fit-LICENSE.txt": licence("addon-fit"),
	}
}

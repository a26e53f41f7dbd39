package provider

import (
	"cmp"
	"os"
	"path/filepath"
)

// OwnModel is the model that a provider takes where nobody names one, as far as the user's own
// settings say it, and the vendor whose models it can be. Both are "" where that is not known. A
// project's settings do not count: the client does not read them either.
func OwnModel(p Provider, environ []string) (model, vendor string) {
	c, ok := p.(*CLI)
	if !ok {
		return "", ""
	}
	return c.agent.model(environ), c.agent.vendor
}

// setting reads a client's own settings: the file name in the folder of the variable, else in folder
// of the home.
func setting(environ []string, variable, folder, name string) []byte {
	at := cmp.Or(valueOf(environ, variable), filepath.Join(valueOf(environ, "HOME"), folder))
	text, err := os.ReadFile(filepath.Join(at, name))
	if err != nil {
		return nil // no settings say nothing
	}
	return text
}

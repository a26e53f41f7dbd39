package project

import (
	"os"
	"path/filepath"
)

// Env is os.Getenv. Windows names a person's home USERPROFILE; HOME counts where somebody has set it.
func Env(name string) string {
	value := os.Getenv(name)
	if name == "HOME" && !filepath.IsAbs(value) {
		return os.Getenv("USERPROFILE")
	}
	return value
}

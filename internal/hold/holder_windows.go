package hold

import "os"

// Main says that there is no holder here.
func Main([]string) int {
	os.Stderr.WriteString("aburn: error: workers do not run on Windows yet\n")
	return 1
}

package kit

import "aburn/internal/fault"

// notStarted says why an executable that is there did not start.
func notStarted(exe string, err error) error {
	return fault.Failed(exe+" does not start: "+err.Error(), "install it again")
}

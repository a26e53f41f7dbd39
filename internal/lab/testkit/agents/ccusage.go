package agents

import "context"

// CcusageVersion is the newest ccusage whose native packages were on npm on 2026-11-21; the launcher was at 20.0.26
// then, and could not be installed.
const CcusageVersion = "20.0.24"

// InstallCcusage makes sure that ccusage, which tells what the sessions of agents cost, is in the cache and runs.
func InstallCcusage(ctx context.Context, cache string) (Client, error) {
	platform, err := npmPlatform()
	if err != nil {
		return Client{}, err
	}
	native := "@ccusage/ccusage-" + platform
	return pin{name: "ccusage", version: CcusageVersion, packages: []string{native + "@" + CcusageVersion}, executable: native + "/bin/ccusage"}.install(ctx,
		cache)
}

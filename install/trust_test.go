package install

import "testing"

// The hashes are those that Codex 0.169.0 itself lists for these handlers.
func TestTrustKeysAndHashes(t *testing.T) {
	d, err := parse("/tmp/ei/h/.codex/hooks.json", []byte(`{"hooks": {
		"SessionEnd": [{"hooks": [{"type": "command", "command": "/a b/aburn-hook codex", "timeout": 2}]}],
		"PostModelRequest": [{"hooks": [{"type": "command", "command": "ü<>&", "timeout": 0}]}],
		"SubagentStart": [{"matcher": "", "hooks": [{"type": "command", "command": "x"}, {"type": "command", "command": "x", "timeout": 0}]}],
		"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": null}]}],
		"Interrupt": [{"hooks": [{"type": "command", "command": "x", "timeout": 20}]}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range d.registrations(Codex) {
		got[r.TrustKey] = r.TrustHash
	}
	for key, want := range map[string]string{
		"session_end:0:0":        "f2700ca0d8c10f94b95f0d4724078bfcd377e18cf79a2f2cc0e1a198faab6143",
		"post_model_request:0:0": "02f5a22d831f5ee80b476d6be033fb46bd4ecb6b8aca6f4994a84c1b665d3515",
		"subagent_start:0:0":     "c10ae0f1eeaaeb1ccb2c07155c86a203e2eec261ac377500d7e10c2b351e0dfc",
		"subagent_start:0:1":     "c47c1427c9dbd74a9d9032e1aa1d377aff3015385306ae044adaa88a079bbf00",
		"stop:0:0":               "6f14477468be127a92604ce05b51030268ccd6077fa7a807515589cfcfc7fd17",
		"interrupt:0:0":          "a5c004c961226f9446832ffd4713c9a952b1b2be25a24b433950f2394329255b",
	} {
		if got[d.path+":"+key] != "sha256:"+want {
			t.Errorf("%s: %s; want %s", key, got[d.path+":"+key], want)
		}
	}
}

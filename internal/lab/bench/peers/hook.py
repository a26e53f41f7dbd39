# The same hook as a person would write it in Python: read the payload, append a
# JSON line and a summary line under a lock.
import datetime, fcntl, json, os, sys

payload = json.load(sys.stdin)
oss = os.path.join(os.environ["CLAUDE_PROJECT_DIR"], ".oss")
entry = {
    "ts": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds"),
    "cmd": "session",
    "event": "TOOL",
    "session": payload["session_id"],
    "data": {"tool": payload["tool_name"], "head": payload["tool_input"]["command"][:200]},
}
line = json.dumps(entry) + "\n# SESSION:TOOL - " + payload["tool_name"] + "\n"
with open(os.path.join(oss, "peer.lock"), "w") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    with open(os.path.join(oss, "peer-python.log"), "a") as log:
        log.write(line)

// The same hook as a person would write it for Node. Node has no file lock of
// its own, so it appends without one: a head start that it keeps.
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";

const payload = JSON.parse(readFileSync(0, "utf8"));
const entry = {
  ts: new Date().toISOString(),
  cmd: "session",
  event: "TOOL",
  session: payload.session_id,
  data: { tool: payload.tool_name, head: payload.tool_input.command.slice(0, 200) },
};
appendFileSync(
  join(process.env.CLAUDE_PROJECT_DIR, ".oss", "peer-node.log"),
  JSON.stringify(entry) + "\n# SESSION:TOOL - " + payload.tool_name + "\n",
);

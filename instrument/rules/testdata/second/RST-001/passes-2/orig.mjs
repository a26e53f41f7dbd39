import { writeFileSync } from 'node:fs';

export function saveAll(reports) {
  for (const report of reports) save(report.name, report.text);
}

function save(name, text) {
  const line = text.trimEnd() + '\n';
  writeFileSync(name, line);
}

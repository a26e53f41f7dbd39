import { writeFile, mkdir } from 'node:fs/promises';

export async function writeReports(dir, reports) {
  await mkdir(dir, { recursive: true });
  await Promise.all(
    reports.map(async (report) => {
      await writeFile(dir + '/' + report.name, report.text);
    }),
  );
  async function mark() {
    await writeFile(dir + '/done', '');
  }
  await mark();
  return reports.length;
}

'use strict';
const fs = require('node:fs/promises');
const path = require('node:path');

const dir = process.env.REPORTS || '/tmp';

async function writeReport(name, rows) {
  const file = fileOf(name);
  await fs.mkdir(path.dirname(file), { recursive: true });
  await put(file, rows.map((row) => row.join(';')).join('\n'));
  return file;
}

async function readReport(name) {
  const text = await fs.readFile(fileOf(name), 'utf8');
  return text.split('\n').map((line) => line.split(';'));
}

async function put(file, text) {
  await fs.writeFile(file, text + '\n');
}

const fileOf = (name) => path.join(dir, name + '.csv');

module.exports = { writeReport, readReport };

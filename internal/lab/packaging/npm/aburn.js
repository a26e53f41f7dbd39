#!/usr/bin/env node
// Starts the native aburn of this platform's package. Hooks never come here: `aburn install-hooks` registers a native
// executable.
"use strict";
const { spawn } = require("child_process");
const { accessSync, closeSync, constants, openSync } = require("fs");
const { join, dirname } = require("path");

function fail(fact, hint) {
  console.error(`aburn: error: ${fact}\naburn: hint: ${hint}`);
  process.exit(1);
}

const platform = `${process.platform}-${process.arch}`;
const name = `@aburn/${platform}`;
if (!Object.keys(require("../package.json").optionalDependencies).includes(name)) {
  fail(`there is no aburn for ${platform}`, "build it from its source");
}
let file;
try {
  file = join(dirname(require.resolve(`${name}/package.json`)), "bin", process.platform === "win32" ? "aburn.exe" : "aburn");
} catch {
  fail(
    `the package ${name} is missing, which holds the executables for this platform`,
    "install aburn again without --omit=optional, on the machine that runs it",
  );
}
// Node.js 22.15 and newer can become the native process. It aborts where that fails, so the executable is looked at before.
if (process.execve) {
  let runs = true;
  try {
    accessSync(file, constants.X_OK);
  } catch {
    runs = false; // spawn says why
  }
  if (runs) process.execve(file, [file, ...process.argv.slice(2)]);
}
// Signals are caught before there is a child, so that none ends this process alone.
process.on("SIGINT", () => {}); // the terminal gives it to the child too
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
const child = spawn(file, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
// At its end Node.js gives the terminal back the mode that it had at the start, also from the background, where somebody else
// may have changed it since. So this process lets go of the terminal as soon as the native one has it.
if (child.pid && process.platform !== "win32") {
  for (const fd of [0, 1, 2]) {
    closeSync(fd);
    openSync("/dev/null", "r+"); // gets the lowest number: fd
  }
}
child.on("error", (error) => fail(error.message, "install aburn again"));
child.on("exit", (code, signal) => {
  if (!signal) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});

#!/usr/bin/env node
'use strict';
const fs = require('fs'), { readFile, writeFile: write = null, ...others } = require('node:fs/promises');
const pool = require('pg').Pool;
require('./effect');
let late;
late = require('./late');
const dynamic = require('./' + late);
exports.place = async function (order) { return order; };
exports.named = named;
module.exports.more = () => {};
function named(a, b = 1) { return arguments.length + a + b; }
exports = module.exports = { named, other: named, inline() {}, arrow: async () => {}, 'quoted': function own() {}, get x() { return 1; } };
return;

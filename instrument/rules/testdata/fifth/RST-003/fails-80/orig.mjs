import { spawn } from 'node:child_process';
import { once } from 'node:events';
import mysql from 'mysql2/promise';

const pool = mysql.createPool({ uri: 'mysql://127.0.0.1/fleet' });

export async function planTrip(stops, solver) {
  const matrix = stops.map((a) => stops.map((b) => distance(a, b)));
  const order = await solver.solve(matrix);
  const trip = order.map((i) => stops[i]);
  return { trip, length: lengthOf(matrix, order) };
}

export async function dispatchTruck(truck, trip) {
  const child = spawn('radio', [truck.id, trip.length]);
  const [code] = await once(child, 'exit');
  if (code) throw new Error(`radio: ${code}`);
  await pool.execute('INSERT INTO trips VALUES (?, ?)', [truck.id, trip.length]);
  return true;
}

export async function trucks(depot) {
  const [rows] = await pool.query('SELECT * FROM trucks WHERE depot = ?', [depot]);
  return rows;
}

export async function redispatch(truck, trip) {
  return await dispatchTruck(truck, [...trip].reverse());
}

function distance(a, b) {
  const dx = a.x - b.x;
  const dy = a.y - b.y;
  return Math.hypot(dx, dy);
}

function lengthOf(matrix, order) {
  let sum = 0;
  for (let i = 1; i < order.length; i++) sum += matrix[order[i - 1]][order[i]];
  return sum;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import mysql from 'mysql2/promise';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('fleet');

const pool = mysql.createPool({ uri: 'mysql://127.0.0.1/fleet' });

export async function planTrip(stops, solver) {
  return tracer.startActiveSpan('fleet.trip.plan', async (span) => {
    try {
      span.setAttribute('fleet.trip.stops', stops.length);
      const matrix = stops.map((a) => stops.map((b) => distance(a, b)));
      const order = await solver.solve(matrix);
      const trip = order.map((i) => stops[i]);
      return { trip, length: lengthOf(matrix, order) };
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export async function dispatchTruck(truck, trip) {
  return tracer.startActiveSpan('fleet.truck.dispatch', async (span) => {
    try {
      span.setAttribute('fleet.truck.id', truck.id);
      const child = spawn('radio', [truck.id, trip.length]);
      const [code] = await once(child, 'exit');
      if (code) throw new Error(`radio: ${code}`);
      await pool.execute('INSERT INTO trips VALUES (?, ?)', [truck.id, trip.length]);
      return true;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export async function trucks(depot) {
  const [rows] = await pool.query('SELECT * FROM trucks WHERE depot = ?', [depot]);
  return rows;
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

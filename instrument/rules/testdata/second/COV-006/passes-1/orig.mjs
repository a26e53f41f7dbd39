import pg from 'pg';

const pool = new pg.Pool();

export async function findUsers(ids) {
  const unique = [...new Set(ids)];
  const sorted = unique.sort();
  const { rows } = await pool.query('select * from users where id = any($1)', [sorted]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const missing = sorted.filter((id) => !byId.has(id));
  return { byId, missing };
}

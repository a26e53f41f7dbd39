import pg from 'pg';

const pool = new pg.Pool();

export async function findUser(id) {
  const { rows } = await pool.query('select * from users where id = $1', [id]);
  return rows[0];
}

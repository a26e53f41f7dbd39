import { MongoClient } from 'mongodb';

const client = new MongoClient('mongodb://db');
const users = client.db('shop').collection('users');

export async function userByName(name) {
  const user = await users.findOne({ name });
  return user;
}

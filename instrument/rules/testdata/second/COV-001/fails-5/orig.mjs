import { ledger } from './ledger.mjs';

export async function placeOrder(id) {
  await ledger.open(id);
  return await ledger.total(id);
}

export async function chargeCustomer(customer, amount) {
  const account = await ledger.account(customer);
  const entry = await ledger.debit(account, amount);
  return entry.number;
}

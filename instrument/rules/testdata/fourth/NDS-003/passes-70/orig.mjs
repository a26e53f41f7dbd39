// @ts-check
/* eslint-env node */
import config /* the merged one */ from './config.mjs'; // keep first

// ---------------------------------------------------------------
// Billing
// ---------------------------------------------------------------

/** @typedef {{ id: string, cents: number }} Invoice */

export async function /* sic */ bill(/** @type {Invoice} */ invoice, retries = 3 /* total */) {
  // Nothing to bill ... yet.
  if (invoice.cents === 0 /* exactly */) return null; // done

  /*
   * The rest of this function talks to the bank.
   *   Keep the order.
   */
  const receipt = await config.bank.charge(
    invoice.id, // the key
    invoice.cents,
    /* currency */ 'EUR',
  );

  // eslint-disable-next-line no-console
  console.log(receipt /* without details */);
  return receipt; // existing code relies on it
  // never reached
}
// end of file

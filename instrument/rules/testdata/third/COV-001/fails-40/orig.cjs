const store = require('./store.cjs');

class Orders {
  async placeOrder(id) {
    await store.insert(id);
    return store.size;
  }

  static async refundOrder(id) {
    const paid = await store.paid(id);
    await store.pay(id, -paid);
    return paid;
  }
}

module.exports = Orders;

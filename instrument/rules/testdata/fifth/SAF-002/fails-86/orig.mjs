import retry from 'async-retry';

export const Client = class ApiClient {
  token = null;

  constructor(base) { this.base = base; }

  get = async (path) => {
    const answer = await retry(async (bail) => {
      const response = await fetch(new URL(path, this.base), { headers: { authorization: `Bearer ${this.token}` } });
      if (response.status === 401) return bail(new Error('unauthorized'));
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      return response;
    }, { retries: 3 });
    const body = await answer.json();
    return body;
  };

  async login({ user, secret }) {
    const { token } = await this.get(`/login?u=${encodeURIComponent(user)}&s=${encodeURIComponent(secret)}`);
    this.token = token;
    return this;
  }
};

export { Client as default, retry };

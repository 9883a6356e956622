/**
 * oidc-provider's storage in memory. Its own adapter forgets after a thousand entries, which would look like dead
 * grants.
 */
export class Store {
  /** @type {Map<string, any>} */
  static entries = new Map();
  /** @type {Map<string, Set<string>>} */
  static byGrant = new Map();

  /** @param {string} model */
  constructor(model) {
    this.model = model;
  }

  /** @param {string} id @param {any} payload */
  async upsert(id, payload) {
    const key = `${this.model}:${id}`;
    Store.entries.set(key, payload);
    if (payload.grantId) {
      const members = Store.byGrant.get(payload.grantId) ?? new Set();
      Store.byGrant.set(payload.grantId, members.add(key));
    }
    if (this.model === 'Session') Store.entries.set(`uid:${payload.uid}`, payload);
  }

  /** @param {string} id */
  async find(id) {
    return Store.entries.get(`${this.model}:${id}`);
  }

  /** @param {string} uid */
  async findByUid(uid) {
    return Store.entries.get(`uid:${uid}`);
  }

  async findByUserCode() {
    return undefined;
  }

  /** @param {string} id */
  async consume(id) {
    Store.entries.get(`${this.model}:${id}`).consumed = Math.floor(Date.now() / 1_000);
  }

  /** @param {string} id */
  async destroy(id) {
    Store.entries.delete(`${this.model}:${id}`);
  }

  /** @param {string} grantId */
  async revokeByGrantId(grantId) {
    for (const key of Store.byGrant.get(grantId) ?? []) Store.entries.delete(key);
    Store.byGrant.delete(grantId);
  }
}

/** Injection tokens of the clients of other services. */
export const GATEWAY = Symbol('adapter-gateway');
export const ROUTER = Symbol('router');
export const VAULT = Symbol('credential-vault');

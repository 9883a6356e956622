export const SETTINGS = Symbol('routerSettings');

/** Injection tokens of the clients of other services. */
export const ENGINE = Symbol('engine');
export const GATEWAY = Symbol('adapter-gateway');
export const INGRESS = Symbol('webhook-ingress');

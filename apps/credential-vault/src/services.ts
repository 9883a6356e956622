/** Injection token of the client of the gateway, which alone calls adapters. */
export const GATEWAY = Symbol('adapter-gateway');

/** Injection token of the guarded way out of this service. */
export const EGRESS = Symbol('Egress');

/** Injection token of the gateway's client. Only the gateway calls adapters. */
export const GATEWAY = Symbol('adapter-gateway');

/** Injection token of this service's egress guard. */
export const EGRESS = Symbol('Egress');

export const SETTINGS = Symbol('gatewaySettings');

/** Injection tokens of the clients of other services, and of the guarded egress to the outside. */
export const ENGINE = Symbol('engine');
export const INGRESS = Symbol('webhook-ingress');
export const REGISTRY = Symbol('mcp-registry');
export const VAULT = Symbol('credential-vault');
export const EGRESS = Symbol('egress');

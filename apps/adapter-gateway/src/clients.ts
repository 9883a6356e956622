/** DI tokens of the clients of other services. */
export const ENGINE = Symbol('engineClient');
export const INGRESS = Symbol('ingressClient');
export const REGISTRY = Symbol('registryClient');
export const VAULT = Symbol('vaultClient');

/** DI token of the guarded way to whatever is no service of ours. */
export const EGRESS = Symbol('egress');

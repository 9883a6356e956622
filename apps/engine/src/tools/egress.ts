/** Injection token of the guarded way out for everything that tools call. */
export const EGRESS = Symbol('Egress');

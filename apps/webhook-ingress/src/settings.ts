export const SETTINGS = Symbol('ingressSettings');

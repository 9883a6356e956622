export const ingressClient = Symbol('ingressClient');

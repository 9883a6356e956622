export const INGRESS = Symbol('ingressClient');

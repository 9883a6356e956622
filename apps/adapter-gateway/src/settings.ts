export const SETTINGS = Symbol('gatewaySettings');

export const gatewaySettings = Symbol('gatewaySettings');

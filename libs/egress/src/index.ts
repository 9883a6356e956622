export {
  createEgress,
  type Egress,
  type EgressOpenRequest,
  type EgressRequest,
  type EgressResponse,
  type EgressSettings,
  type EgressTimeouts,
} from './egress.js';
export { EgressError, type EgressErrorCode } from './egress-error.js';
export type { OpenResponse } from './open-exchange.js';
export type { Resolver } from './guarded-connector.js';
export { secureSocket } from './secure-socket.js';
export { openWebSocket, type SocketNetwork, type WebSocket } from './web-socket.js';
export { bareHostname } from './allow-list.js';
export { parseAddress } from './address.js';
export { classifyAddress } from './address-verdict.js';

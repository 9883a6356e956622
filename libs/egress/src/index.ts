export {
  createEgress,
  type Egress,
  type EgressRequest,
  type EgressResponse,
  type EgressSettings,
  type EgressTimeouts,
} from './egress.js';
export { EgressError, type EgressErrorCode } from './egress-error.js';
export type { Resolver } from './guarded-connector.js';

export { Edits, ShowsEntityTag, TagsWithout } from './editing/editable.js';
export { browserHeaders, protectFromBrowsers } from './browser-headers.js';
export * from './env.js';
export { EventStream, type EventStreamLimits } from './event-stream.js';
export { goneWith } from './gone-with.js';
export type { Jwk } from './service-keys.js';
export { Failure, failureSql } from './failure.js';
export type { BodyLimits } from './incoming/body-limits.js';
export { bodyTooLarge } from './incoming/announced-body.js';
export { type BodyOwner, IncomingBodies } from './incoming/incoming-bodies.js';
export { holdConnection } from './incoming/connection-places.js';
export { networkOf } from './incoming/network-of.js';
export { declaredBytes, leavesUnread, sendRefusal, untilBodyEnds } from './incoming/unread-body.js';
export {
  AsGiven,
  Flag,
  JsonObject,
  MayBeAbsent,
  Name,
  Nested,
  NestedList,
  OneOf,
  Text,
  TextList,
  Whole,
} from './field.js';
export { bySetting, limitReached } from './limit-reached.js';
export { type HttpLimits, httpLimitDefaults } from './http-limits.js';
export { isShallow } from './bounded-depth.interceptor.js';
export { asksToCheck, checkStart } from './check-start.js';
export { createLog } from './log.js';
export { holds } from './auth.guard.js';
export { requireApprovalsManage } from './require-approvals-manage.js';
export { Metrics } from './metrics.js';
export { anyObject, anyValue, idOf, time } from './openapi/property-kinds.js';
export { OperationsServer } from './operations-server.js';
export { OpenSchema, serviceDocument } from './openapi/service-document.js';
export {
  beginningWith,
  containing,
  invalidCursor,
  pageOf,
  PageOf,
  OrderedQuery,
  PageQuery,
  readCursor,
  SearchQuery,
  writeCursor,
  type Page,
} from './page.js';
export {
  askerOf,
  Caller,
  PublicRoute,
  reachesOrganization,
  RequireScopes,
  TokenOnce,
  type AuthenticatedRequest,
  type Principal,
  type Scope,
} from './principal.js';
export { notFound, Problem, problemBody, type FieldError, type ReachedLimit } from './problem.js';
export { toProblem } from './problem.filter.js';
export { refuseUnsafe } from './safe-content.interceptor.js';
export { readCookie } from './read-cookie.js';
export { RowNumberPipe } from './row-number.pipe.js';
export type { QueueState } from './queues.controller.js';
export { readIssuers } from './service-issuers.js';
export { type CallerClient, type Followed, isLate, ServiceClient, serviceClientProvider } from './service-client.js';
export { ServiceTokens, type Audience } from './service-tokens.js';
export {
  createService,
  hostService,
  startService,
  type ServiceOptions,
  type ServiceSettings,
} from './start-service.js';
export { IdempotencyKey, idempotencyKeyReused, TakesIdempotencyKey } from './requests/idempotency-key.js';
export { keyed, type KeyedRequest, once } from './requests/once.js';
export { Diagnoser } from './diagnosis/diagnoser.js';
export {
  broken,
  type Check,
  checks,
  clockFinding,
  type Diagnosis,
  type Finding,
  unwise,
  well,
} from './diagnosis/finding.js';

import { appChanged } from './app-changed.js';
import { credentialRefresh } from './credential-refresh.js';
import { credentialRevoke } from './credential-revoke.js';
import { deliverySend } from './delivery-send.js';
import { inboundParse } from './inbound-parse.js';
import { mcpDiscover } from './mcp-discover.js';
import { messageRoute } from './message-route.js';
import { outboundSent } from './outbound-sent.js';
import { sourceSync } from './source-sync.js';
import { turnRun } from './turn-run.js';

/** Every job; at boot, a service checks its handlers against this list. */
export const jobs = [
  inboundParse,
  messageRoute,
  turnRun,
  deliverySend,
  outboundSent,
  appChanged,
  credentialRefresh,
  credentialRevoke,
  sourceSync,
  mcpDiscover,
] as const;

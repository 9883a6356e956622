import type { VerifyCall, VerifyResult } from './credential-check.js';
import type { DeliverCall, DeliverResponse, LookupCall, LookupResult } from './delivery.js';
import type { DocumentSource, FetchFileCall, FetchFileResult } from './document-sources.js';
import { offersFeature } from './features.js';
import type { FormatCall, FormatResult } from './formatting.js';
import type { IndicateCall, IndicateResult } from './indication.js';
import type { InboundCall } from './inbound-envelope.js';
import type { Manifest } from './manifest.js';
import { manifestProblems } from './manifest-problems.js';
import type { MissedSinceCall, MissedSinceResult } from './missed-since.js';
import type { NormalizedMessage } from './normalized-message.js';
import type { PollCall, PollResult } from './polling.js';
import type { RenewWebhookCall, RenewWebhookResult } from './webhook-renewal.js';
import type { VerifyWebhookResult } from './webhook-verification.js';

type Awaitable<T> = T | Promise<T>;

/**
 * One adapter: a manifest and handlers, stateless (credentials come with every call) and as pure as possible. `send`
 * needs `deliver` and `format`, `receive` needs `verifyWebhook` and `parseInbound`; what is omitted is not served.
 */
export interface AdapterDefinition {
  manifest: Manifest;
  verify(call: VerifyCall): Awaitable<VerifyResult>;
  verifyWebhook?(call: InboundCall): Awaitable<VerifyWebhookResult>;
  parseInbound?(call: InboundCall): Awaitable<NormalizedMessage>;
  /** Makes the provider continue to send events where it would stop; needs `webhook.renew_seconds` in the manifest. */
  renewWebhook?(call: RenewWebhookCall): Awaitable<RenewWebhookResult>;
  /** Gets what the provider could not deliver in a time; needs `webhook.missed_since` in the manifest. */
  missedSince?(call: MissedSinceCall): Awaitable<MissedSinceResult>;
  /** The provider's next events; needs `connect` in the manifest. */
  poll?(call: PollCall): Awaitable<PollResult>;
  deliver?(call: DeliverCall): Awaitable<DeliverResponse>;
  lookup?(call: LookupCall): Awaitable<LookupResult>;
  format?(call: FormatCall): Awaitable<FormatResult>;
  /** Shows that an answer is being written; needs the feature `typing`. */
  indicate?(call: IndicateCall): Awaitable<IndicateResult>;
  sources?: DocumentSource;
  /** The bytes of a message's attachment, by its `fetch_ref`; where there are sources, their `fetchFile` does it. */
  fetchFile?(call: FetchFileCall): Awaitable<FetchFileResult>;
}

/**
 * Checks the definition against its own manifest. Throws an Error that lists every problem, at start rather than later.
 */
export function defineAdapter<Definition extends AdapterDefinition>(definition: Definition): Definition {
  const problems = [
    ...manifestProblems(definition.manifest).map(({ field, message }) => `${field} ${message}`),
    ...handlerProblems(definition),
  ];
  if (problems.length > 0) {
    throw new Error(`adapter ${JSON.stringify(definition.manifest.slug)} is not well defined: ${problems.join('; ')}`);
  }
  return definition;
}

function handlerProblems(definition: AdapterDefinition): string[] {
  const needed = {
    send: ['deliver', 'format'],
    receive: ['verifyWebhook', 'parseInbound'],
  } as const;
  const renews = definition.manifest.webhook?.renew_seconds !== undefined;
  const renewal =
    renews === (definition.renewWebhook !== undefined)
      ? []
      : ['webhook.renew_seconds requires the handler renewWebhook, and the handler requires it'];
  const missed =
    (definition.manifest.webhook?.missed_since === true) === (definition.missedSince !== undefined)
      ? []
      : ['webhook.missed_since requires the handler missedSince, and the handler requires it'];
  const handlers = definition.manifest.capabilities.flatMap((capability) =>
    needed[capability]
      .filter((handler) => definition[handler] === undefined)
      .map((handler) => `capability ${capability} needs the handler ${handler}`),
  );
  const typing =
    offersFeature(definition.manifest, 'typing') === (definition.indicate !== undefined)
      ? []
      : ['the feature typing requires the handler indicate, and the handler requires it'];
  const polling =
    (definition.manifest.connect !== undefined) === (definition.poll !== undefined)
      ? []
      : ['connect requires the handler poll, and the handler requires it'];
  return [...renewal, ...missed, ...typing, ...polling, ...handlers];
}

import {
  dedupKeyOf,
  derivedId,
  type MessageRoutePayload,
  type NormalizedMessage,
  type RequestFacts,
} from '#libs/contracts';
import { sanitize } from '#libs/sanitizer';
import type { Draft, Arrival } from './draft.js';
import { replyTargetOf, senderAddressOf } from './reply-target.js';
import { sanitiseMessage } from './sanitise-message.js';

/**
 * A message that has just arrived. @param index its position in the receipt, which names it when it has no dedup key
 */
export function newDraft(
  job: MessageRoutePayload,
  raw: NormalizedMessage,
  index: number,
  arrival: Arrival | null = null,
): Draft {
  const { message, report, unsanitisable } = sanitiseMessage(raw);
  return {
    organization_id: job.organization_id,
    project_id: job.project_id,
    app_id: job.app_id,
    app_kind: job.app_kind,
    receipt_id: job.receipt_id,
    messageId: derivedId('msg', job.receipt_id, 'message', index),
    dedupKey: dedupKeyOf(job.receipt_id, raw, index),
    verified: job.verified_scheme !== 'none',
    textFrom: job.text_from ?? 'people',
    startedBy: null,
    message,
    request: requestOf(job),
    reply: { ...replyTargetOf(job.app_id, raw), ...(job.app_types ? { typing: true } : {}) },
    sender: senderAddressOf(raw),
    appSends: job.app_sends ?? true,
    workflowId: raw.workflow_id,
    agentId: undefined,
    sanitizerReport: report,
    unsanitisable,
    released: false,
    replay: false,
    replayOf: null,
    arrival,
    place: arrival && placeOf(job.receipt_id, index),
    told: false,
    deliver: true,
  };
}

/** People read a value in the verdict of a filter, so it is cleaned like the message. */
function requestOf({ request }: MessageRoutePayload): RequestFacts | null {
  if (!request) return null;
  const clean = (values: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map((pair) => pair.map(cleaned) as [string, string]));
  return { headers: clean(request.headers), query: clean(request.query) };
}

const plain = /^[\w .,:;/+=@*()'"-]*$/;

/** Almost every value has nothing to clean. */
function cleaned(text: string): string {
  return plain.test(text) ? text : sanitize(text).text;
}

/** The first message uses the receipt's own place, each further one a place after it. */
function placeOf(receiptId: string, index: number): string {
  return index === 0 ? receiptId : `${receiptId}/${String(index).padStart(6, '0')}`;
}

import type { MessageRoutePayload, NormalizedMessage, ReplyTarget, RequestFacts, TextFrom } from '#libs/contracts';
import type { MessageRow } from '../../entities/message.entity.js';
import { replyTargetOf, senderAddressOf } from './reply-target.js';

/** How a receipt arrived, for its timeline; the messages of one receipt share it. */
export interface Arrival {
  job: MessageRoutePayload;
  attempt: number;
  startedMs: number;
  messages: number;
}

/** A message during routing, before it is decided. */
export interface Draft extends Pick<
  MessageRoutePayload,
  'organization_id' | 'project_id' | 'app_id' | 'receipt_id' | 'app_kind'
> {
  messageId: string;
  dedupKey: string;
  verified: boolean;
  /** For the built-in Webhook app: whether the sending system wrote the text. */
  textFrom: TextFrom;
  /** Who requested it over the API, `key:<id>` or `user:<id>`; null: only its sender did. */
  startedBy: string | null;
  /** As it will be stored: sanitised. */
  message: NormalizedMessage;
  /** What filters may read of the request; null: it came by none, or from an earlier release. */
  request: RequestFacts | null;
  reply: ReplyTarget;
  /** The sender as an address, unsanitised; null when nobody can be answered. */
  sender: string | null;
  /** Whether the App can deliver anything. */
  appSends: boolean;
  /** The only workflow to run, named by the message or by an API caller. */
  workflowId: number | undefined;
  /** The only agent to run, named by an API caller for a replay. */
  agentId: string | undefined;
  sanitizerReport: Record<string, unknown> | null;
  /** Why the sanitiser could not clean it; null when it could. */
  unsanitisable: string | null;
  /** A person released it: neither guards nor the rules for unknown senders apply again. */
  released: boolean;
  /** A person's replay: its runs are marked. */
  replay: boolean;
  /** The run that a replay repeats. */
  replayOf: string | null;
  /** How it arrived; null when no receipt ends with it. */
  arrival: Arrival | null;
  /** Its place in its App's order until its turn is stored; null: it has none. */
  place: string | null;
  /** Whether its caller is told that it is committed. */
  told: boolean;
  /** False: nothing is sent back. */
  deliver: boolean;
}

/** A stored message, to be routed again. */
export function draftOf(
  row: MessageRow,
  options: Pick<Draft, 'replay' | 'deliver' | 'startedBy'> & {
    workflowId?: number;
    agentId?: string;
    replayOf?: string;
  },
): Draft {
  return {
    ...options,
    organization_id: row.organization_id,
    project_id: row.project_id,
    app_id: row.app_id,
    app_kind: row.app_kind,
    receipt_id: row.receipt_id,
    messageId: row.id,
    dedupKey: '',
    verified: row.verified,
    textFrom: row.text_from,
    message: row.message,
    request: row.request,
    reply: replyTargetOf(row.app_id, row.message),
    sender: senderAddressOf(row.message),
    appSends: row.app_sends,
    // A target named by a person replaces the one named by the message.
    workflowId: options.workflowId ?? (options.agentId === undefined ? row.message.workflow_id : undefined),
    agentId: options.agentId,
    replayOf: options.replayOf ?? null,
    sanitizerReport: null,
    unsanitisable: null,
    arrival: null,
    place: null,
    told: true,
    released: true,
  };
}

import type { MessageRoutePayload, NormalizedMessage, ReplyTarget, TextFrom } from '#libs/contracts';
import type { Arrival } from './arrival-entries.js';
import type { MessageRow } from './message.entity.js';
import { replyTargetOf, senderAddressOf } from './reply-target.js';

/** A message on its way through routing, before anybody has decided over it. */
export interface Draft extends Pick<
  MessageRoutePayload,
  'organization_id' | 'project_id' | 'app_id' | 'receipt_id' | 'app_kind'
> {
  messageId: string;
  dedupKey: string;
  verified: boolean;
  /** Of the built-in Webhook app: whether the sending system wrote the text. */
  textFrom: TextFrom;
  /** Who asked for it over the API, `key:<id>` or `user:<id>`; null: only its sender did. */
  startedBy: string | null;
  /** As it will be stored: sanitised. */
  message: NormalizedMessage;
  reply: ReplyTarget;
  /** The sender as an address, as it came; null where nobody can be answered. */
  sender: string | null;
  /** Whether the App can deliver anything. */
  appSends: boolean;
  /** The workflow that the message, or a caller of the API, names: that one, and nothing else. */
  workflowId: number | undefined;
  /** The agent that a caller of the API names for a replay: that one, and nothing else. */
  agentId: string | undefined;
  sanitizerReport: Record<string, unknown> | null;
  /** Why the sanitiser could not clean it. */
  unsanitisable: string | null;
  /** A person sent it on: neither guards nor the rules for unknown senders apply again. */
  released: boolean;
  /** A person's replay: its runs are marked. */
  replay: boolean;
  /** The run that a replay repeats. */
  replayOf: string | null;
  /** How it came; null where no receipt waits for its end. */
  arrival: Arrival | null;
  /** Its place in the order of its App until its turn is stored; null: it takes none. */
  place: string | null;
  /** Its caller is told that it is committed. */
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
    reply: replyTargetOf(row.app_id, row.message),
    sender: senderAddressOf(row.message),
    appSends: row.app_sends,
    // A target that a person names takes the place of the one that the message names.
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

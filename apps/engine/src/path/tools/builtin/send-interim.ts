import type { ReplyTarget } from '#libs/contracts';
import { sanitizeReply } from '#libs/sanitizer';
import { Problem, type ServiceClient } from '#libs/service-kit';
import type { EngineSettings } from '../../../settings.js';
import { interimKey } from '../../../entities/turn.entity.js';
import type { TurnInterims } from '../../replies/turn-interim.repository.js';
import { failure, isFailure, type ToolFailure, type TurnScope } from '../tool.js';
import type { BuiltinWork } from './builtin-library.js';

export type InterimSettings = Pick<
  EngineSettings,
  'TURN_INTERIM' | 'TURN_INTERIM_MESSAGES' | 'TURN_INTERIM_TTL_SECONDS'
>;

interface Interim {
  target: ReplyTarget & { channel_address: string };
  stays: boolean;
  /** How many a turn may send. */
  most: number;
}

/** `send_interim`: tells who waits what the turn is doing, before its answer. The answer does not depend on it. */
export function sendInterim(interims: TurnInterims, gateway: ServiceClient, settings: InterimSettings): BuiltinWork {
  return {
    external: false,
    noted: (result) => {
      const { delivery_id: id } = (result ?? {}) as { delivery_id?: string };
      return id === undefined ? null : `sent before the answer: ${id}`;
    },
    run: async (args, { turn, ref }) => {
      const interim = interimOf(turn, settings);
      if (!interim) return failure('channel_shows_no_interim', 'This channel shows only answers: go on, and answer.');
      if (turn.rehearsal) return { sent: false, note: 'Nothing is sent in a rehearsal.' };
      const text = sanitizeReply(String(args['text'])).spoken;
      if (text === '') return failure('invalid_arguments', 'Give a text.');
      const own = { turn_id: turn.turnId, call_ref: ref };
      const replaces = await interims.begin({ ...own, stays: interim.stays }, interim.most);
      if (replaces === undefined)
        return failure('said_enough', 'Enough was said before the answer: go on, and answer.');
      const sent = await deliver(gateway, turn, interim, {
        text,
        key: interimKey(own),
        replaces,
        ttlSeconds: settings.TURN_INTERIM_TTL_SECONDS,
      });
      if (isFailure(sent)) return sent;
      return { sent: true, delivery_id: sent.delivery_id };
    },
  };
}

/** How the turn's channel shows it; null: not at all. */
function interimOf({ reply }: TurnScope, settings: InterimSettings): Interim | null {
  const { TURN_INTERIM: mode, TURN_INTERIM_MESSAGES: most } = settings;
  const { interim: kind, channel_address: address } = reply ?? {};
  if (!reply || !kind || address === undefined || address === null || mode === 'off') return null;
  // Another App of this installation asks: nobody waits there, and the message would begin a loop that counts from zero.
  if ((reply.hops ?? 0) > 0) return null;
  if (kind === 'once' && mode === 'edit_only') return null;
  const stays = kind === 'once' || mode === 'keep';
  const target = { ...reply, channel_address: address };
  // One that stays is never corrected by a later one.
  return { target, stays, most: kind === 'once' ? Math.min(most, 1) : most };
}

async function deliver(
  gateway: ServiceClient,
  turn: TurnScope,
  { target }: Interim,
  { text, key, replaces, ttlSeconds }: { text: string; key: string; replaces: string | null; ttlSeconds: number },
): Promise<{ delivery_id: string } | ToolFailure> {
  const { app_id, channel_address, by_channel, thread_id, reply_context } = target;
  try {
    const sent = await gateway.post<{ delivery_id: string; state: string; error: string | null }>(
      '/internal/adapter-calls/deliver',
      { organizationId: turn.organizationId, projectId: turn.projectId },
      {
        app_id,
        channel_address,
        ...(by_channel ? { by_channel } : {}),
        message: {
          text,
          ...(thread_id === null ? {} : { thread_id }),
          ...(reply_context === null || reply_context === undefined ? {} : { reply_context }),
          ...(replaces === null ? {} : { replaces }),
        },
        receipt_id: turn.receiptId,
        idempotency_key: key,
        // Later it would only say what is no longer so.
        ttl_seconds: ttlSeconds,
      },
    );
    return sent.state === 'dead' ? notSent(sent.error ?? 'it did not arrive') : sent;
  } catch (error) {
    if (error instanceof Problem) return notSent(error.code);
    throw error;
  }
}

function notSent(why: string): ToolFailure {
  return failure('not_sent', `It may not have been sent (${why}): go on, and answer.`);
}

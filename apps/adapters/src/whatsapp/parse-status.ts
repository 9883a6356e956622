import { ignoredMessage, type JsonObject, type NormalizedMessage } from '#libs/adapter-sdk';
import { objectsOf, textOf } from '../provider-calls/json-fields.js';
import { timeOf } from './parse-message.js';

const STATUSES = ['sent', 'delivered', 'read', 'failed'];

/** What became of a sent message. It has no address to answer: nobody wrote it. */
export function parseStatus(status: JsonObject, account: string | undefined): NormalizedMessage {
  const [id, state, to] = [textOf(status.id), textOf(status.status) ?? '', textOf(status.recipient_id)];
  if (id === undefined || to === undefined || !STATUSES.includes(state)) {
    return ignoredMessage('unknown_status', { raw_type: state });
  }
  const [failure] = objectsOf(status.errors);
  const reason = textOf(failure?.title) ?? textOf(failure?.message);
  const timestamp = timeOf(status.timestamp);
  return {
    event_type: 'delivery_status',
    sender: to,
    message: reason === undefined ? `${state}: ${to}` : `${state}: ${to}: ${reason}`,
    is_bot: false,
    dedup_key: `whatsapp:${id}:${state}`,
    metadata: {
      status: state,
      auto_submitted: true,
      notification: true,
      channel_address: null,
      message_id: id,
      raw_type: `status.${state}`,
      ...(account !== undefined && { account }),
      ...(textOf(status.biz_opaque_callback_data) !== undefined && {
        delivery_key: textOf(status.biz_opaque_callback_data),
      }),
      ...(reason !== undefined && { reason }),
      ...(textOf(failure?.code) !== undefined && { provider_code: textOf(failure?.code) }),
      ...(timestamp !== undefined && { timestamp }),
    },
  };
}

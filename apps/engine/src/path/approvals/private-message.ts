import type { OutboundAction, ProjectScope, ReplyTarget } from '#libs/contracts';
import { PermanentFailure } from '#libs/queue';
import type { ServiceClient } from '#libs/service-kit';

/** Where a contact reads what nobody else does, and as whom the App knows it. */
type PrivateAddress = ReplyTarget & { sender: string };

interface SentMessage {
  delivery_id: string;
  state: string;
  error: string | null;
}

/**
 * Sends a contact a message in a conversation that it alone has with an App.
 * @param how.key the message is sent once for it
 * @param how.orByMail else as a mail of its own to the address that the contact last wrote from
 * @throws PermanentFailure `no_private_address`, or as the delivery failed; Problem of the router and the gateway
 */
export async function sendInPrivate(
  { router, gateway }: { router: ServiceClient; gateway: ServiceClient },
  owner: ProjectScope,
  contactId: string,
  { text, actions }: { text: string; actions?: OutboundAction[] },
  how: { key: string; ttlSeconds: number; orByMail?: boolean },
): Promise<string> {
  const contact = `/internal/contacts/${encodeURIComponent(contactId)}`;
  const path = `${contact}/private-address${how.orByMail === true ? '?or_by_mail=true' : ''}`;
  const { address } = await router.get<{ address: PrivateAddress | null }>(path, owner);
  if (!address) {
    throw new PermanentFailure('no_private_address', 'the contact has written to no App in a conversation of its own');
  }
  const { app_id, channel_address, thread_id, reply_context, sender } = address;
  const sent = await gateway.post<SentMessage>('/internal/adapter-calls/deliver', owner, {
    app_id,
    channel_address,
    message: {
      text,
      ...(actions ? { actions, actions_for: sender } : {}),
      ...(thread_id === null ? {} : { thread_id }),
      ...(reply_context === null || reply_context === undefined ? {} : { reply_context }),
    },
    idempotency_key: how.key,
    ttl_seconds: how.ttlSeconds,
  });
  if (sent.state === 'dead') throw new PermanentFailure(sent.error ?? 'not_delivered', 'the message did not arrive');
  return sent.delivery_id;
}

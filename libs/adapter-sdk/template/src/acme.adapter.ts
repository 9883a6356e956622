import {
  defineAdapter,
  deliverFailure,
  deliverParts,
  headerValue,
  ignoredMessage,
  isFreshTimestamp,
  isJsonObject,
  neutraliseBroadcasts,
  parseJson,
  plainDialect,
  refuseUnprotected,
  refuseWebhook,
  renderMarkdown,
  strongSecrets,
  splitText,
  verifyHmac,
  wholeListing,
  type InboundCall,
  type ListChangesCall,
  type ListChangesResult,
  type NormalizedMessage,
  type VerifyWebhookResult,
} from '@gatehouse/adapter-sdk';
import { callAcme, type AcmeApi } from './acme-api.js';
import { ACME_MAX_LENGTH, acmeManifest } from './acme.manifest.js';

/** Acme shows bold between single asterisks and nothing else. */
const acmeDialect = { ...plainDialect, strong: (content: string) => `*${content}*` };

export function createAcmeAdapter(api: AcmeApi) {
  return defineAdapter({
    manifest: acmeManifest,
    verify: async ({ credentials }) => {
      const me = await callAcme(api, credentials, '/me');
      if ('body' in me) return { ok: true, user: String(me.body.name), account: { id: String(me.body.id) } };
      const isDown = me.error_detail?.retryable === true || me.error === 'timeout';
      return { ok: false, error: isDown ? 'provider_unavailable' : 'auth_failed' };
    },
    verifyWebhook,
    parseInbound,
    deliver: async (call) => {
      if (call.message.text.trim() === '') return deliverFailure('invalid_request', 'message.text is empty');
      return deliverParts(call, splitText(call.message.text, ACME_MAX_LENGTH), async ({ text, threadId }) => {
        const sent = await callAcme(api, call.credentials, '/messages', {
          channel: call.channel_address,
          text: neutraliseBroadcasts(text),
          ...(threadId !== undefined && { thread: threadId }),
        });
        return 'body' in sent ? { messageId: String(sent.body.id), threadId: String(sent.body.thread) } : sent;
      });
    },
    format: ({ text, mode, max_length }) => {
      const rendered = renderMarkdown(text, mode === 'rich' ? acmeDialect : plainDialect);
      const safe = neutraliseBroadcasts(rendered.text);
      const parts = splitText(safe, max_length ?? ACME_MAX_LENGTH);
      return { text: safe, format: mode === 'rich' ? 'native' : 'plain', parts, lossy: rendered.lossy };
    },
    sources: {
      listChanges: (call) => listChanges(api, call),
      fetchFile: async ({ credentials, resource_path, file_path }) => {
        const file = await callAcme(
          api,
          credentials,
          `/folders/${encodeURIComponent(resource_path)}/${encodeURI(file_path)}`,
        );
        if (!('body' in file)) return { ok: false, error: 'not_found' };
        return { bytes: Buffer.from(String(file.body.content)), content_type: 'text/plain; charset=utf-8' };
      },
    },
  });
}

/** `x-acme-signature` is the hex HMAC-SHA256 of `<timestamp>.<body>`. */
function verifyWebhook({ credentials, request, receivedAt }: InboundCall): VerifyWebhookResult {
  const secret = strongSecrets(credentials.signing_secret);
  if (secret.length === 0) return refuseUnprotected('signing_secret', credentials.signing_secret);
  const signature = headerValue(request.headers, 'x-acme-signature');
  const timestamp = headerValue(request.headers, 'x-acme-timestamp');
  if (!signature || !timestamp) return refuseWebhook('missing_signature', 'the headers of the signature are missing');
  if (!request.exactBody) return refuseWebhook('body_required', 'the signature covers the exact body');
  if (!isFreshTimestamp(timestamp, receivedAt)) return refuseWebhook('stale_timestamp', 'outside of 300 s');
  const payload = Buffer.concat([Buffer.from(`${timestamp}.`), request.body]);
  return verifyHmac({ secret, payload, signature })
    ? { ok: true, scheme: 'acme' }
    : refuseWebhook('bad_signature', 'x-acme-signature does not match the body');
}

function parseInbound({ request, self }: InboundCall): NormalizedMessage {
  const event = parseJson(request.text);
  if (!isJsonObject(event)) return ignoredMessage('not_json');
  const { type, id, text, channel, thread, user, challenge } = event;
  if (type === 'challenge' && typeof challenge === 'string') {
    return { ...ignoredMessage('handshake'), event_type: 'challenge', challenge_response: challenge };
  }
  if ((type !== 'message' && type !== 'message_edited') || typeof id !== 'string' || !isJsonObject(user)) {
    return ignoredMessage('unknown_event');
  }
  const isSelf = self?.id !== undefined && user.id === self.id;
  return {
    event_type: type === 'message' ? 'message_received' : 'message_edited',
    sender: String(user.id),
    message: String(text),
    is_bot: isSelf || user.bot === true,
    dedup_key: `acme:${String(channel)}:${id}${type === 'message' ? '' : `:${String(event.edited_at)}`}`,
    thread_id: String(thread ?? id),
    metadata: {
      channel_address: String(channel),
      message_id: id,
      is_self: isSelf,
      sender: { name: String(user.name) },
    },
  };
}

async function listChanges(api: AcmeApi, call: ListChangesCall): Promise<ListChangesResult> {
  const folder = await callAcme(api, call.credentials, `/folders/${encodeURIComponent(call.resource_path)}`);
  if (!('body' in folder)) {
    return { ok: false, error: folder.error === 'not_found' ? 'not_found' : 'provider_unavailable' };
  }
  const documents: unknown[] = Array.isArray(folder.body.documents) ? folder.body.documents : [];
  return wholeListing(
    documents.filter(isJsonObject).map(({ path, etag }) => ({ path: String(path), fingerprint: String(etag) })),
    call.cursor,
  );
}

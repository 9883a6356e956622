import {
  type AdapterDefinition,
  attachedFiles,
  defineAdapter,
  deliverFailure,
  deliverParts,
  type FormatRequest,
  rewriteMarkdown,
  plainFormat,
  PreparedScheme,
  readActions,
  refuseUnprotected,
  secretList,
  splitText,
  strongSecrets,
  type VerifyCall,
  type VerifyResult,
  verifyScheme,
} from '#libs/adapter-sdk';
import { parseWebchatInbound, visitorPattern } from './parse-inbound.js';
import { WEBCHAT_MAX_LENGTH, webchatManifest } from './webchat.manifest.js';

const scheme = new PreparedScheme({ scheme: 'standard-webhooks', secret_fields: ['identity_secret'] });

/**
 * A chat on pages of one's own. No provider stands behind it: the gateway takes what visitors write, and keeps for them what
 * this adapter accepts.
 */
export function createWebchatAdapter(): AdapterDefinition {
  return defineAdapter({
    manifest: webchatManifest,
    verify: verifySettings,
    verifyWebhook: (call) => verifyScheme(scheme, call, 'standard-webhooks'),
    parseInbound: parseWebchatInbound,
    deliver: async (call) => {
      const { message, channel_address: to } = call;
      if (message.text.length > WEBCHAT_MAX_LENGTH) {
        return deliverFailure('too_large', `message.text is over ${WEBCHAT_MAX_LENGTH} characters`);
      }
      const files = attachedFiles(call);
      if (!Array.isArray(files)) return files;
      if (message.text.trim() === '' && files.length === 0) {
        return deliverFailure('invalid_request', 'message.text is empty');
      }
      if (!visitorPattern.test(to)) {
        return deliverFailure('invalid_request', 'channel_address must be a visitor: user:… or anon:…');
      }
      const actions = readActions(message.actions ?? []);
      if (typeof actions === 'string') return deliverFailure('invalid_request', `message.actions ${actions}`);
      return deliverParts(call, [message.text], async ({ key }) => ({ messageId: key, threadId: undefined }));
    },
    format: formatMessage,
  });
}

/** Pages show Markdown themselves. */
function formatMessage(request: FormatRequest) {
  if (request.mode === 'plain') return plainFormat(request, WEBCHAT_MAX_LENGTH);
  const { max_length: most = WEBCHAT_MAX_LENGTH } = request;
  const text = rewriteMarkdown(request.text, 'broadcast');
  return { text, format: 'markdown' as const, parts: splitText(text, most), lossy: [] };
}

/** There is nobody to ask: what can be wrong is an origin that no browser sends, and a secret that does not protect. */
function verifySettings({ credentials }: VerifyCall): VerifyResult {
  const { origins, identity_secret: secret } = credentials;
  const listed = secretList(origins)
    .flatMap((text) => text.split(/[\s,]+/))
    .filter((one) => one !== '');
  if (listed.length === 0)
    return { ok: false, error: 'origins must list at least one origin, for example https://www.example.com' };
  // No value is repeated in an answer, not even one that is no secret.
  if (!listed.every(isOrigin)) {
    return { ok: false, error: 'origins must be scheme, host and port only, as in https://www.example.com' };
  }
  if (secretList(secret).length > 0 && strongSecrets(secret).length === 0) {
    const refusal = refuseUnprotected('identity_secret', secret);
    return {
      ok: false,
      error: 'ok' in refusal && !refusal.ok ? (refusal.message ?? 'identity_secret is too weak') : '',
    };
  }
  const [name = ''] = listed;
  return { ok: true, user: name, account: { id: name, name } };
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol } = new URL(text);
  return ['https:', 'http:'].includes(protocol) && [origin, `${origin}/`].includes(text.toLowerCase());
}

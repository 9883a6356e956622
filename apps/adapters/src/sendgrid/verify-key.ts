import { ecdsaPublicKeys, type VerifyCall, type VerifyResult, refusedCredentials } from '#libs/adapter-sdk';
import { objectOf } from '../provider-calls/json-fields.js';
import { callSendgrid, type SendgridHttp } from './sendgrid-api.js';
import { readSender } from './sender-address.js';

/** Asks SendGrid what the key may do. */
export async function verifyKey({ credentials }: VerifyCall, http: SendgridHttp): Promise<VerifyResult> {
  const sender = readSender(credentials);
  if ('problem' in sender) return { ok: false, error: 'auth_failed', message: sender.problem };
  const answer = await callSendgrid(credentials, { path: 'scopes' }, http);
  if ('ok' in answer) return refusedCredentials(answer);
  const { scopes } = objectOf(answer.json);
  if (!Array.isArray(scopes) || !scopes.includes('mail.send')) {
    return { ok: false, error: 'auth_failed', message: 'the API key lacks the permission Mail Send' };
  }
  const warnings = [
    ...(ecdsaPublicKeys(credentials.event_public_key).length === 0
      ? ['event_public_key is not set or not a valid key: every event is refused']
      : []),
    ...(ecdsaPublicKeys(credentials.inbound_public_key).length === 0
      ? [
          credentials.inbound_unsigned === 'allow'
            ? 'unsigned mail is accepted from anybody who knows the Webhook URL'
            : 'inbound_public_key is not set or not a valid key: every mail is refused',
        ]
      : []),
  ];
  return {
    ok: true,
    user: sender.email,
    account: { id: sender.email, email: sender.email, ...(sender.name !== undefined && { name: sender.name }) },
    ...(warnings.length > 0 && { warnings }),
  };
}

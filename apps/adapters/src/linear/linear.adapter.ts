import {
  type AdapterDefinition,
  defineAdapter,
  dialectFormat,
  PreparedScheme,
  secretList,
  type VerifyCall,
  type VerifyResult,
  verifyScheme,
  type ProviderHttp,
  refusedCredentials,
} from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { deliverMessage, findDelivery } from './deliver-message.js';
import { callLinear, LINEAR_API_URL, type LinearSettings } from './linear-api.js';
import { linearDialect } from './linear-dialect.js';
import { LINEAR_MAX_LENGTH, linearManifest } from './linear.manifest.js';
import { parseLinearInbound } from './parse-inbound.js';

/** The time in the body is not checked: Linear sends again for six hours what was not taken. */
const scheme = new PreparedScheme({
  scheme: 'hmac',
  header: 'linear-signature',
  prefix: '',
  secret_fields: ['signing_secret'],
});

/** Linear over its webhooks and its GraphQL API. */
export function createLinearAdapter(http: ProviderHttp & Partial<LinearSettings>): AdapterDefinition {
  const settings = { apiUrl: LINEAR_API_URL, ...http };
  return defineAdapter({
    manifest: linearManifest,
    verify: (call) => verifyCredentials(call, settings),
    verifyWebhook: (call) => verifyScheme(scheme, call, 'linear-sha256'),
    parseInbound: parseLinearInbound,
    deliver: (call) => deliverMessage(call, settings),
    lookup: (call) => findDelivery(call, settings),
    format: (request) => dialectFormat(request, linearDialect, LINEAR_MAX_LENGTH),
  });
}

/** Asks whose token it is. By that id the adapter later recognises its own comments. */
async function verifyCredentials({ credentials }: VerifyCall, settings: LinearSettings): Promise<VerifyResult> {
  const query = 'query Viewer { viewer { id name displayName } organization { id } }';
  const answer = await callLinear({ name: 'Viewer', query }, credentials, settings);
  if (!answer.ok) return refusedCredentials(answer);
  const viewer = objectOf(answer.data.viewer);
  const [id = '', name = '', username] = [viewer.id, viewer.name, viewer.displayName].map(textOf);
  const account = textOf(objectOf(answer.data.organization).id);
  const isUnsigned = secretList(credentials.signing_secret).length === 0;
  return {
    ok: true,
    user: name,
    account: { id, name, username: username ?? name, ...(account !== undefined && { account }) },
    ...(isUnsigned && { warnings: ['signing_secret is not set: every incoming webhook is refused'] }),
  };
}

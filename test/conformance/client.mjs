/**
 * The client that the MCP conformance suite runs: one connection of the registry's own code (dist/) to the server whose
 * URL is the last argument. The auth scenarios use the MCP SDK's authorization over the registry's guarded fetch,
 * because in the registry the vault's connect flow does that part.
 */
import {
  ClientCredentialsProvider,
  PrivateKeyJwtProvider,
  UnauthorizedError,
  auth,
} from '@modelcontextprotocol/client';
import { createEgress } from '../../dist/libs/egress/src/index.js';
import { guardedFetch } from '../../dist/apps/mcp-registry/src/mcp/guarded-fetch.js';
import { Listings } from '../../dist/apps/mcp-registry/src/discovery/listed-tool.js';
import { listTools } from '../../dist/apps/mcp-registry/src/mcp/list-tools.js';
import { openConnection } from '../../dist/apps/mcp-registry/src/mcp/open-connection.js';

const url = process.argv.at(-1) ?? '';
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const egress = createEgress({ allow: ['127.0.0.1', 'localhost', '::1'] });
const limits = { answerMs: 20_000, answerBytes: 4_194_304, streamBytes: 4_194_304, silenceMs: 20_000 };
const plain = guardedFetch(egress, limits);

const redirectUrl = 'http://localhost:39741/callback';
let tokens;
let client = context.client_id
  ? { client_id: context.client_id, ...(context.client_secret ? { client_secret: context.client_secret } : {}) }
  : undefined;
let verifier = '';
let code = null;

/** Consents at once, as a person would in the browser. */
const person = {
  redirectUrl,
  clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
  clientMetadata: {
    client_name: 'gatehouse',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  },
  clientInformation: () => client,
  saveClientInformation: (information) => (client = information),
  tokens: () => tokens,
  saveTokens: (given) => (tokens = given),
  saveCodeVerifier: (given) => (verifier = given),
  codeVerifier: () => verifier,
  redirectToAuthorization: async (target) => {
    const answer = await plain(target, { redirect: 'manual' });
    await answer.body?.cancel();
    code = new URL(answer.headers.get('location') ?? '', target).searchParams;
  },
};

function provider() {
  if (scenario === 'auth/client-credentials-basic') {
    return new ClientCredentialsProvider({ clientId: context.client_id, clientSecret: context.client_secret });
  }
  if (scenario === 'auth/client-credentials-jwt') {
    const { client_id: clientId, private_key_pem: privateKey, signing_algorithm: algorithm } = context;
    return new PrivateKeyJwtProvider({ clientId, privateKey, algorithm });
  }
  return person;
}

const by = provider();
const maxAuthorizations = 3;
let authorizations = 0;

/** A 401 or 403 of the suite triggers an authorization, then the request is repeated. */
async function authorizing(target, init = {}) {
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client');
  for (;;) {
    const given = await by.tokens();
    const headers = new Headers(init.headers);
    if (given) headers.set('authorization', `Bearer ${given.access_token}`);
    const answer = await plain(target, { ...init, headers });
    const asked = answer.status === 401 || answer.status === 403;
    if (!asked || !scenario.startsWith('auth/') || authorizations >= maxAuthorizations) return answer;
    authorizations += 1;
    const { resourceMetadataUrl, scope: wanted } = extractWWWAuthenticateParams(answer);
    // What was granted before stays granted.
    const scope = [...new Set(`${given?.scope ?? ''} ${wanted ?? ''}`.trim().split(/ +/))].join(' ') || undefined;
    await answer.body?.cancel();
    const options = {
      serverUrl: url,
      fetchFn: plain,
      resourceMetadataUrl,
      scope,
      forceReauthorization: answer.status === 403,
    };
    const result = await auth(by, options);
    if (result !== 'AUTHORIZED') {
      if (!code) throw new UnauthorizedError();
      await auth(by, { ...options, authorizationCode: code.get('code'), iss: code.get('iss') ?? undefined });
    }
  }
}

const connection = await openConnection({
  url,
  fetch: authorizing,
  connectTimeoutMs: 20_000,
  onListChanged: () => undefined,
});
const { tools: listed } = await listTools(connection, { pages: 10, tools: 100, bytes: 1_000_000, timeoutMs: 20_000 });
// As the registry reads a listing: what is quarantined is not called.
const usable = new Listings({ bytes: 100_000, schemas: 1_000 }).read(listed, connection.mirrorsArguments);
const definitions = usable.flatMap((one) => ('definition' in one ? [one.definition] : []));

/** What the suite wants to be called; else each tool, with arguments of the right kinds. */
const calls =
  context.toolCalls?.map(({ name, arguments: args }) => ({ name, args })) ??
  definitions.map(({ name, input_schema: schema }) => {
    const fields = Object.entries(schema.properties ?? {});
    // It compares the schema with what the suite has listed.
    const echoed =
      name === 'json_schema_echo' ? definitions.find((one) => one.name.startsWith('json_schema_2020')) : null;
    if (echoed) return { name, args: { schema: echoed.input_schema } };
    return { name, args: Object.fromEntries(fields.map(([key, { type }]) => [key, type === 'number' ? 1 : 'text'])) };
  });
const limitsOfCall = { silenceMs: 20_000, maxMs: 20_000, onProgress: () => undefined };
const maxRounds = 5;

/** Answers what the server asks for as a person who says yes. */
async function complete(definition, args) {
  let given = {};
  for (let round = 0; round < maxRounds; round += 1) {
    const outcome = await connection.call(definition, args, limitsOfCall, undefined, {
      asks: true,
      waits: true,
      ...given,
    });
    if (outcome.is !== 'input') return;
    const answers = Object.keys(outcome.requests).map((key) => [
      key,
      { action: 'accept', content: { confirmed: true } },
    ]);
    const { state } = outcome;
    given = {
      ...(answers.length === 0 ? {} : { answers: Object.fromEntries(answers) }),
      ...(state === undefined ? {} : { state }),
    };
  }
}

for (const { name, args } of calls) {
  const definition = definitions.find((one) => one.name === name);
  if (definition) await complete(definition, args).catch((error) => process.stderr.write(`${name}: ${error}\n`));
}
await connection.end(20_000);
await egress.close();

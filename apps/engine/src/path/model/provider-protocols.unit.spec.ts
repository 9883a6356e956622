import type { Egress } from '#libs/egress';
import { SignatureV4 } from '@smithy/signature-v4';
import { createHash, createHmac, generateKeyPairSync } from 'node:crypto';
import { endpointOf } from '../../testing/endpoint-of.js';
import { fakeProvider, type FakeProvider, type ProviderRequest } from '../../testing/fake-provider.js';
import { protocols, type Protocol } from '../../testing/provider-protocols.js';
import type { EndpointModel } from './endpoint-model.js';
import { modelEgress } from './model-fetch.js';
import type { ModelMessage, ToolDescription } from './model.js';

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const tools: ToolDescription[] = [
  { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: { at: { type: 'string' } } } },
];
const asked: ModelMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'hello' },
];
const never = new AbortController().signal;

let server: FakeProvider;
let egress: Egress;
beforeAll(async () => {
  server = await fakeProvider();
  egress = modelEgress(['127.0.0.1'], { MODEL_TIMEOUT_MS: 10_000 });
});
afterAll(() => Promise.all([server.close(), egress.close()]));

const modelOf = (protocol: Protocol, more: { takesImages?: boolean; takesPdf?: boolean } = {}): EndpointModel =>
  endpointOf(server, egress, protocol, more);

/** Answers calls, and the exchange of a service account's assertion for a token. */
function answering(json: unknown, status = 200, headers: Record<string, string> = {}): void {
  server.answer(({ path }) =>
    path === '/token' ? { json: { access_token: 'vertex-token', expires_in: 3_600 } } : { status, json, headers },
  );
}

const picture = { type: 'image' as const, mediaType: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAAAA' };
const order = { id: '8', mediaType: 'application/pdf', data: Buffer.from('%PDF-1.7 one order').toString('base64') };
const withPdf: ModelMessage = { role: 'user', content: 'what is ordered?', files: [order] };
const calls = (): ProviderRequest[] => server.requests.filter(({ path }) => path !== '/token');
const account = JSON.stringify({ client_email: 'bot@home.iam', private_key: privateKey, token_uri: 'TOKENS' });

describe.each(protocols(account).map((protocol) => [protocol.kind, protocol] as const))(
  'a model of %s',
  (_kind, protocol) => {
    it('is asked with its key, and its words and tokens are read', async () => {
      answering(protocol.text('good morning'));
      const answer = await modelOf(protocol).complete(asked, tools, never);
      expect(answer).toMatchObject({
        text: 'good morning',
        tool_calls: [],
        finish_reason: 'stop',
        model: 'desk/m',
        input_tokens: 10,
        output_tokens: 5,
        estimated: false,
      });
      const [request] = calls();
      expect(request?.path).toBe(protocol.path);
      if (protocol.sendsKey === 'signature') await expectSigned(request);
      else expect(request?.headers).toMatchObject(protocol.sendsKey);
      expect(request?.text).toContain('Be brief.');
      expect(request?.text).toContain('look');
    });

    it('is asked to cache instructions and what was said, if it has to be asked', async () => {
      answering(protocol.text('good morning'));
      await modelOf(protocol).complete(asked, tools, never);
      expect(calls()[0]?.text.match(/cache_control/g) ?? []).toHaveLength(protocol.kind === 'anthropic' ? 2 : 0);
    });

    it('is asked for a value by the schema that the caller gives', async () => {
      answering(protocol.text('{"depth": 3}'));
      const output = { type: 'object', properties: { depth: { type: 'number' } }, required: ['depth'] };
      await modelOf(protocol).complete(asked, tools, never, { output });
      expect(calls()[0]?.text).toContain('"depth"');
    });

    it('makes calls in parallel, and gets its calls and their results back', async () => {
      const wanted = [
        { id: 'call00001', name: 'look', arguments: { at: 'sea' } },
        { id: 'call00002', name: 'look', arguments: { at: 'sky' } },
      ];
      answering(protocol.calls(wanted));
      const first = await modelOf(protocol).complete(asked, tools, never);
      expect(first.finish_reason).toBe('tool-calls');
      expect(first.tool_calls.map(({ name, arguments: given }) => ({ name, arguments: given }))).toEqual(
        wanted.map(({ name, arguments: given }) => ({ name, arguments: given })),
      );
      answering(protocol.text('both are blue'));
      const results = first.tool_calls.map(({ id, name }): ModelMessage => ({
        role: 'tool',
        call_id: id,
        name,
        result: { colour: `blue-${id}` },
      }));
      const repeated = [
        ...asked,
        { role: 'assistant' as const, content: '', tool_calls: first.tool_calls },
        ...results,
      ];
      await expect(modelOf(protocol).complete(repeated, tools, never)).resolves.toMatchObject({
        text: 'both are blue',
      });
      const [request] = calls();
      for (const { id } of first.tool_calls) expect(request?.text).toContain(`blue-${id}`);
    });

    it.each([true, false])('is shown images of results after them, if it takes images: %s', async (takesImages) => {
      const { data } = picture;
      const call = { id: 'call00001', name: 'look', arguments: {} };
      const results = [{ role: 'tool' as const, call_id: call.id, name: 'look', result: 'seen', images: [picture] }];
      const repeated = [...asked, { role: 'assistant' as const, content: '', tool_calls: [call] }, ...results];
      answering(protocol.text('a picture'));
      await modelOf(protocol, { takesImages }).complete(repeated, tools, never);
      const text = calls()[0]?.text ?? '';
      expect(text.includes(data)).toBe(takesImages);
      expect(text).toContain('seen');
    });

    it.each([true, false])(
      'is shown images of the event after its text, if it takes images: %s',
      async (takesImages) => {
        answering(protocol.text('a picture'));
        const event: ModelMessage = { role: 'user', content: 'what is it?', files: [{ ...picture, id: '7' }] };
        await modelOf(protocol, { takesImages }).complete([event], tools, never);
        const text = calls()[0]?.text ?? '';
        expect(text.includes(picture.data)).toBe(takesImages);
        expect(text).toContain('what is it?');
      },
    );

    it.each([true, false])('is shown a PDF of the event as it came, if it takes them: %s', async (takesPdf) => {
      answering(protocol.text('an order'));
      await modelOf(protocol, { takesPdf }).complete([withPdf], tools, never);
      const text = calls()[0]?.text ?? '';
      expect(text.includes(order.data)).toBe(takesPdf);
      expect(text).toContain('what is ordered?');
    });

    it('that refuses a PDF is asked once more without it, and learns why', async () => {
      server.answer(({ path, text }) =>
        path === '/token'
          ? { json: { access_token: 'vertex-token', expires_in: 3_600 } }
          : text.includes(order.data)
            ? { status: 400, json: { error: { message: 'A maximum of 100 PDF pages may be provided.' } } }
            : { json: protocol.text('I cannot read it') },
      );
      const model = modelOf(protocol, { takesPdf: true });
      // The steps of a turn show it all.
      for (const _step of [1, 2]) {
        await expect(model.complete([withPdf], tools, never)).resolves.toMatchObject({ text: 'I cannot read it' });
      }
      expect(calls().map(({ text }) => text.includes('could not be shown the PDF'))).toEqual([false, true, true]);
    });

    it('that stops at its length limit, or at a filter, says so', async () => {
      answering(protocol.cut('good mor'));
      await expect(modelOf(protocol).complete(asked, tools, never)).resolves.toMatchObject({
        text: 'good mor',
        finish_reason: 'length',
      });
      answering(protocol.filtered());
      await expect(modelOf(protocol).complete(asked, tools, never)).resolves.toMatchObject({
        finish_reason: 'content-filter',
      });
    });

    it('has its errors classified, and none becomes text', async () => {
      for (const { status, json, headers, code, blame } of protocol.errors) {
        answering(json, status, headers);
        await expect(modelOf(protocol).complete(asked, tools, never)).rejects.toMatchObject({ code, blame });
      }
    });

    it('whose answer is cut off, is no JSON, or is too large, is unreadable and counts', async () => {
      const whole = JSON.stringify(protocol.text('x'.repeat(2_000)));
      for (const body of [
        whole.slice(0, -40),
        '<html>502</html>',
        '',
        JSON.stringify(protocol.text('x'.repeat(200_000))),
      ]) {
        server.answer(({ path }) =>
          path === '/token'
            ? { json: { access_token: 'vertex-token' } }
            : (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(body),
        );
        const failed: unknown = await modelOf(protocol)
          .complete(asked, tools, never)
          .catch((error: unknown) => error);
        expect(failed).toMatchObject({
          code: 'model_malformed',
          blame: 'model',
          unread: [{ model: 'desk/m', estimated: true }],
        });
      }
    });

    it('whose connection breaks within the answer is unavailable', async () => {
      server.answer(({ path }) =>
        path === '/token'
          ? { json: { access_token: 'vertex-token' } }
          : (response) => {
              response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
              response.write('{"id":');
              response.socket?.end();
            },
      );
      await expect(modelOf(protocol).complete(asked, tools, never)).rejects.toMatchObject({
        code: 'model_unavailable',
        away: true,
      });
    });
  },
);

it('waits as long as a provider asks for, in each of the ways to ask', async () => {
  const [openai, , , , anthropic, google] = protocols(account);
  if (!openai || !anthropic || !google) throw new Error('no protocols');
  const waits = async (protocol: Protocol, headers: Record<string, string>, json: unknown = {}): Promise<unknown> => {
    answering(json, 429, headers);
    return modelOf(protocol)
      .complete(asked, tools, never)
      .catch((error: unknown) => error);
  };
  await expect(waits(anthropic, { 'retry-after': '7' })).resolves.toMatchObject({ retryAfterMs: 7_000 });
  await expect(waits(openai, { 'retry-after-ms': '1500', 'retry-after': '2' })).resolves.toMatchObject({
    retryAfterMs: 1_500,
  });
  await expect(waits(google, {}, google.errors[1]?.json)).resolves.toMatchObject({ retryAfterMs: 34_500 });
  const date = new Date(Date.now() + 60_000).toUTCString();
  const { retryAfterMs } = (await waits(openai, { 'retry-after': date })) as { retryAfterMs: number };
  expect(retryAfterMs).toBeGreaterThan(30_000);
  expect(retryAfterMs).toBeLessThanOrEqual(60_000);
});

it('returns the signature of a call to the model that gave it, and to no other', async () => {
  const google = protocols(account).find(({ kind }) => kind === 'google');
  if (!google) throw new Error('no protocol');
  answering(google.calls([{ id: 'a', name: 'look', arguments: {} }]));
  const { tool_calls } = await modelOf(google).complete(asked, tools, never);
  const result: ModelMessage = { role: 'tool', call_id: tool_calls[0]?.id ?? '', name: 'look', result: 1 };
  const later = (from: string): ModelMessage[] => [
    ...asked,
    {
      role: 'assistant',
      content: '',
      tool_calls: tool_calls.map((call) => ({ ...call, mark: { from, options: call.mark?.options ?? {} } })),
    },
    result,
  ];
  answering(google.text('yes'));
  await modelOf(google).complete(later('desk/m'), tools, never);
  expect(calls()[0]?.text).toContain('sig0');
  answering(google.text('yes'));
  await modelOf(google).complete(later('desk/other'), tools, never);
  expect(calls()[0]?.text).not.toContain('sig0');
});

it('keeps the token of a service account, and shows no key in what it says', async () => {
  const vertex = protocols(
    JSON.stringify({ client_email: 'two@home.iam', private_key: privateKey, token_uri: 'TOKENS' }),
  ).find(({ kind }) => kind === 'google-vertex');
  if (!vertex) throw new Error('no protocol');
  answering(vertex.text('yes'));
  await modelOf(vertex).complete(asked, tools, never);
  await modelOf(vertex).complete(asked, tools, never);
  expect(server.requests.filter(({ path }) => path === '/token')).toHaveLength(1);
  const openai = protocols(account)[0];
  if (!openai) throw new Error('no protocol');
  answering({ nonsense: 'sk-openai-1234567' });
  const failed: unknown = await modelOf(openai)
    .complete(asked, tools, never)
    .catch((error: unknown) => error);
  expect(JSON.stringify(failed)).toContain('nonsense');
  expect(JSON.stringify(failed)).not.toContain('1234567');
});

/** As AWS checks it: the same request, signed once more, has the same signature. */
async function expectSigned(request: ProviderRequest | undefined): Promise<void> {
  if (!request) throw new Error('nothing was asked');
  const { authorization = '', ...headers } = request.headers;
  const signed = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? [];
  const signer = new SignatureV4({
    service: 'bedrock',
    region: 'eu-west-1',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret-1234567', sessionToken: 'session-1234567' },
    sha256: Sha256,
    applyChecksum: false,
  });
  const date = headers['x-amz-date'] ?? '';
  const at = new Date(date.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3:$4:$5'));
  const url = new URL(request.path, server.url);
  const repeated = await signer.sign(
    {
      method: 'POST',
      protocol: 'http:',
      hostname: url.hostname,
      port: Number(url.port),
      path: url.pathname,
      query: {},
      headers: Object.fromEntries(
        signed
          .filter((name) => name !== 'x-amz-date' && name !== 'x-amz-security-token')
          .map((name) => [name, headers[name] ?? '']),
      ),
      body: request.text,
    },
    { signingDate: at, unsignableHeaders: new Set() },
  );
  expect(headers['x-amz-security-token']).toBe('session-1234567');
  expect(repeated.headers['authorization']?.split('Signature=')[1]).toBe(authorization.split('Signature=')[1]);
}

class Sha256 {
  private readonly hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }
  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.hash.update(bytesOf(data));
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.hash.digest()));
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  return data instanceof ArrayBuffer
    ? new Uint8Array(data)
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

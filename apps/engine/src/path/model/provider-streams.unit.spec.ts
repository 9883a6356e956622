import type { Egress } from '#libs/egress';
import { until } from '#libs/testing';
import type { ServerResponse } from 'node:http';
import { generateKeyPairSync } from 'node:crypto';
import { endpointOf } from '../../testing/endpoint-of.js';
import { fakeProvider, type FakeProvider, type ProviderAnswer } from '../../testing/fake-provider.js';
import { type Protocol, protocols } from '../../testing/provider-protocols.js';
import { streamedProtocols } from '../../testing/provider-streams.js';
import type { EndpointModel } from './endpoint-model.js';
import { modelEgress } from './model-fetch.js';
import { type Completion, ModelError, type ModelMessage, type TextSink, type ToolDescription } from './model.js';

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const account = JSON.stringify({ client_email: 'streams@home.iam', private_key: privateKey, token_uri: 'TOKENS' });
const asked: ModelMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'hello' },
];
const tools: ToolDescription[] = [
  { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: { at: { type: 'string' } } } },
];
const never = new AbortController().signal;

let server: FakeProvider;
let egress: Egress;
beforeAll(async () => {
  server = await fakeProvider();
  egress = modelEgress(['127.0.0.1'], { MODEL_TIMEOUT_MS: 10_000 });
});
afterAll(() => Promise.all([server.close(), egress.close()]));

interface Heard extends TextSink {
  text: string;
  pieces: number;
}

function listener(): Heard {
  const heard: Heard = {
    text: '',
    pieces: 0,
    write: (text) => {
      heard.text += text;
      heard.pieces += 1;
    },
    restart: () => {
      heard.text = '';
    },
  };
  return heard;
}

const modelOf = (protocol: Protocol, timeoutMs = 10_000): EndpointModel =>
  endpointOf(server, egress, protocol, { timeoutMs });

function answering(answer: ProviderAnswer): void {
  server.answer(({ path }) =>
    path === '/token' ? { json: { access_token: 'vertex-token', expires_in: 3_600 } } : answer,
  );
}

const failure = (answer: Promise<Completion>): Promise<ModelError> =>
  answer.then(
    () => Promise.reject(new Error('it answered')),
    (error: unknown) => (error instanceof ModelError ? error : Promise.reject(error)),
  );

describe.each(protocols(account).map((protocol) => [protocol.kind, protocol] as const))(
  'a stream of %s',
  (kind, protocol) => {
    const streamed = streamedProtocols[kind];
    const streaming = (write: (response: ServerResponse) => void): void =>
      answering((response) => {
        response.writeHead(200, { 'content-type': streamed.type });
        write(response);
      });

    it('is heard piece by piece while the model writes, and adds up to the answer', async () => {
      const { open, pieces, end } = streamed.text(['Good ', 'morn', 'ing 🌅']);
      let response: ServerResponse | null = null;
      streaming((given) => {
        response = given;
        given.write(Buffer.concat(open));
      });
      const heard = listener();
      const answer = modelOf(protocol).complete(asked, tools, never, { sink: heard });
      await until('it is asked', () => response !== null);
      let expected = '';
      for (const [at, piece] of pieces.entries()) {
        expected += ['Good ', 'morn', 'ing 🌅'][at];
        response!.write(piece);
        await until(`piece ${at} is heard`, () => heard.text === expected);
      }
      response!.end(Buffer.concat(end));
      await expect(answer).resolves.toMatchObject({
        text: 'Good morning 🌅',
        tool_calls: [],
        finish_reason: 'stop',
        model: 'desk/m',
        input_tokens: 10,
        output_tokens: 5,
        estimated: false,
      });
      expect(server.requests.at(-1)?.path).toBe(streamed.path);
    });

    it('that arrives byte by byte gives the same answer', async () => {
      const { open, pieces, end } = streamed.text(['Grüß ', 'Gott']);
      const bytes = Buffer.concat([...open, ...pieces, ...end]);
      streaming(async (response) => {
        for (let at = 0; at < bytes.length; at += 1) {
          if (!response.write(bytes.subarray(at, at + 1))) await new Promise((go) => response.once('drain', go));
          if (at % 50 === 0) await new Promise(setImmediate);
        }
        response.end();
      });
      const heard = listener();
      await expect(modelOf(protocol).complete(asked, tools, never, { sink: heard })).resolves.toMatchObject({
        text: 'Grüß Gott',
        finish_reason: 'stop',
      });
      expect(heard.text).toBe('Grüß Gott');
    });

    it('gives all of its parallel calls', async () => {
      const wanted = [
        { id: 'call00001', name: 'look', arguments: { at: 'sea' } },
        { id: 'call00002', name: 'look', arguments: { at: 'sky' } },
      ];
      streaming((response) => response.end(Buffer.concat(streamed.calls(wanted))));
      const heard = listener();
      const { finish_reason, tool_calls } = await modelOf(protocol).complete(asked, tools, never, { sink: heard });
      expect(finish_reason).toBe('tool-calls');
      expect(tool_calls.map(({ name, arguments: given }) => ({ name, arguments: given }))).toEqual(
        wanted.map(({ name, arguments: given }) => ({ name, arguments: given })),
      );
      expect(heard.text).toBe('');
    });

    it('that breaks off before its end is no answer', async () => {
      const { open, pieces } = streamed.text(['Good ', 'mor']);
      streaming((response) => response.end(Buffer.concat([...open, ...pieces])));
      const cut = await modelOf(protocol).complete(asked, tools, never, { sink: listener() });
      expect(['error', 'interrupted']).toContain(cut.finish_reason);
      streaming((response) => {
        response.write(Buffer.concat([...open, ...pieces]), () => response.destroy());
      });
      await expect(
        failure(modelOf(protocol).complete(asked, tools, never, { sink: listener() })),
      ).resolves.toMatchObject({
        code: 'model_unavailable',
        away: true,
      });
    });

    it('that reports an error is classified by it, and the error is no text', async () => {
      if (!streamed.error) return;
      const { open, pieces } = streamed.text(['Good ']);
      const error = streamed.error;
      streaming((response) => response.end(Buffer.concat([...open, ...pieces, error])));
      const heard = listener();
      await expect(failure(modelOf(protocol).complete(asked, tools, never, { sink: heard }))).resolves.toMatchObject({
        code: 'model_unavailable',
      });
      expect(heard.text).toBe('Good ');
    });

    it('that is over the limit is unreadable and counts', async () => {
      const { open, pieces, end } = streamed.text(Array.from({ length: 200 }, () => 'x'.repeat(1_000)));
      streaming((response) => response.end(Buffer.concat([...open, ...pieces, ...end])));
      await expect(
        failure(modelOf(protocol).complete(asked, tools, never, { sink: listener() })),
      ).resolves.toMatchObject({
        code: 'model_malformed',
        unread: [{ model: 'desk/m', estimated: true }],
      });
    });

    it('whose model falls silent times out, however long it has been writing', async () => {
      const { open, pieces } = streamed.text(['Good ']);
      streaming((response) => response.write(Buffer.concat([...open, ...pieces])));
      const heard = listener();
      await expect(
        failure(modelOf(protocol, 300).complete(asked, tools, never, { sink: heard })),
      ).resolves.toMatchObject({
        code: 'model_timeout',
      });
      expect(heard.text).toBe('Good ');
    });

    it('is closed when nobody wants it any more', async () => {
      const { open, pieces } = streamed.text(['Good ']);
      let closed = false;
      streaming((response) => {
        response.once('close', () => {
          closed = true;
        });
        response.write(Buffer.concat([...open, ...pieces]));
      });
      const left = new AbortController();
      const heard = listener();
      const answer = modelOf(protocol).complete(asked, tools, left.signal, { sink: heard });
      await until('it has begun', () => heard.text === 'Good ');
      left.abort(new Error('cancelled'));
      await expect(answer).rejects.toThrow('cancelled');
      await until('the provider is left', () => closed);
    });

    it('that is refused with a status is classified as a whole answer is', async () => {
      for (const { status, json, headers, code, blame } of protocol.errors) {
        answering({ status, json, ...(headers ? { headers } : {}) });
        await expect(
          failure(modelOf(protocol).complete(asked, tools, never, { sink: listener() })),
        ).resolves.toMatchObject({
          code,
          blame,
        });
      }
    });
  },
);

const [openai] = protocols(account);
if (!openai) throw new Error('no protocol');

it('an endpoint that streams nothing is asked for a whole answer, from then on at once', async () => {
  server.answer(({ body }) =>
    body['stream'] === true
      ? { status: 400, json: { error: { message: '`stream` is not supported by this server' } } }
      : { json: openai.text('whole') },
  );
  const model = modelOf(openai);
  await expect(model.complete(asked, tools, never, { sink: listener() })).resolves.toMatchObject({ text: 'whole' });
  await expect(model.complete(asked, tools, never, { sink: listener() })).resolves.toMatchObject({ text: 'whole' });
  expect(server.requests.map(({ body }) => body['stream'] === true)).toEqual([true, false, false]);
});

it('a completion that comes whole, although a stream was asked for, is read', async () => {
  answering({ json: openai.text('at once') });
  await expect(modelOf(openai).complete(asked, tools, never, { sink: listener() })).resolves.toMatchObject({
    text: 'at once',
    input_tokens: 10,
  });
});

it('a request for a stream asks for its usage', async () => {
  answering({ json: openai.text('x') });
  const compatible = protocols(account).find(({ kind }) => kind === 'openai-compatible');
  if (!compatible) throw new Error('no protocol');
  await modelOf(compatible).complete(asked, tools, never, { sink: listener() });
  expect(server.requests[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
});

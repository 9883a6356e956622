import { fastify, type FastifyInstance } from 'fastify';
import { sendUpdates } from './a2a-stream.js';

let app: FastifyInstance;
/** What the second update throws. */
let thrown: unknown;

async function* updates(): AsyncGenerator<string, void> {
  yield 'first';
  throw thrown;
}
const shown = {
  frame: (update: string) => `data: ${update}\n\n`,
  refusal: (error: unknown) => {
    if (!(error instanceof RangeError)) throw error;
    return `data: refused: ${error.message}\n\n`;
  },
  fault: () => 'data: fault\n\n',
};
beforeAll(async () => {
  app = fastify();
  app.get('/', (_request, reply) =>
    sendUpdates(reply, updates(), shown, { heartbeatMs: 60_000, maxMs: 60_000 }, new AbortController()),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

describe('a stream of updates that fails after the first one', () => {
  it.each([
    ['a refusal, with its words', new RangeError('no more'), 'refused: no more'],
    ['a fault of ours, without its words', new Error('password of the database'), 'fault'],
  ])('ends with %s', async (_what, error, last) => {
    thrown = error;
    const answer = await fetch(app.listeningOrigin);
    expect(await answer.text()).toBe(`retry: 2000\n\ndata: first\n\ndata: ${last}\n\n`);
  });
});

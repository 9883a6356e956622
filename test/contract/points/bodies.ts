import type { Schema } from '../../../apps/console/src/api/named-schema.js';
import { post } from '../../system/webhook.js';
import type { ContractWorld } from '../contract-world.js';

/** Bodies that the webhook accepts, and their outcome. @param shared the running system */
export function holdBodies(shared: () => ContractWorld): void {
  describe('a body that the webhook of the built-in App answers 200', () => {
    let world: ContractWorld;

    beforeAll(() => {
      world = shared();
    });

    const large = 'x'.repeat(40_000);
    const bytesOf = async (id: string): Promise<Buffer> => {
      const answer = await fetch(`${world.origin('portal')}/api/v1/events/${id}/body`, {
        headers: { authorization: `Bearer ${world.apiKey}` },
      });
      expect(answer.status).toBe(200);
      return Buffer.from(await answer.arrayBuffer());
    };

    it.each<[string, string | Buffer]>([
      ['a byte order mark', `\ufeff${JSON.stringify({ task: 'hello' })}`],
      ['5,000 levels', `{"task":"deep","metadata":{"deep":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`],
      ['U+0000 in a text', JSON.stringify({ task: 'a\u0000b' })],
      ['U+0000 in a name', JSON.stringify({ task: 'x', 'a\u0000b': 1 })],
      ['U+0000 in a large one', JSON.stringify({ task: 'a\u0000b', metadata: { large } })],
      ['a lone surrogate', '{"task":"a\\ud800b"}'],
      ['a lone surrogate in a large one', JSON.stringify({ task: 'x', metadata: { large } }).replace('xx', '\\udfff')],
      ['a list', '[1,2,3]'],
      ['a number', '12345678901234567890'],
    ])('is read later, or refused with a reason: %s', async (_what, body) => {
      const { status, id, body: answer } = await post(world.webhookUrl, body);
      if (status !== 200) {
        expect([status >= 400 && status < 500, typeof answer['error'], typeof answer['message']]).toEqual([
          true,
          'string',
          'string',
        ]);
        return;
      }
      const event = await world.ended(id);
      expect(event.outcome).toEqual(expect.any(String));
      expect(event.timeline.filter(({ outcome }) => outcome === 'retrying')).toEqual([]);
      expect((await bytesOf(id)).equals(Buffer.from(body))).toBe(true);
    });

    it.each(['2147483648', '9007199254740993', '1e400', '-1', '0.5'])('names no workflow by %s', async (number) => {
      const { status, body } = await post(world.webhookUrl, `{"workflow_id":${number},"task":"x"}`);
      expect([status === 404 || status === 422, typeof body['message']]).toEqual([true, 'string']);
    });

    it('keeps its digits and its nesting for whoever reads it', async () => {
      const body = '{"task":"count","metadata":{"id":12345678901234567890,"deep":{"a":[[{"b":[1,2,{"c":"d"}]}]]}}}';
      const { id } = await post(world.webhookUrl, body);
      await world.ended(id);
      expect((await bytesOf(id)).toString()).toBe(body);
      const { body: event } = await world.ask<Schema<'EventDetailView'>>('GET', `events/${id}`);
      expect(JSON.stringify(event.messages)).toContain('12345678901234567890');
      expect(JSON.stringify(event.messages)).toContain('"c":"d"');
    });

    it('needs a scope of its own to be read', async () => {
      const { id } = await post(world.webhookUrl, { task: 'mine' });
      await world.ended(id);
      const { body: key } = await world.ask<Schema<'CreatedApiKey'>>('POST', 'api-keys', {
        name: 'reader',
        scopes: ['events:read'],
      });
      const answer = await fetch(`${world.origin('portal')}/api/v1/events/${id}/body`, {
        headers: { authorization: `Bearer ${key.key}` },
      });
      expect(answer.status).toBe(403);
    });

    it('with text and no task is that text', async () => {
      const { id } = await post(world.webhookUrl, { text: 'hello from the docs' });
      const event = await world.ended(id);
      expect(event.messages[0]?.message.message).toBe('hello from the docs');
    });
  });
}

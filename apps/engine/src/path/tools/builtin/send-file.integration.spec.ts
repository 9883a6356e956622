import { deliverySend, type TurnInput } from '#libs/contracts';
import { home, until } from '#libs/testing';
import { type EngineWorld, engineWorld, turnOf } from '../../../testing/engine-world.js';
import { agentOf, turnsOf } from '../../../testing/turns-of.js';

const route = '/internal/adapter-calls/fetch-file';
const target = { app_id: 'app_1', channel_address: 'room-1', thread_id: null, reply_context: null } as const;

describe('a file that an agent sends', () => {
  let world: EngineWorld;
  let agent: string;

  beforeAll(async () => {
    world = await engineWorld();
    await world.start({ GATEWAY_URL: world.services.url, TURN_FILES: 2, TURN_FILE_BYTES: 1_000 });
    agent = await agentOf(world, { tools: ['send_file', 'store_knowledge'] });
  });
  afterAll(() => world.close());

  const call = (name: string, args: object) => ({ name, arguments: JSON.stringify(args) });
  const run = async (calls: { name: string; arguments: string }[][], input: Partial<TurnInput> = {}) => {
    world.model.script(...calls, 'Here it is.');
    const turn = turnOf({ agent_id: agent }, { reply: { ...target, files: true }, ...input });
    const row = await turnsOf(world).run(turn);
    return { turn, row, results: await turnsOf(world).results(turn.turn_id) };
  };
  const offered = (turnId: string) =>
    until('the answer is offered', async () =>
      (await world.waiting(deliverySend)).find(({ turn_id }) => turn_id === turnId),
    );
  const filesOf = async (turnId: string, deliveryId: string): Promise<string[]> => {
    const path = `turns/${turnId}/replies/${deliveryId}/files` as const;
    const { files } = (await world.internal('GET', path)).body;
    return files.map((file) => Buffer.from(file, 'base64').toString());
  };

  it('goes out with its answer, once, however often it is attached', async () => {
    const report = call('send_file', { name: 'report.csv', text: 'day;sum\n1;2' });
    const { turn, row, results } = await run([[report], [report]]);
    expect(row).toMatchObject({ state: 'succeeded', reply_text: 'Here it is.' });
    expect(results[0]).toEqual({ attached: 'report.csv', bytes: 11, files: 1 });
    const { content, delivery_id } = await offered(turn.turn_id);
    expect(content).toEqual({
      text: 'Here it is.',
      attachments: [
        { name: 'report.csv', content_type: 'text/csv; charset=utf-8', size: 11, sha256: expect.any(String) },
      ],
      target: { ...target, files: true },
    });
    expect(await filesOf(turn.turn_id, delivery_id)).toEqual(['day;sum\n1;2']);
  });

  it('may be a document, an attachment of the event, or what a result was shortened to', async () => {
    const { rows } = await world.pool.query(
      `INSERT INTO engine.document (id, organization_id, project_id, title, content, content_sha256, source, trust, audience, provenance)
       VALUES ('doc_terms', $1, $2, 'Terms.pdf', 'pay in 14 days', 'x', 'upload', 'owner', 'known', '{}') RETURNING id`,
      [home.organizationId, home.projectId],
    );
    world.services.on(route, () => ({ content_base64: btoa('the photo'), content_type: 'image/png' }));
    const message = { event_type: 'message', sender: 'ada', message: 'both please', is_bot: false };
    const attachments = [{ id: '7', name: 'cat.png', content_type: 'image/png', fetch_ref: 'm1/7' }];
    const both = [
      [call('send_file', { document_id: rows[0].id })],
      [call('send_file', { attachment_id: '7' })],
      [call('send_file', { document_id: 'doc_none' })],
      [call('send_file', { image: 1 })],
    ];
    const { turn, results } = await run(both, { message: { ...message, metadata: { attachments } } });
    expect(results).toEqual([
      { attached: 'Terms.md', bytes: 14, files: 1 },
      { attached: 'cat.png', bytes: 9, files: 2 },
      { error: { code: 'document_not_found', message: expect.any(String) } },
      { error: { code: 'image_not_found', message: expect.any(String) } },
    ]);
    const { delivery_id } = await offered(turn.turn_id);
    expect(await filesOf(turn.turn_id, delivery_id)).toEqual(['pay in 14 days', 'the photo']);
  });

  it('beyond the number or the bytes of an answer, or of a kind that agents do not write, is refused', async () => {
    const many = ['a.txt', 'b.md', 'c.csv'].map((name) => [call('send_file', { name, text: name })]);
    const { results } = await run(many);
    expect(results[2]).toMatchObject({ error: { code: 'too_many_files' } });
    const large = await run([[call('send_file', { name: 'a.txt', text: 'x'.repeat(1_001) })]]);
    expect(large.results[0]).toMatchObject({ error: { code: 'too_many_files' } });
    expect((await offered(large.turn.turn_id)).content?.attachments).toBeUndefined();
    const text = 'x'.repeat(1_001);
    const { id } = (await world.call('POST', 'knowledge', { title: 'Long', text })).body;
    const long = await run([[call('send_file', { document_id: id })]]);
    expect(long.results[0]).toMatchObject({ error: { code: 'too_many_files' } });
    const wrong = await run([
      [call('send_file', { name: 'run.exe', text: 'MZ' })],
      [call('send_file', { text: 'x', document_id: 'doc_terms' })],
    ]);
    expect(wrong.results.map(({ error }) => error.code)).toEqual(['invalid_arguments', 'invalid_arguments']);
  });

  it('is not for a channel without files: the model is informed before, and when it calls all the same', async () => {
    const { results, row } = await run([[call('send_file', { name: 'a.txt', text: 'a' })]], { reply: target });
    expect(JSON.stringify(world.model.requests.at(-1)?.messages[0])).toContain('This channel takes no files');
    expect(results[0]).toMatchObject({ error: { code: 'channel_takes_no_files' } });
    expect(row).toMatchObject({ state: 'succeeded', reply_text: 'Here it is.' });
    await run([[call('send_file', { name: 'a.txt', text: 'a' })]]);
    expect(JSON.stringify(world.model.requests.at(-1)?.messages[0])).not.toContain('This channel takes no files');
  });

  it('is a change: an untrusted sender gets none, and a rehearsal attaches nothing', async () => {
    const report = [[call('send_file', { name: 'a.txt', text: 'a' })]];
    const stranger = await run(report, { trust: 'unknown' });
    expect(stranger.results[0]).toMatchObject({ error: { code: 'unknown_tool' } });
    const { turn } = await run(report, { rehearsal: true });
    const { rows } = await world.pool.query('SELECT FROM engine.turn_file WHERE turn_id = $1', [turn.turn_id]);
    expect(rows).toEqual([]);
  });
});

import { columnsOf, newId } from '#libs/contracts';
import { addCounts } from '#libs/journal';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JournaledEvents, journaledEvents } from '../../testing/journaled-events.js';
import { caller, type RouterWorld, routerWorld } from '../../testing/router-world.js';

interface Item {
  code: string;
  text: string;
  what_to_do: string;
  count: number;
  resource: { kind: string; id: string | null };
}

let world: RouterWorld;
let events: JournaledEvents;

/** The gateway knows the names of these Apps. */
const names = new Map<string, string>();
const gateway = createServer(({ url = '' }, response) => {
  const name = names.get(url.split('/').at(-1) ?? '');
  response.writeHead(name ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(name ? { name } : { code: 'app_not_found', detail: 'gone' }));
});

beforeAll(async () => {
  world = await routerWorld();
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  events = journaledEvents(world, await world.start({ GATEWAY_URL: url }));
});
afterAll(async () => {
  await world.close();
  await new Promise((resolve) => gateway.close(resolve));
});

const items = async () => (await world.internal<{ data: Item[] }>('GET', 'attention')).body.data;
const died = (appId: string, stage: 'delivery' | 'turn' | 'parsed', reason: string) => {
  const subject_id = stage === 'delivery' ? newId('dlv') : stage === 'turn' ? newId('trn') : null;
  return events.append({ receipt_id: newId('evt'), app_id: appId, stage, outcome: 'dead', reason, subject_id });
};

describe('what needs attention names', () => {
  it('replies that die, turns that fail and messages that cannot be read, by App and with the reason', async () => {
    const [app, other] = [newId('app'), newId('app')];
    names.set(app, 'Orders');
    for (const reason of ['channel_not_found', 'channel_not_found', 'not_in_channel'])
      await died(app, 'delivery', reason);
    await died(app, 'turn', 'context_length');
    await died(other, 'parsed', 'contract_violation');
    const found = await items();
    expect(found.map(({ code, count, resource }) => [code, count, resource.id])).toEqual([
      ['replies_dead', 3, app],
      ...[
        ['turns_dead', 1, app],
        ['dead_letters', 1, other],
      ].toSorted((a, b) => String(a[2]).localeCompare(String(b[2]))),
    ]);
    const textOf = (code: string) => found.find((item) => item.code === code)?.text;
    expect(textOf('replies_dead')).toBe(`Orders: 3 replies were not delivered (most of them: channel_not_found).`);
    expect(textOf('turns_dead')).toBe(
      `Orders: 1 message got no answer (context_length). The conversation is too long for the model, even shortened: choose a model with a larger context.`,
    );
    // Its App was deleted.
    expect(textOf('dead_letters')).toBe(`${other}: 1 message could not be processed (contract_violation).`);
    await world.query("UPDATE journal.dead_letter SET state = 'redriven'");
    expect(await items()).toEqual([]);
  });

  it.each([
    ['parked', 'messages_parked', /^1 message could not be evaluated/],
    ['loop_paused', 'loop_paused', /^1 message came in a suspected loop/],
    ['held_unknown_sender', 'senders_held', /wrote 1 message that is held\.$/],
  ] as const)('messages that are kept as %s', async (outcome, code, text) => {
    await events.event({ outcome, message: {} });
    const found = await items();
    expect(found.map((item) => item.code)).toEqual([code]);
    expect(found[0]?.text).toMatch(text);
    await world.query('UPDATE router.message SET released_at = now()');
    expect(await items()).toEqual([]);
  });

  it.each([
    ['body_too_large', /max_body_bytes/],
    ['rate_limited', /ENDPOINT_RATE_PER_SECOND/],
    ['invalid_json', /send JSON in UTF-8/],
    ['bad_signature', /^Verify the App/],
  ])('requests refused as %s: what to do about that', async (label, what) => {
    const count = { app_id: newId('app'), minute: new Date(), measure: 'refused', label, count: 12 } as const;
    await addCounts(world.pool, [{ ...columnsOf(caller), ...count }]);
    expect(await items()).toMatchObject([{ code: 'requests_refused', count: 12 }]);
    expect((await items())[0]?.what_to_do).toMatch(what);
    await world.query('DELETE FROM journal.statistic');
  });
});

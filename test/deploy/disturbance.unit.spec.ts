import { cells, faults, head, tally } from '../../scripts/disturbance/tally.mjs';
import { endingsOf, warningsOf } from '../../scripts/compose/witness.mjs';

/** A message sent at second `at`, acknowledged at once as `id`, after it was refused at the seconds given. */
const message = (at: number, id: string, ...refusedAt: number[]) => ({
  sentAt: at * 1_000,
  ackedAt: at * 1_000,
  id,
  refused: refusedAt.map(() => '503'),
  refusedAt: (refusedAt.at(-1) ?? 0) * 1_000,
});
const reply = (at: number, keys = 1) => ({ at: at * 1_000, keys });

describe('what became of messages', () => {
  it('is that each was acknowledged and replied to once, where nothing happened', () => {
    const seen = tally([message(1, 'a'), message(2, 'b')], { a: reply(2), b: reply(4) }, 0);
    expect(seen).toMatchObject({ sent: 2, acknowledged: 2, lost: 0, refused: 0, doubled: 0, merged: 0, overMs: 0 });
    expect([seen.p50, seen.longest, faults(seen)]).toEqual([2_000, 2_000, 0]);
  });

  it('counts as lost what has no reply, acknowledged or not', () => {
    const seen = tally([message(1, 'a'), message(2, 'b'), message(3, '', 4)], { a: reply(2) }, 0);
    expect(seen).toMatchObject({ acknowledged: 2, lost: 2, missing: ['b'] });
    expect(faults(seen)).toBe(2);
  });

  it('counts a message as refused once, and each try with its reason', () => {
    const seen = tally([message(1, 'a', 1, 2, 3), message(2, 'b')], { a: reply(4), b: reply(2) }, 0);
    expect(seen).toMatchObject({ refused: 1, why: { 503: 3 } });
    expect(faults(seen)).toBe(0);
  });

  it('counts deliveries of other keys as doubled, and two messages of one event as merged', () => {
    const seen = tally([message(1, 'a'), message(2, 'a')], { a: reply(2, 2) }, 0);
    expect(seen).toMatchObject({ doubled: 2, merged: 1, lost: 0 });
    expect(faults(seen)).toBe(3);
  });

  it('is over with the last refusal, or the last late reply, after the disturbance began', () => {
    const early = message(1, 'a', 2);
    expect(tally([early], { a: reply(3) }, 10_000).overMs).toBe(0);
    expect(tally([early, message(11, 'b', 12, 15)], { a: reply(3), b: reply(15) }, 10_000).overMs).toBe(5_000);
    expect(tally([message(11, 'b')], { b: reply(30) }, 10_000).overMs).toBe(20_000);
  });

  it('is a line of the table with a cell for each column', () => {
    const line = cells('A row', tally([message(1, 'a')], { a: reply(2) }, 0), 1_234);
    expect(line).toHaveLength(head.length);
    expect(line).toEqual(['A row', 1, 1, 0, 0, 0, '1.0', '1.0', '1.0', '0.0', '1.2']);
  });
});

describe('what else happened', () => {
  const line = (level: number, event: string, msg: string) => JSON.stringify({ level, event, msg });

  it('is each warning once, counted, with the words of the first', () => {
    const texts = [
      line(30, 'a', 'fine'),
      line(40, 'b', 'first "quoted"'),
      line(40, 'b', 'second'),
      line(50, 'c', 'bad'),
      'no JSON',
    ];
    expect(warningsOf(texts.map((text) => ({ service: 'router', text })))).toEqual([
      '2 × router warn b: first \\"quoted\\"',
      '1 × router error c: bad',
    ]);
  });

  it('is a container that ended by itself, by force or slowly, and none that ended when it had to', () => {
    const event = (container: string, action: string, at: number, exitCode?: string) => ({
      service: `service ${container}`,
      container,
      action,
      at,
      ...(exitCode && { exitCode }),
    });
    expect(
      endingsOf([
        event('quick', 'kill', 0),
        event('quick', 'die', 900, '0'),
        event('slow', 'kill', 0),
        event('slow', 'die', 12_000, '0'),
        event('stubborn', 'kill', 0),
        event('stubborn', 'kill', 60_000),
        event('stubborn', 'die', 60_100, '137'),
        event('broken', 'die', 5, '1'),
        event('job', 'die', 5, '0'),
      ]),
    ).toEqual([
      'service slow: took 12000 ms to end',
      'service stubborn: was killed, 60100 ms after it had to end',
      'service broken: ended by itself with 1',
    ]);
  });
});

import { derivedId, firstId, idDigits, idTimeMs, newId } from './ids.js';

describe('an id', () => {
  it('is its kind and a UUIDv7, and contains its time', () => {
    const before = Date.now();
    const id = newId('evt');
    expect(id).toMatch(/^evt_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
    expect(idTimeMs(id)).toBeGreaterThanOrEqual(before);
    expect(idTimeMs(newId('sdoc'))).toBeLessThanOrEqual(Date.now() + 1_000);
    for (const none of ['', 'evt_', 'evt_short', 'evt_zzzzzzzzzzzz7000']) expect(idTimeMs(none)).toBeNaN();
  });

  it('sorts after the first id of its time, and before the first one of the next millisecond', () => {
    const nowMs = Date.now() + 30_000;
    const id = newId('evt', nowMs);
    const bounds = [nowMs, nowMs + 1].map((ms) => firstId('evt', new Date(ms)));
    expect([bounds[1]!, id, bounds[0]!].toSorted()).toEqual([bounds[0], id, bounds[1]]);
    expect(idTimeMs(bounds[0]!)).toBe(nowMs);
  });

  it('is unique among a million, in the order in which they were made', () => {
    let last = '';
    const tails = new Set<string>();
    for (let made = 0; made < 1_000_000; made += 1) {
      const id = newId('evt');
      if (id <= last) throw new Error(`${id} after ${last}`);
      last = id;
      tails.add(id.slice(-16));
    }
    // Ids of other processes differ from these only in their random half.
    expect(tails.size).toBe(1_000_000);
  });

  it('stays in order when a millisecond has more ids than its counter holds, and when the clock is set back', () => {
    const now = Date.now() + 60_000;
    const many = Array.from({ length: 10_000 }, () => newId('evt', now));
    many.push(newId('evt', now - 30_000), newId('evt', now + 5));
    expect(many.toSorted()).toEqual(many);
    expect(idTimeMs(many[0]!)).toBe(now);
  });
});

describe('an id of what people set up', () => {
  const made = Array.from({ length: 1_000 }, () => newId('prj'));

  it('has 14 digits, and sorts by its time and after ids of 32 digits', () => {
    const longer = 'prj_01a2248470087000960c2671b0734ed1';
    expect([...made, longer].toSorted()).toEqual([longer, ...made]);
    for (const id of [longer, ...made]) expect(id).toMatch(new RegExp(`^prj_${idDigits('prj')}$`));
    expect(new Set(made.map((id) => id.length))).toEqual(new Set([18]));
  });

  it('is no form of another kind', () => {
    expect(made[0]!.slice(4)).not.toMatch(new RegExp(`^${idDigits('evt')}$`));
  });
});

describe('an id that follows from another', () => {
  const [first, second] = [newId('evt'), newId('evt')];

  it('is the same whenever it is made, and another for another part, kind or origin', () => {
    expect(derivedId('msg', first, 'message', 3)).toBe(derivedId('msg', first, 'message', 3));
    const all = [
      derivedId('msg', first, 'message'),
      derivedId('msg', first, 'message', 1),
      derivedId('msg', second, 'message'),
      derivedId('trn', first, 'message'),
      derivedId('trn', first, 'notice'),
    ].map((id) => id.slice(4));
    expect(new Set(all).size).toBe(all.length);
    for (const id of all) expect(id).toMatch(/^[0-9a-f]{12}7[0-9a-f]{3}8[0-9a-f]{15}$/);
  });

  it('has the time of its origin, and sorts as that does, then by its place', () => {
    const ids = [
      derivedId('msg', first, 'message', 0),
      derivedId('msg', first, 'message', 1),
      derivedId('msg', first, 'message', 200),
      derivedId('msg', second, 'message', 0),
    ];
    expect(ids.toSorted()).toEqual(ids);
    expect(idTimeMs(ids[0]!)).toBe(idTimeMs(first));
    const turns = ids.map((id) => derivedId('trn', id, 'conversation'));
    expect(turns.toSorted()).toEqual(turns);
  });
});

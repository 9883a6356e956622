import { derivedId, firstId, idDigits, type IdForm, idTimeMs, makeIds, newId } from './index.js';

const formOf = (...kinds: Parameters<typeof idDigits>): RegExp =>
  new RegExp(`^(?:${kinds.join('|')})_${idDigits(...kinds)}$`);
const long = 'evt_01a225611244700092add81e1c6757cb';

afterEach(() => makeIds('short'));

describe.each<[IdForm, RegExp]>([
  ['short', /^evt_[0-9a-f]{12}[0-9a-z]{10}$/],
  ['long', /^evt_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/],
])('an id of the %s form', (form, digits) => {
  beforeEach(() => makeIds(form));

  it('is its kind and digits that contain its time', () => {
    const before = Date.now();
    const id = newId('evt');
    expect(id).toMatch(digits);
    expect(id).toMatch(formOf('evt'));
    expect(idTimeMs(id)).toBeGreaterThanOrEqual(before);
    expect(newId('sdoc')).toMatch(formOf('sdoc'));
    for (const none of ['', 'evt_', 'evt_short', 'evt_zzzzzzzzzzzz7000']) expect(idTimeMs(none)).toBeNaN();
  });

  it('sorts after the first id of its time, and before the first one of the next millisecond', () => {
    const nowMs = Date.now() + 30_000;
    const id = newId('evt', nowMs);
    const bounds = [idTimeMs(id), idTimeMs(id) + 1].map((ms) => firstId('evt', new Date(ms)));
    expect([bounds[1]!, id, bounds[0]!].toSorted()).toEqual([bounds[0], id, bounds[1]]);
  });

  it('is unique among a million, in the order in which they were made', () => {
    let last = '';
    const tails = new Set<string>();
    for (let made = 0; made < 1_000_000; made += 1) {
      const id = newId('evt');
      if (id <= last) throw new Error(`${id} after ${last}`);
      last = id;
      tails.add(id.slice(-10));
    }
    // Ids of other processes differ from these only in what is drawn.
    expect(tails.size).toBeGreaterThan(999_990);
  });

  it('stays in order when a millisecond has more ids than it can count, and when the clock is set back', () => {
    const now = Date.now() + 60_000;
    const many = Array.from({ length: 100_000 }, () => newId('evt', now));
    many.push(newId('evt', now - 30_000), newId('evt', now + 50));
    expect(many.toSorted()).toEqual(many);
    expect(new Set(many.map(idTimeMs)).size).toBeLessThan(40);
  });
});

it('of both forms they sort by their time', () => {
  const startMs = Date.now() + 120_000;
  const mixed = Array.from({ length: 100 }, (_, ms) => {
    makeIds(ms % 3 === 0 ? 'long' : 'short');
    return newId('evt', startMs + ms);
  });
  expect(mixed.toSorted()).toEqual(mixed);
  expect(new Set(mixed.map((id) => id.length))).toEqual(new Set([26, 36]));
});

it('of different milliseconds begin to count at different numbers, as those of different processes do', () => {
  const startMs = Date.now() + 240_000;
  const counts = Array.from({ length: 1_000 }, (_, ms) => newId('evt', startMs + ms).slice(16, 19));
  expect(new Set(counts).size).toBeGreaterThan(900);
});

describe('an id of what people set up', () => {
  const made = Array.from({ length: 1_000 }, () => newId('prj'));

  it('has 14 digits, and sorts by its time and after ids of 32 digits', () => {
    const longer = 'prj_01a2248470087000960c2671b0734ed1';
    expect([...made, longer].toSorted()).toEqual([longer, ...made]);
    for (const id of [longer, ...made]) expect(id).toMatch(formOf('prj'));
    expect(new Set(made.map((id) => id.length))).toEqual(new Set([18]));
  });

  it('is no form of another kind, nor the form of that one of it', () => {
    expect(made[0]!.replace('prj', 'evt')).not.toMatch(formOf('evt'));
    expect(newId('evt').replace('evt', 'prj')).not.toMatch(formOf('prj'));
  });
});

describe.each<IdForm>(['short', 'long'])('an id that follows from another one of the %s form', (form) => {
  makeIds(form);
  const [first, second] = [newId('evt'), newId('evt')];
  makeIds('short');

  it('is the same whenever it is made, and another for another part, kind or origin', () => {
    expect(derivedId('msg', first, 'message', 3)).toBe(derivedId('msg', first, 'message', 3));
    const all = [
      derivedId('msg', first, 'message'),
      derivedId('msg', first, 'message', 1),
      derivedId('msg', second, 'message'),
      derivedId('trn', first, 'message'),
      derivedId('trn', first, 'notice'),
    ];
    expect(new Set(all.map((id) => id.slice(4))).size).toBe(all.length);
    for (const id of all) expect(id).toMatch(formOf('msg', 'trn'));
    expect(new Set(all.map((id) => id.length))).toEqual(new Set([form === 'short' ? 29 : 36]));
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

it('what follows from an id of an earlier release is what that release made of it', () => {
  const message = derivedId('msg', long, 'message', 2);
  expect(message).toBe('msg_01a22561124470008002eb0d38cf436a');
  expect(derivedId('trn', message, 'conversation')).toBe('trn_01a225611244700080028188605b01ae');
  expect(derivedId('wai', 'trg_mx1ag79jzfrctm', '0.1')).toBe('wai_mx1ag79jzfrctm0080009d9d19be0ba4');
});

it('5,000 ids that follow from one in the short form are different, and the first 1,296 sort by their place', () => {
  const event = newId('evt');
  const all = Array.from({ length: 5_000 }, (_, at) => derivedId('msg', event, 'message', at));
  expect(new Set(all).size).toBe(all.length);
  const first = all.slice(0, 36 ** 2);
  expect(first.toSorted()).toEqual(first);
});

it('a million ids that follow from as many of one process are different', () => {
  const all = new Set<string>();
  for (let made = 0; made < 1_000_000; made += 1) all.add(derivedId('msg', newId('evt'), 'message', 0));
  expect(all.size).toBe(1_000_000);
});

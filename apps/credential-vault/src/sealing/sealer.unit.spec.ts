import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { DoesNotOpen } from './aead.js';
import { associatedData } from './associated-data.js';
import { KekRing, readKekRing } from './kek-ring.js';
import { DekCache, Sealer, type SealingPlace } from './sealer.js';
import { Secret } from './secret.js';

const [k1, k2] = [randomBytes(32), randomBytes(32)];
const sealerWith = (primary: string, ...keys: [string, Buffer][]): Sealer =>
  new Sealer(new KekRing(primary, new Map(keys)), new DekCache(60_000, 100));
const place: SealingPlace = { organizationId: 'org_1', credentialId: 'cred_1', type: 'text', generation: 3 };
const fields = new Map([
  ['user', new Secret('someone')],
  ['password', new Secret('hunter2')],
]);

describe('Sealer', () => {
  const sealer = sealerWith('k1', ['k1', k1]);

  it('opens what it sealed, in its place', async () => {
    const opened = await sealer.open(place, await sealer.seal(place, fields));
    expect(Object.fromEntries([...opened].map(([name, secret]) => [name, secret.reveal()]))).toEqual({
      user: 'someone',
      password: 'hunter2',
    });
  });

  it.each<[string, Partial<SealingPlace>]>([
    ['organization', { organizationId: 'org_2' }],
    ['row', { credentialId: 'cred_2' }],
    ['type', { type: 'api_key' }],
    ['generation', { generation: 4 }],
  ])('does not open a value moved to another %s, also with a warm cache', async (_what, moved) => {
    const sealed = await sealer.seal(place, fields);
    await sealer.open(place, sealed);
    await expect(sealer.open({ ...place, ...moved }, sealed)).rejects.toThrow(DoesNotOpen);
  });

  it('does not open a value moved to another field', async () => {
    const sealed = await sealer.seal(place, fields);
    const swapped = new Map([['user', sealed.fields.get('password')!]]);
    await expect(sealer.open(place, { ...sealed, fields: swapped })).rejects.toThrow(DoesNotOpen);
  });

  it('does not open changed bytes, whichever byte it is', async () => {
    const sealed = await sealer.seal(place, new Map([['a', new Secret('x')]]));
    const bytes = sealed.fields.get('a')!;
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      await expect(sealer.open(place, { ...sealed, fields: new Map([['a', changed]]) })).rejects.toThrow(DoesNotOpen);
    }
  });

  it('seals the same value to different bytes every time, with a leading format byte', async () => {
    const [a, b] = [await sealer.seal(place, fields), await sealer.seal(place, fields)];
    expect(a.fields.get('user')![0]).toBe(1);
    expect(a.fields.get('user')).not.toEqual(b.fields.get('user'));
  });

  it('opens under a ring in which the key is no longer primary, and not without the key', async () => {
    const sealed = await sealer.seal(place, fields);
    expect((await sealerWith('k2', ['k1', k1], ['k2', k2]).open(place, sealed)).get('user')?.reveal()).toBe('someone');
    await expect(sealerWith('k2', ['k2', k2]).open(place, sealed)).rejects.toThrow(DoesNotOpen);
    await expect(sealerWith('k1', ['k1', k2]).open(place, sealed)).rejects.toThrow(DoesNotOpen);
  });
});

describe('associatedData', () => {
  it('gives no two lists of parts the same bytes', () => {
    expect(associatedData(['ab', 'c'])).not.toEqual(associatedData(['a', 'bc']));
    expect(associatedData(['a', ''])).not.toEqual(associatedData(['a']));
  });
});

describe('DekCache', () => {
  it('holds a bounded number of keys, the newest ones', () => {
    const cache = new DekCache(60_000, 2);
    for (const id of ['a', 'b', 'c']) cache.set(id, Buffer.from(id));
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([null, Buffer.from('b'), Buffer.from('c')]);
  });

  it('forgets a key after its lifetime', () => {
    const cache = new DekCache(0, 2);
    cache.set('a', Buffer.from('a'));
    expect(cache.get('a')).toBeNull();
  });
});

describe('Secret', () => {
  it('prints [redacted] however it is printed', () => {
    const secret = new Secret('canary');
    const printed = [
      `${secret}`,
      JSON.stringify({ secret }),
      inspect({ secret }),
      inspect(secret, { showHidden: true }),
      String(secret),
    ];
    for (const text of printed) expect(text).not.toContain('canary');
    expect(`${secret}`).toBe('[redacted]');
  });
});

describe('readKekRing', () => {
  const key = k1.toString('base64');

  it('reads a primary and its keys', () => {
    expect(readKekRing({ primary: 'a', keys: { a: key } }, { production: true }).kids).toEqual(['a']);
  });

  it('refuses in production the key that the launcher generated, and accepts it elsewhere', () => {
    const ring = { primary: 'a', keys: { a: key }, local: true };
    expect(() => readKekRing(ring, { production: true })).toThrow(/NODE_ENV is production/);
    expect(readKekRing(ring, { production: false }).primary).toBe('a');
  });

  it.each([
    ['no primary', { keys: { a: key } }],
    ['a primary that is not in the ring', { primary: 'b', keys: { a: key } }],
    ['a short key', { primary: 'a', keys: { a: randomBytes(16).toString('base64') } }],
    ['nothing', null],
  ])('refuses %s and does not show the key', (_what, ring) => {
    let message = '';
    try {
      readKekRing(ring, { production: false });
    } catch (error) {
      message = String(error);
    }
    expect(message).not.toBe('');
    expect(message).not.toContain(key);
  });
});

import { createHmac, randomBytes } from 'node:crypto';
import { hmac, type HmacAlgorithm } from './one-shot-hmac.js';

describe('the HMAC of a message', () => {
  // RFC 4231, test cases 1, 2, 3 and 6 (a key that is longer than a block).
  it.each([
    ['0b'.repeat(20), '4869205468657265', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
    [
      '4a656665',
      '7768617420646f2079612077616e7420666f72206e6f7468696e673f',
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ],
    ['aa'.repeat(20), 'dd'.repeat(50), '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe'],
    [
      'aa'.repeat(131),
      Buffer.from('Test Using Larger Than Block-Size Key - Hash Key First').toString('hex'),
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    ],
  ])('is that of RFC 4231 (key %s)', (key, message, digest) => {
    expect(hmac('sha256', Buffer.from(key, 'hex'), Buffer.from(message, 'hex')).toString('hex')).toBe(digest);
  });

  const lengths = [0, 1, 55, 56, 63, 64, 65, 127, 128, 129, 1_024, 16_383, 16_384, 16_385, 100_000];
  it.each<HmacAlgorithm>(['sha1', 'sha256', 'sha512'])(
    'is what createHmac computes with %s, whatever the lengths',
    (by) => {
      for (const length of lengths) {
        for (const keyLength of [0, 1, 20, 63, 64, 65, 127, 128, 129]) {
          const [key, message] = [randomBytes(keyLength), randomBytes(length)];
          const expected = createHmac(by, key).update(message).digest('hex');
          const cut = Math.floor(length / 3);
          expect([keyLength, length, hmac(by, key, message).toString('hex')]).toEqual([keyLength, length, expected]);
          expect(hmac(by, key, message.subarray(0, cut), message.subarray(cut)).toString('hex')).toBe(expected);
        }
      }
    },
  );
});

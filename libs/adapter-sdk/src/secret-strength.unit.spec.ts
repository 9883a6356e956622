import { createHmac } from 'node:crypto';
import { refuseUnprotected, secretWeakness, strongSecrets, verifyHmac, verifyStandardWebhooks } from './index.js';

const body = '{"task":"a"}';
const whsec = (bytes: Buffer): string => `whsec_${bytes.toString('base64')}`;
const hmacHex = (key: string): string => createHmac('sha256', key).update(body).digest('hex');

/** What people type to get on, and kin of it. */
const guessable = (
  'password Password1 p4ssw0rd P@$$word! passwordpassword passwort123 admin:password 12345678 87654321 1234567890 ' +
  '123123123 11112222 12341234 1-2-3-4-5-6-7-8 qwertyui qwerty123 asdfasdf 1q2w3e4r 1qaz2wsx abcdefgh abc12345 ' +
  'abababab my-secret super_secret test-secret webhook-secret mysigningsecret2026 secret-key-1 topsecret letmein1 ' +
  'iloveyou trustno1 ｐａｓｓｗｏｒｄ 0123456789abcdef0123456789abcdef'
).split(' ');

describe('a secret', () => {
  it.each<[string, string]>([
    ['', 'is empty'],
    ['        ', 'is empty'],
    ['\n\t\u200b\u2060\ufeff\u00ad\u200d', 'is empty'],
    ['********', 'neither a letter nor a digit'],
    ['••••••••••••', 'neither a letter nor a digit'],
    ['a', 'has 1 bytes'],
    ['seven77', 'has 7 bytes'],
    ['a      \u200b\u200b\n\n\n', 'has 1 bytes'],
    ['short\0\0\0\0\0\0\0\0', 'has 5 bytes'],
    ...guessable.map((secret): [string, string] => [secret, 'is among the first']),
  ])('of the text %j cannot protect: it %s', (secret, words) => {
    expect(secretWeakness(secret)).toContain(words);
    expect(strongSecrets([secret])).toEqual([]);
    expect(verifyHmac({ secret, payload: body, signature: hmacHex(secret) })).toBe(false);
    expect(refuseUnprotected('signing_secret', secret)).toMatchObject({ ok: false });
  });

  it.each([
    ['whsec_', 'decodes to no bytes'],
    ['***', 'is not base64'],
    ['whsec_***', 'is not base64'],
    [whsec(Buffer.from('secretpassword123')), 'is among the first'],
    ['whsec_not base64 but long enough', 'is not base64'],
    [whsec(Buffer.from('a')), 'decodes to 1 bytes'],
    [whsec(Buffer.from('fifteen bytes..')), 'decodes to 15 bytes'],
    [whsec(Buffer.alloc(32)), 'decodes to no bytes'],
    [whsec(Buffer.from('tail\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0')), 'decodes to 4 bytes'],
  ])('of Standard Webhooks like %j cannot protect: it %s', (secret, words) => {
    expect(secretWeakness(secret, 'standard-webhooks')).toContain(words);
    const time = String(Math.floor(Date.now() / 1_000));
    const lenient = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    for (const key of [lenient, Buffer.alloc(0), Buffer.from(secret)]) {
      const signature = createHmac('sha256', key).update(`m.${time}.${body}`).digest('base64');
      const headers = { 'webhook-id': 'm', 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` };
      const error = expect.stringMatching(/^(weak_secret|not_configured)$/);
      expect(verifyStandardWebhooks({ secret, headers, body })).toMatchObject({ ok: false, error });
    }
  });

  it('protects when it is long enough, in every form that senders use', () => {
    const words = [
      'a secret',
      'ein Schlüssel',
      ' a secret with space ',
      'correct horse battery',
      'github-secret-of-acme',
    ];
    const random = ['8f742231b10e8888abcd99yyyzzz85a5', '4820193847561029', 'secret-48201938', 'Zm9vYmFyYmF6cXV4'];
    for (const secret of [...words, ...random]) {
      expect(secretWeakness(secret)).toBeNull();
      expect(verifyHmac({ secret, payload: body, signature: hmacHex(secret) })).toBe(true);
    }
    const key = Buffer.from('ff'.repeat(24), 'hex');
    for (const secret of [whsec(key), key.toString('base64url'), `${whsec(key)}\n`, whsec(key.subarray(0, 16))]) {
      expect(secretWeakness(secret, 'standard-webhooks')).toBeNull();
    }
  });

  it('that cannot protect does not open the door beside one that can', () => {
    const secret = ['', 'a', 'a secret that both know'];
    expect(verifyHmac({ secret, payload: body, signature: hmacHex('a') })).toBe(false);
    expect(verifyHmac({ secret, payload: body, signature: hmacHex('a secret that both know') })).toBe(true);
  });
});

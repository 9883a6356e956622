import { excerptWithoutKey } from './without-key.js';

const key = 'sk-live-51H8xQ2eZvKYlo2C';

describe('what an endpoint sent', () => {
  it.each([
    ['whole', key],
    ['in capitals', key.toUpperCase()],
    ['after a scheme', `Bearer ${key}`],
    ['cut', key.slice(0, 14)],
    ['its end', key.slice(-10)],
    ['in a longer word', `token=${key}&x=1`],
    ['as basic authorization', `Basic ${Buffer.from(`user:${key}`).toString('base64')}`],
    ['encoded with another user', `Basic ${Buffer.from(`user1:${key}`).toString('base64')}`],
    ['encoded with a third one', `Basic ${Buffer.from(`user12:${key}`).toString('base64')}`],
  ])('is shown without a key that it repeats %s', (_how, quoted) => {
    const shown = excerptWithoutKey(`{"detail":"no access for ${quoted} today"}`, key, 500);
    expect(shown).toContain('no access for');
    expect(shown).toContain('[redacted]');
    expect(shown).toContain('today');
    for (let at = 0; at + 8 <= quoted.length; at += 1) {
      if (quoted.slice(at, at + 8).includes(' ') || 'Bearer Basic'.includes(quoted.slice(at, at + 5))) continue;
      expect(shown).not.toContain(quoted.slice(at, at + 8));
    }
  });

  it('hides a key that lies across the end of what is shown, and one with signs', () => {
    expect(excerptWithoutKey(`${'x '.repeat(48)}${key}`, key, 100)).toBe(`${'x '.repeat(48)}[red`);
    expect(excerptWithoutKey('the key a!b c"d9 is old', 'a!b c"d9', 100)).toBe('the key [redacted] is old');
    expect(excerptWithoutKey(`at ?key=${encodeURIComponent('a!b c"d9é')}`, 'a!b c"d9é', 100)).toBe(
      'at ?key=[redacted]',
    );
  });

  it('is as it was where it repeats no key, up to the length that is shown', () => {
    const text = '<html><title>502 Bad Gateway</title> nginx/1.27.3';
    expect(excerptWithoutKey(text, key, 500)).toBe(text);
    expect(excerptWithoutKey(text, null, 20)).toBe(text.slice(0, 20));
    expect(excerptWithoutKey('a bad day', 'bad', 500)).toBe('a bad day');
  });
});

import { setId } from './jobs/set-id.js';
import { textHash } from './jobs/outbound-sent.js';

describe('the hash of a text', () => {
  const text = 'Your order No. 4711 is on its way to Zürich';

  it('is the same however a provider renders the text', () => {
    const hash = textHash(text);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    for (const same of [
      `*${text}*`,
      text.toUpperCase(),
      text.normalize('NFD'),
      ` ${text.replaceAll(' ', '\u00a0')}…`,
    ]) {
      expect(textHash(same)).toBe(hash);
    }
    expect(textHash(text.replace('4711', '4712'))).not.toBe(hash);
  });

  it('is null for what a person may also say: it counts from 24 letters and digits on', () => {
    expect(textHash('Thanks!')).toBeNull();
    expect(textHash('a'.repeat(23))).toBeNull();
    expect(textHash('a'.repeat(24))).not.toBeNull();
    expect(textHash('. '.repeat(100))).toBeNull();
  });
});

describe('the id of a set', () => {
  it('depends on its members, not on their order', () => {
    expect(setId(['b', 'a'])).toBe(setId(['a', 'b']));
    expect(setId(['a', 'b'])).not.toBe(setId(['a', 'c']));
  });
});

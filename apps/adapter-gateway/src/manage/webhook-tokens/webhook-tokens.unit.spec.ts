import { randomBytes } from 'node:crypto';
import { sealingKeys } from '../../env.js';
import { TokenSeal } from './token-seal.js';

const [first, second] = [randomBytes(32), randomBytes(32)];

describe('the seal of a token', () => {
  const seal = new TokenSeal([first]);

  it('opens for its App only, unmodified and with its key', () => {
    const sealed = seal.seal('app_1', 'the token');
    expect(sealed.toString('latin1')).not.toContain('the token');
    expect(seal.open('app_1', sealed)).toBe('the token');
    expect(seal.open('app_2', sealed)).toBeNull();
    expect(new TokenSeal([second]).open('app_1', sealed)).toBeNull();
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      expect(seal.open('app_1', changed)).toBeNull();
    }
    expect([seal.open('app_1', null), seal.open('app_1', Buffer.alloc(3))]).toEqual([null, null]);
  });

  it('is made by the first key and opened by all, so that keys can be replaced', () => {
    const both = new TokenSeal([second, first]);
    expect(both.open('app_1', seal.seal('app_1', 'older'))).toBe('older');
    expect(new TokenSeal([second]).open('app_1', both.seal('app_1', 'newer'))).toBe('newer');
  });

  it('needs keys of 32 bytes, and an error names the setting but not its value', () => {
    expect(sealingKeys('KEY', `${first.toString('base64')}, ${second.toString('base64')}`)).toEqual([first, second]);
    for (const value of [undefined, '', 'hunter2']) {
      expect(() => sealingKeys('KEY', value)).toThrow('KEY');
      expect(() => sealingKeys('KEY', value)).not.toThrow('hunter2');
    }
  });
});

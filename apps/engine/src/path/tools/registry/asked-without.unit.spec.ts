import { askedWithout } from './registry-tool.js';

const bank = { credential_id: 'cred_1', as: 'bank', skill_id: 'skl_1', hosts: ['*.bank.example'] };
const shop = { credential_id: 'cred_2', as: 'shop', skill_id: 'skl_1' };
const asked = (origin: string, ...credentials: string[]) => ({ origin, credentials });

describe('requests of a Python tool', () => {
  it('to the host of a credential are reported until that one was read, whatever else was', () => {
    const note = askedWithout([asked('https://api.bank.example', 'shop')], [bank, shop]);
    expect(note).toContain('api.bank.example without a credential');
    expect(note).toContain('credential("bank"), which goes to *.bank.example');
    expect(note).not.toContain('credential("shop")');
    expect(askedWithout([asked('https://api.bank.example', 'bank')], [bank, shop])).toBeNull();
  });

  it('to any other host are reported until some credential was read', () => {
    expect(askedWithout([asked('https://else.example')], [bank, shop])).toMatch(/bank.*shop/);
    expect(askedWithout([asked('https://else.example', 'bank')], [bank, shop])).toBeNull();
  });

  it('are not reported for a tool without credentials, and each host is named once', () => {
    expect(askedWithout([asked('https://else.example')], [])).toBeNull();
    expect(askedWithout(undefined, [bank])).toBeNull();
    const note = askedWithout([asked('https://a.example'), asked('https://a.example', 'other')], [shop]);
    expect(note?.match(/a\.example/g)).toHaveLength(1);
  });
});

import { manifestProblems } from './manifest-problems.js';

const declaration = { key: 'TOKEN', type: 'api_key', label: 'Token', maps_to: 'token' };
const manifest = {
  schema_version: '1.0',
  slug: 'acme',
  name: 'Acme',
  description: 'Messages of Acme.',
  category: 'communication',
  capabilities: ['send'],
  credentials: [declaration],
};
const wrongIn = (changes: object): string[] => manifestProblems({ ...manifest, ...changes }).map(({ field }) => field);
const wrongName = (name: string): string[] => [
  ...wrongIn({ credentials: [{ ...declaration, key: name }] }),
  ...wrongIn({ credentials: [{ ...declaration, maps_to: name }] }),
  ...wrongIn({ events: [{ type: name }] }),
];

describe('a name that a manifest looks things up by', () => {
  it.each([
    '',
    ' token',
    'token\u00a0',
    'to\nken',
    'to\u2028ken',
    'to\u0000ken',
    'to\u200bken',
    'to\u200dken',
    'to\u00adken',
    'token\u202e',
    '\u2066token\u2069',
    'token\u061c',
    'token\ufe0f',
    'token\u{e0041}',
    '\u3164',
    'k'.repeat(201),
  ])('is refused where not all of it shows: %j', (name) => {
    expect(wrongName(name)).toEqual(['credentials[0].key', 'credentials[0].maps_to', 'events[0].type']);
  });

  it.each(['token', 'TOKEN', 'api.token', 'smtp-config', 'issue opened', 'größe', '鍵', 'toString', 'k'.repeat(200)])(
    'may be any other: %j',
    (name) => {
      expect(wrongName(name)).toEqual([]);
    },
  );
});

describe('an address that a manifest has the platform call', () => {
  const fields = ['authorization_url', 'token_url', 'revocation_url', 'issuer'];
  const wrongAddress = (address: unknown): string[] =>
    wrongIn({ oauth_config: Object.fromEntries(fields.map((field) => [field, address])) });

  it.each([
    '',
    'acme.example',
    '//acme.example',
    '/token',
    'ftp://acme.example/token',
    'ws://acme.example',
    'about:blank',
    'mailto:me@acme.example',
    'https://',
    'https://user@acme.example',
    'https://user:pass@acme.example',
    'https://acme.example/#token',
    'https://acme .example',
    'https://[::1',
    'https://acme.example:99999',
    `https://acme.example/${'a'.repeat(2_048)}`,
    7,
    null,
  ])('is refused where it is none: %j', (address) => {
    expect(wrongAddress(address)).toEqual(fields.map((field) => `oauth_config.${field}`));
  });

  it.each([
    'https://acme.example/token?a=b',
    'http://127.0.0.1:8080/token',
    'https://bücher.example',
    'HTTPS://ACME.example',
  ])('may be any other: %j', (address) => {
    expect(wrongAddress(address)).toEqual([]);
  });

  it('is refused with the reason, and not repeated, where it runs code', () => {
    const [first, ...more] = manifestProblems({ ...manifest, oauth_config: { token_url: 'javascript:alert(1)' } });
    expect(first).toEqual({ field: 'oauth_config.token_url', message: expect.stringContaining('http or https') });
    expect(JSON.stringify([first, ...more])).not.toContain('alert');
  });
});

describe('a list in a manifest', () => {
  const hostsOf = (hosts: unknown) => manifestProblems({ ...manifest, credentials: [{ ...declaration, hosts }] });

  it('is refused by each of its entries that is wrong, and says what it has to be', () => {
    const problems = hostsOf(['api.acme.example', '*', 'a.acme.example:70000', '[::1]:8443', 'https://acme.example']);
    expect(problems.map(({ field }) => field)).toEqual([1, 2, 4].map((at) => `credentials[0].hosts[${at}]`));
    for (const { message } of problems) expect(message).toMatch(/^must be a host, .*api\.example\.com.*, not a text$/);
    expect(wrongIn({ capabilities: ['send', 'fly'] })).toEqual(['capabilities[1]']);
  });

  it('says how many entries it has where they are too many, and what it is where it is none', () => {
    const many = hostsOf(Array.from({ length: 300 }, (_, at) => `h${at}.example`));
    expect(many.map(({ message }) => message)).toEqual(['must be a list of at most 20 hosts, not one of 300']);
    expect(hostsOf('acme.example').map(({ message }) => message)).toEqual([
      'must be a list of at most 20 hosts, not a text',
    ]);
  });
});

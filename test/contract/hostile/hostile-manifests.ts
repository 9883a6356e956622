const credential = { key: 'TOKEN', type: 'api_key', label: 'Token', maps_to: 'token' };
const declared = (...changes: object[]) => ({ credentials: changes.map((change) => ({ ...credential, ...change })) });
const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

/** What no manifest may bring, with the field that is named; null: the whole. */
export const hostileManifests: [string, object, string | null][] = [
  [
    'a field that every object has',
    { author: JSON.parse('{"name":"x","__proto__":{"admin":true}}') },
    'author.__proto__',
  ],
  ['one among fields that nobody knows', { more: { constructor: { prototype: 1 } } }, 'more.constructor'],
  ['a value that would become such a field', declared({ maps_to: 'prototype' }), 'credentials[0].maps_to'],
  ['a name that turns its line around', declared({ key: 'TOKEN\u202e' }), 'credentials[0].key'],
  ['two names that look alike', declared({}, { key: 'TO\u200bKEN', maps_to: 'other' }), 'credentials[1].key'],
  ['a name with a line break', declared({ maps_to: 'token\nx' }), 'credentials[0].maps_to'],
  ['a name of 10,000 letters', declared({ key: 'K'.repeat(10_000) }), 'credentials[0].key'],
  ['an event that is named by nothing', { events: [{ type: '\u3164' }] }, 'events[0].type'],
  ['an author whose page is code', { author: { name: 'x', url: 'javascript:alert(1)' } }, 'author.url'],
  ['an icon that is a document', { icon: 'data:image/svg+xml,<svg/>' }, 'icon'],
  ['a step that is code', { setup_instructions: ['Do [this](javascript:alert(1)).'] }, 'setup_instructions[0]'],
  ['tokens of a file', { oauth_config: { token_url: 'file:///etc/passwd' } }, 'oauth_config.token_url'],
  ['tokens of no URL', { oauth_config: { token_url: 'tokens.example' } }, 'oauth_config.token_url'],
  ['tokens by FTP', { oauth_config: { token_url: 'ftp://a.example/token' } }, 'oauth_config.token_url'],
  ['a password in a URL', { oauth_config: { issuer: 'https://user:pass@a.example' } }, 'oauth_config.issuer'],
  [
    'consents of code',
    { oauth_config: { authorization_url: 'javascript:alert(1)' } },
    'oauth_config.authorization_url',
  ],
  ...[
    '*',
    '*.com',
    'a..example',
    'https://a.example',
    'a.example/path',
    'a example',
    'a.example:port',
    'ａ.example',
  ].map((host): [string, object, string] => [
    `the host ${host}`,
    declared({ hosts: [host] }),
    'credentials[0].hosts[0]',
  ]),
  ['more hosts than one can read', declared({ hosts: Array(1_000).fill('a.example') }), 'credentials[0].hosts'],
  ['300,000 letters', { description: 'x'.repeat(300_000) }, null],
  ['100 levels', { more: deep(100) }, null],
  ['20,000 fields', { more: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`field ${n}`, n])) }, null],
  ['half a character', { description: 'x\ud800' }, null],
];

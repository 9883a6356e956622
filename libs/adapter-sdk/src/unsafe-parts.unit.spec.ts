import { growth } from '../../testing/src/index.js';
import { unsafeParts } from './unsafe-parts.js';

const fieldsOf = (value: unknown): string[] => unsafeParts(value).map(({ field }) => field);

describe('what must not be kept', () => {
  it.each(['__proto__', 'constructor', 'prototype'])('is a field named %s, at any depth, with its place', (name) => {
    const value: unknown = JSON.parse(`{"a":{"list":[{"ok":1},{"${name}":{"admin":true}}]}}`);
    expect(unsafeParts(value)).toEqual([
      { field: `a.list[1].${name}`, message: expect.stringContaining(`must not be named ${name}`) },
    ]);
    expect(fieldsOf(JSON.parse(`{"${name}":1}`))).toEqual([name]);
    expect(fieldsOf({ credentials: [{ key: 'K', maps_to: name }] })).toEqual(['credentials[0].maps_to']);
    expect(fieldsOf({ webhook: { verification: { secret_fields: ['token', name] } } })).toEqual([
      'webhook.verification.secret_fields[1]',
    ]);
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' \u0001javascript:alert(1)',
    'java\tscr\nipt:alert(1)',
    'java\u200bscript:alert(1)',
    '&#106;avascript:alert(1)',
    '&#x6A;avascript&colon;alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'data:image/svg+xml;base64,PHN2Zz4=',
    'vbscript:msgbox(1)',
    'blob:https://example.com/1',
    'file:///etc/passwd',
    ' java\tscript:alert(1)',
  ])('is the address %j', (address) => {
    const value = {
      author: { name: 'x', url: address },
      icon: address,
      links: [address],
      oauth_config: { token_url: address },
    };
    expect(fieldsOf(value)).toEqual(['author.url', 'icon', 'links[0]', 'oauth_config.token_url']);
    expect(fieldsOf({ uri: address, websiteUrl: address, return_to: address, issuer: address })).toHaveLength(4);
    expect(JSON.stringify(unsafeParts(value))).not.toContain('alert');
  });

  it('is a link in a text that people read', () => {
    for (const text of [
      '[here](javascript:alert(1))',
      '<javascript:alert(1)>',
      '[a]: data:text/html,x',
      '<a href="vbscript:x">',
      '<a href="java&#9;script:alert(1)">',
      '<a href="java\tscript:alert(1)">',
      '[here](<java\tscript:alert(1)>)',
      '[here](java&#9;script:alert(1))',
      '[here](javascript\\:alert(1))',
      `[here](${' '.repeat(100)}&#106;avascript:alert(1))`,
      '> [a]: vbscript:x',
    ]) {
      expect(fieldsOf({ setup_instructions: ['fine', text] })).toEqual(['setup_instructions[1]']);
      expect(fieldsOf({ skill: { knowledge: `Read this.\n${text}` } })).toEqual(['skill.knowledge']);
    }
    expect(fieldsOf({ setup_instructions: ['javascript:alert(1)'] })).toEqual(['setup_instructions[0]']);
  });

  it('is nothing that only looks like it', () => {
    expect(
      unsafeParts({
        name: 'JavaScript: the good parts',
        description: 'Data: five rows. The constructor is called javascript.',
        icon: 'mail',
        url: 'https://example.com/?next=javascript:1',
        reply_address: 'room 7',
        uri: 'urn:isbn:1',
        arguments: JSON.parse('{"constructor":"Ferrari","url":"data:,x"}') as unknown,
        events: [{ type: 'x', sample: { constructor: 1, url: 'data:,x' } }],
        setup_instructions: ['Open [the page](https://example.com) and data: copy.'],
      }),
    ).toEqual([]);
  });

  it('is found in a deep or a large value too, with a bounded answer', () => {
    let deep: unknown = { url: 'data:,x' };
    for (let level = 0; level < 20_000; level += 1) deep = { a: deep };
    const [problem] = unsafeParts(deep);
    expect(problem?.field).toMatch(/^a(\.a)*\.?…$/);
    expect(problem?.field.length).toBeLessThan(400);
    expect(unsafeParts({ links: Array(10_000).fill('data:,x') })).toHaveLength(10);
  });

  it.each([' ', '\n', '[', '](', '<', '&#'])('is looked for in linear time: %j again and again', (text) => {
    const growing = growth(
      40_000,
      (times) => text.repeat(times),
      (knowledge) => unsafeParts({ knowledge }),
    );
    expect(growing).toBeLessThan(1.5);
  });
});

import type { CallToolResult } from '@modelcontextprotocol/client';
import { growth } from '#libs/testing';
import { randomBytes } from 'node:crypto';
import { readResult } from './call-result.js';

const read = (texts: string[], structuredContent?: Record<string, unknown>) =>
  readResult(
    { content: texts.map((text) => ({ type: 'text', text })), ...(structuredContent ? { structuredContent } : {}) },
    100_000,
  );
const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(20_000)]);
const long = `${'A long text, with "quotes" and\nlines. '.repeat(500)}`;

describe('structured content', () => {
  const rows = [
    { id: 1, name: 'a' },
    { id: 2, name: 'b' },
  ];
  it.each<[string, string[], Record<string, unknown>]>([
    ['as its JSON', [JSON.stringify({ b: 1, a: [2] })], { a: [2], b: 1 }],
    ['as its JSON with indents', [JSON.stringify({ rows }, null, 2)], { rows }],
    ['beside other texts', ['Found two rows.', JSON.stringify({ rows })], { rows }],
    ['as its only text', [long], { content: long }],
    ['as its only text, with white space around it', [`${long}\n`], { result: long }],
    ['as the JSON of its only member', [JSON.stringify(rows)], { result: rows }],
    ['as a block for each element', rows.map((row) => JSON.stringify(row)), { result: rows }],
    ['as a block for each text', ['one', 'two'], { result: ['one', 'two'] }],
    ['as its only number', ['42'], { result: 42 }],
    ['of binary, which both name', [`{"data":"${png.toString('base64')}"}`], { data: png.toString('base64') }],
  ])('that the text repeats is left out: %s', (_how, texts, structured) => {
    expect(read(texts, structured)).not.toHaveProperty('structured');
    expect(read(texts, structured).truncated).toBe(false);
  });

  it('names the long texts that are there anyway', () => {
    const files = [{ path: 'a', text: long }];
    const named = { files: [{ path: 'a', text: '[the text above]' }], lines: 500, short: 'x' };
    expect(read([`${long}\n`, 'x'], { files, lines: 500, short: 'x' }).structured).toEqual(named);
  });

  it.each<[string, string[], Record<string, unknown>]>([
    ['nothing of it', [], { n: 1 }],
    ['other values', [JSON.stringify({ n: 1 })], { n: 2 }],
    ['fewer elements', [JSON.stringify(rows[0])], { result: rows }],
  ])('is kept where the text says %s', (_what, texts, structured) => {
    expect(read(texts, structured)).toMatchObject({ structured });
  });
});

describe('binary', () => {
  it.each<[string, string, string]>([
    ['a picture', png.toString('base64'), '[image/png, 20008 bytes]'],
    ['a picture in lines', png.toString('base64').replace(/.{76}/g, '$&\n'), '[image/png, 20008 bytes]'],
    ['a picture as an address', `data:image/gif;base64,${png.toString('base64')}`, '[image/gif, 20008 bytes]'],
    [
      'a file',
      Buffer.concat([Buffer.from('%PDF-1.7'), randomBytes(1_000)]).toString('base64'),
      '[application/pdf, 1008 bytes]',
    ],
    ['base64 for addresses', randomBytes(3_000).toString('base64url'), '[binary, 3000 bytes]'],
  ])('is named in texts and in structured content: %s', (_what, data, name) => {
    const { content, structured } = read([`Here: ${data}.`], { a: [{ data }], n: 1 });
    expect(content).toBe(`Here: ${name}.`);
    expect(structured).toEqual({ a: [{ data: name }], n: 1 });
  });

  it('is named in the JSON of a text, as a Node buffer, and as content of its own', () => {
    const data = png.toString('base64');
    expect(read([JSON.stringify({ data, n: 1 })]).content).toBe('{"data":"[image/png, 20008 bytes]","n":1}');
    expect(read([], { file: { ...png.toJSON() } }).structured).toEqual({ file: '[binary, 20008 bytes]' });
    const content: CallToolResult['content'] = [
      { type: 'image', mimeType: 'image/png', data },
      { type: 'audio', mimeType: 'audio/wav', data },
      { type: 'resource', resource: { uri: 'file:///a.png', mimeType: 'image/png', blob: data } },
    ];
    expect(readResult({ content }, 1_000).content.split('\n')).toEqual([
      '[image, image/png, 20008 bytes]',
      '[audio, audio/wav, 20008 bytes]',
      '[resource file:///a.png, image/png, 20008 bytes]',
    ]);
  });

  it.each([
    ['a long word', 'a'.repeat(5_000)],
    ['a sequence', 'ACGT'.repeat(1_000)],
    ['a digest', randomBytes(64).toString('hex')],
    ['a key', randomBytes(256).toString('base64')],
    ['a text', long],
  ])('is not %s', (_what, text) => {
    expect(read([text]).content).toBe(text);
    expect(read([], { n: 1, text }).structured).toEqual({ n: 1, text });
  });

  it('is looked for in linear time', () => {
    const growing = growth(
      20_000,
      (length) => `${'aB3'.repeat(length)}!`,
      (text) => void read([text, text.replace(/.{70}/g, '$&\n ')]),
    );
    expect(growing).toBeLessThan(1.5);
  });
});

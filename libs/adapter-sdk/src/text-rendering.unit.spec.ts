import { growth } from '../../testing/src/index.js';
import fc from 'fast-check';
import { jsonPointerGet, markdownToPlain, neutraliseBroadcasts, rewriteMarkdown } from './index.js';

describe('neutraliseBroadcasts', () => {
  it.each([
    ['hi @here', 'hi @\u200bhere'],
    ['@Channel: go', '@\u200bChannel: go'],
    ['<!channel> now', '@\u200bchannel now'],
    ['<!here|@here>', '@\u200bhere'],
    ['<!subteam^S012|@ops>', '@\u200bops'],
    ['mail jane@here.example and @hereford', 'mail jane@here.example and @hereford'],
    ['thanks @jane', 'thanks @jane'],
  ])('%j becomes %j', (text, expected) => {
    expect(neutraliseBroadcasts(text)).toBe(expected);
    expect(neutraliseBroadcasts(expected)).toBe(expected);
  });

  it('makes every name inert where any name notifies', () => {
    expect(neutraliseBroadcasts('thanks @jane, a@b.example', 'all')).toBe('thanks @\u200bjane, a@b.example');
  });
});

describe('markdownToPlain', () => {
  it.each([
    ['# Title', 'Title'],
    ['**bold *and* italic** ~~gone~~ __b__ _i_', 'bold and italic gone b i'],
    ['`a*b*c` and \\*literal\\*', 'a*b*c and *literal*'],
    ['[docs](https://example.com) [https://e.com](https://e.com)', 'docs (https://example.com) https://e.com'],
    ['> quoted', 'quoted'],
    ['* item\n+ item', '- item\n- item'],
    ['```js\nconst a = **b**;\n```', 'const a = **b**;'],
    ['2 * 3 * 4 and snake_case_name', '2 * 3 * 4 and snake_case_name'],
  ])('%j becomes %j', (markdown, plain) => {
    expect(markdownToPlain(markdown).text).toBe(plain);
  });

  it('reports that a table and an image lost their shape', () => {
    expect(markdownToPlain('| a | b |\n|---|---|\n| 1 | 2 |\n![x](https://e.com/x.png)').lossy).toEqual([
      'table',
      'image',
    ]);
  });

  it.each(['[', '**', '_a', '`', '*a ', '|-', '> ', '![a](', '- -', '\\(', '$a', '$$a', '<b>', '<!--', '**重', '@'])(
    'reads any number of %j in linear time',
    (piece) => {
      const both = (text: string) => [markdownToPlain(text), rewriteMarkdown(text, 'all', { asGithub: true })];
      expect(growth(6_000, (times) => piece.repeat(times), both)).toBeLessThan(1.5);
    },
  );
});

describe('jsonPointerGet', () => {
  const document = { foo: ['bar', 'baz'], '': 0, 'a/b': 1, 'm~n': 8, '~1': 9 };

  it('follows RFC 6901', () => {
    expect(jsonPointerGet(document, '')).toBe(document);
    expect(jsonPointerGet(document, '/foo/1')).toBe('baz');
    expect(jsonPointerGet(document, '/')).toBe(0);
    expect(jsonPointerGet(document, '/a~1b')).toBe(1);
    expect(jsonPointerGet(document, '/m~0n')).toBe(8);
    expect(jsonPointerGet(document, '/~01')).toBe(9);
  });

  it('finds nothing outside own properties and never throws', () => {
    for (const pointer of [
      '/foo/01',
      '/foo/-',
      '/foo/length',
      '/constructor',
      '/__proto__',
      'foo',
      '/a~2b',
      '/foo/0/x',
    ]) {
      expect(jsonPointerGet(document, pointer)).toBeUndefined();
    }
    fc.assert(fc.property(fc.jsonValue(), fc.string(), (value, pointer) => void jsonPointerGet(value, pointer)));
  });
});

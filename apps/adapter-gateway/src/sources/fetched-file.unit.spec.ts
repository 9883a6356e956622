import { type FetchedFile, fetchedFile } from './fetched-file.js';

const answer = (body: string, headers: Record<string, string>): FetchedFile =>
  fetchedFile({ status: 200, url: '', headers, body: Buffer.from(body), truncated: false }, 1_000);
const json = (value: unknown): FetchedFile => answer(JSON.stringify(value), { 'content-type': 'application/json' });
const encoded = Buffer.from('hello').toString('base64');

describe('a fetched file', () => {
  it.each([
    ['text/html; charset=utf-8', {}],
    ['application/octet-stream', {}],
    ['application/ld+json', {}],
    ['application/json', { 'content-disposition': 'attachment; filename="a.json"' }],
  ])('is the bytes of an answer of the type %s', (type, headers) => {
    const file = answer('{"content_base64":1}', { 'content-type': type, 'x-fingerprint': 'f%201', ...headers });
    expect(file).toMatchObject({ bytes: Buffer.from('{"content_base64":1}'), contentType: type, fingerprint: 'f 1' });
  });

  it.each(['content_base64', 'content', 'data', 'bytes', 'base64'])('is base64 in %s of a JSON object', (name) => {
    const given = { [name]: encoded, content_type: 'text/plain', size: 5, fingerprint: 'f' };
    expect(json(given)).toMatchObject({ bytes: Buffer.from('hello'), contentType: 'text/plain', fingerprint: 'f' });
  });

  it('is base64 as a JSON text, in lines, URL-safe, without padding, or empty', () => {
    expect(json(encoded).bytes.toString()).toBe('hello');
    expect(json({ data: 'aGVs\r\nbG8=\n', encoding: 'base64', size: null }).bytes.toString()).toBe('hello');
    expect(json({ data: '_-8' }).bytes).toEqual(Buffer.from([0xff, 0xef]));
    expect(json({ content_base64: '' }).bytes).toHaveLength(0);
  });

  it.each([
    ['another object', { text: 'hello' }, 'The fields of this one are: text.'],
    ['a list', ['hello'], 'It is a list.'],
    ['a number', 5, 'It is a whole number.'],
    ['two contents', { data: encoded, content: encoded }, 'The fields of this one are: data, content.'],
    ['no base64', { data: 'hello there' }, 'the content is not base64'],
    ['half a digit', { data: 'aGVsb' }, 'the content is not base64'],
    ['a text that is no base64', 'hello!', 'the content is not base64'],
    ['another encoding', { content: 'hello', encoding: 'utf-8' }, 'encoding must be one of base64, not a text'],
    ['a content that is no text', { data: 5 }, 'data must be a text, not a whole number'],
    ['a wrong size', { data: encoded, size: 6 }, 'size is 6, but the content has 5 bytes'],
    ['a size in words', { data: encoded, size: '5' }, 'size must be a whole number of at least 0, not a text'],
  ])('is not %s', (_what, value, words) => {
    expect(() => json(value)).toThrow(expect.objectContaining({ code: 'contract_violation' }));
    expect(() => json(value)).toThrow(words);
  });

  it('is an error where the adapter says so', () => {
    expect(() => json({ ok: false, error: 'not_found' })).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(() => json({ error: 'not_found' })).toThrow(expect.objectContaining({ code: 'not_found' }));
  });
});

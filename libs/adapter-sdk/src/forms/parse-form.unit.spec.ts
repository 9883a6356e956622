import fc from 'fast-check';
import { FormError, parseForm } from '../index.js';

const CRLF = '\r\n';
const multipart = (parts: [headers: string, body: Buffer | string][], closing = '--b--') => ({
  headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
  body: Buffer.concat([
    ...parts.flatMap(([headers, body]) => [
      Buffer.from(`--b${CRLF}Content-Disposition: form-data; ${headers}${CRLF}${CRLF}`),
      Buffer.from(body),
      Buffer.from(CRLF),
    ]),
    Buffer.from(`${closing}${CRLF}`),
  ]),
});
const urlEncoded = (body: string) => ({
  headers: { 'content-type': ['application/x-www-form-urlencoded; charset=utf-8'] },
  body: Buffer.from(body),
});

describe('parseForm', () => {
  it('reads url-encoded fields, repeated ones in order', async () => {
    const form = await parseForm(urlEncoded('payload=%7B%22a%22%3A1%7D&x=a+b&x=2&empty='));
    expect(form.get('payload')).toBe('{"a":1}');
    expect(form.fields.filter(({ name }) => name === 'x').map(({ bytes }) => String(bytes))).toEqual(['a b', '2']);
    expect([form.get('empty'), form.get('absent'), form.files]).toEqual(['', undefined, []]);
  });

  it('reads multipart fields as their bytes, whatever their charset, and files with name and type', async () => {
    const latin1 = Buffer.from([0x67, 0x72, 0xfc, 0x6e]);
    const form = await parseForm(
      multipart([
        ['name="subject"', latin1],
        ['name="text"', 'héllo'],
        [`name="attachment1"; filename="a.bin"${CRLF}Content-Type: application/x-thing`, latin1],
      ]),
    );
    expect(form.fields[0]?.bytes.equals(latin1)).toBe(true);
    expect(new TextDecoder('iso-8859-1').decode(form.fields[0]?.bytes)).toBe('grün');
    expect(form.get('text')).toBe('héllo');
    expect(form.files).toEqual([
      { field: 'attachment1', name: 'a.bin', contentType: 'application/x-thing', bytes: latin1 },
    ]);
  });

  it('refuses what is not a form, breaks off or is too large, instead of truncating it', async () => {
    const field: [string, string] = ['name="a"', 'x'.repeat(20)];
    const refused: [Parameters<typeof parseForm>[0], Parameters<typeof parseForm>[1], RegExp][] = [
      [{ headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') }, {}, /neither/],
      [{ headers: {}, body: Buffer.from('a=1') }, {}, /neither/],
      [{ headers: { 'content-type': 'multipart/form-data' }, body: Buffer.from('x') }, {}, /boundary/i],
      [multipart([field], ''), {}, /breaks off|malformed/],
      [multipart([field, field, field]), { maxParts: 2 }, /more than 2 parts/],
      [multipart([field]), { maxPartBytes: 10 }, /more than 10 bytes/],
      [urlEncoded('a=1&b=2&c=3'), { maxParts: 2 }, /more than 2 parts/],
      [urlEncoded('a=12345678901'), { maxPartBytes: 10 }, /more than 10 bytes/],
    ];
    for (const [request, limits, message] of refused) {
      const result = parseForm(request, limits);
      await expect(result).rejects.toThrow(FormError);
      await expect(result).rejects.toThrow(message);
    }
  });

  it('returns a form or fails with its own error for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.boolean(), async (bytes, open) => {
        const body = Buffer.concat([
          Buffer.from(open ? '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n' : ''),
          bytes,
        ]);
        const headers = { 'content-type': 'multipart/form-data; boundary=b' };
        await parseForm({ headers, body }).catch((error: unknown) => expect(error).toBeInstanceOf(FormError));
      }),
      { numRuns: 200 },
    );
  });
});

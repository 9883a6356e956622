import { signRequest } from './signature-v4.js';

/** The worked examples of the Amazon S3 API Reference, "Examples: Signature Calculations". */
const example = {
  keys: { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
  region: 'us-east-1',
  now: new Date('2013-05-24T00:00:00Z'),
};
const host = 'examplebucket.s3.amazonaws.com';
const signature = (authorization: string | undefined) => /Signature=([0-9a-f]{64})$/.exec(authorization ?? '')?.[1];

describe('Signature Version 4', () => {
  it('agrees with the published signature of a GET of a range', async () => {
    const headers = await signRequest(
      { method: 'GET', host, path: '/test.txt', query: {}, headers: { range: 'bytes=0-9' } },
      example,
    );
    expect(headers.authorization).toContain('SignedHeaders=host;range;x-amz-content-sha256;x-amz-date');
    expect(signature(headers.authorization)).toBe('f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41');
  });

  it('agrees with the published signatures of requests with a query, with and without values', async () => {
    const listing = await signRequest(
      { method: 'GET', host, path: '/', query: { prefix: 'J', 'max-keys': '2' } },
      example,
    );
    expect(signature(listing.authorization)).toBe('34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7');
    const lifecycle = await signRequest({ method: 'GET', host, path: '/', query: { lifecycle: '' } }, example);
    expect(signature(lifecycle.authorization)).toBe('fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543');
  });

  it('signs the token of temporary keys', async () => {
    const headers = await signRequest(
      { method: 'GET', host, path: '/', query: {} },
      { ...example, keys: { ...example.keys, sessionToken: 'token' } },
    );
    expect(headers.authorization).toContain('x-amz-security-token');
  });
});

import { clientSecretBasic } from './token-endpoint.js';

describe('clientSecretBasic', () => {
  it.each([
    ['one-id_1.apps*example', 'a-b_c.d*e', 'one-id_1.apps*example:a-b_c.d*e'],
    ['an id', 'a+b/c=d:e~f%', 'an+id:a%2Bb%2Fc%3Dd%3Ae%7Ef%25'],
    ['ü', '', '%C3%BC:'],
  ])('encodes id %j and secret %j as a form does', (id, secret, pair) => {
    const headers = new Headers();
    const server = { issuer: 'https://provider.example' };
    clientSecretBasic(secret)(server, { client_id: id }, new URLSearchParams(), headers);
    const [scheme, given] = (headers.get('authorization') ?? '').split(' ');
    expect([scheme, Buffer.from(given ?? '', 'base64').toString('utf8')]).toEqual(['Basic', pair]);
  });
});

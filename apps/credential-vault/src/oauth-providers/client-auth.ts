import type { ClientAuth } from 'openid-client';

/**
 * HTTP Basic with id and secret form-encoded (RFC 6749 section 2.3.1 and appendix B): letters, digits and `-._*` stay as
 * they are. openid-client escapes those four too, which providers that do not decode take for another client.
 */
export function clientSecretBasic(secret: string): ClientAuth {
  return (_server, { client_id: id }, _body, headers) => {
    const pair = `${formEncoded(id)}:${formEncoded(secret)}`;
    headers.set('authorization', `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`);
  };
}

const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);

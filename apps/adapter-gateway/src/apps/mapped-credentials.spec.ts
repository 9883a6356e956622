import type { CredentialDeclaration, Manifest } from '#libs/adapter-sdk';
import { mapCredentials } from './mapped-credentials.js';

const declared = (type: CredentialDeclaration['type'], key: string, mapsTo: string): CredentialDeclaration => ({
  type,
  key,
  label: key,
  maps_to: mapsTo,
});
const manifest = (...credentials: CredentialDeclaration[]): Manifest => ({
  schema_version: '1.0',
  slug: 'chat',
  name: 'Chat',
  description: 'A provider of the tests.',
  category: 'communication',
  capabilities: [],
  credentials,
});
const signing = declared('text', 'SIGNING', 'signing_secret');

describe('the credentials of a call', () => {
  it('have each field under its own name and under the one it is declared to map to', () => {
    const opened = { type: 'text', fields: { BOT_TOKEN: 't', signing: 's' } };
    expect(mapCredentials(opened, manifest(declared('text', 'BOT_TOKEN', 'token'), signing))).toEqual({
      BOT_TOKEN: 't',
      signing: 's',
      token: 't',
      signing_secret: 's',
    });
  });

  it('have the token of an api_key under the name of the api_key, never as another secret', () => {
    const opened = { type: 'api_key', fields: { token: 't' } };
    const mapped = mapCredentials(opened, manifest(declared('api_key', 'CHAT', 'bot_token'), signing));
    expect(mapped).toEqual({ token: 't', bot_token: 't' });
  });

  it('have the access token of an oauth2 record under the declared name', () => {
    const opened = { type: 'oauth2', fields: { client_id: 'c', access_token: 'a' } };
    expect(mapCredentials(opened, manifest(declared('oauth2', 'CHAT', 'bearer')))).toMatchObject({ bearer: 'a' });
  });

  it('have a record of several fields as a whole where one declaration stands for it', () => {
    const fields = { host: 'mail.example', port: '587', username: 'ada', password: 'p' };
    const smtp = declared('text', 'SMTP', 'smtp_config');
    expect(mapCredentials({ type: 'text', fields }, manifest(smtp))).toEqual({ ...fields, smtp_config: fields });
    expect(mapCredentials({ type: 'text', fields }, manifest(smtp, signing))).toEqual(fields);
  });
});

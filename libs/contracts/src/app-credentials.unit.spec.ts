import {
  type CredentialType,
  fieldsFor,
  type LinkedCredential,
  mapCredentials,
  type OpenedCredential,
} from './app-credentials.js';

const link = (type: CredentialType, key: string, maps_to: string, credential_id: string): LinkedCredential => ({
  type,
  key,
  maps_to,
  credential_id,
});
const map = (links: LinkedCredential[], records: Record<string, OpenedCredential>) =>
  mapCredentials(links, new Map(Object.entries(records)));
const text = (fields: OpenedCredential['fields']): OpenedCredential => ({ type: 'text', fields });

describe('the credentials of a call', () => {
  it('have each field under its own name and under the one that it is declared to map to', () => {
    const links = [link('text', 'BOT_TOKEN', 'token', 'a'), link('text', 'SIGNING', 'signing_secret', 'a')];
    expect(map(links, { a: text({ BOT_TOKEN: 't', signing: 's' }) })).toEqual({
      BOT_TOKEN: 't',
      signing: 's',
      token: 't',
      signing_secret: 's',
    });
  });

  it('have fields and names that objects inherit', () => {
    const links = [link('text', 'valueOf', 'toString', 'a')];
    const mapped = map(links, { a: text({ valueOf: 'v', constructor: 'c' }) });
    expect(Object.entries(mapped)).toEqual([
      ['valueOf', 'v'],
      ['constructor', 'c'],
      ['toString', 'v'],
    ]);
    expect(map([link('text', 'token', 'toString', 'a')], { a: text({ token: 't' }) })['toString']).toBe('t');
  });

  it('have what a token answer brought, under names that nothing else has', () => {
    const links = [
      link('oauth2', 'ACCOUNT', 'bearer', 'o'),
      link('text', 'HOST', 'host', 's'),
      link('text', 'PORT', 'port', 's'),
    ];
    const fields = { access_token: 'a', instance_url: 'https://na1', bearer: 'not it', host: 'not it', port: 'not it' };
    const opened = { o: { type: 'oauth2', fields, credentials: fields }, s: text({ host: 'h', port: '25' }) };
    expect(map(links, opened)).toEqual({
      access_token: 'a',
      instance_url: 'https://na1',
      bearer: 'a',
      host: 'h',
      port: '25',
    });
  });

  it('have the fields of all records together', () => {
    const links = [link('oauth2', 'ACCOUNT', 'access_token', 'o'), link('text', 'HOOK', 'signing_secret', 's')];
    const oauth = { type: 'oauth2', fields: { client_id: 'c', access_token: 'a' } };
    expect(map(links, { o: oauth, s: text({ signing_secret: ['new', 'old'], note: 'n' }) })).toEqual({
      client_id: 'c',
      access_token: 'a',
      signing_secret: ['new', 'old'],
      note: 'n',
    });
  });

  it('keep a declared name for its own record, whatever fields others have', () => {
    const links = [link('api_key', 'BOT', 'token', 'a'), link('text', 'HOOK', 'signing_secret', 'b')];
    const records = {
      a: { type: 'api_key', fields: { token: 'mine' } },
      b: text({ signing_secret: 's', token: 'other' }),
    };
    expect(map(links, records)).toEqual({ token: 'mine', signing_secret: 's' });
    expect(map([...links].reverse(), records)).toEqual({ token: 'mine', signing_secret: 's' });
  });

  it('give a name that two records have and nothing maps to, to the record declared first', () => {
    const links = [link('text', 'A', 'a', '1'), link('text', 'B', 'b', '2')];
    const records = { 1: text({ a: '1', host: 'first' }), 2: text({ b: '2', host: 'second' }) };
    expect(map(links, records)).toMatchObject({ host: 'first' });
  });

  it('use the only field of a text record for its declaration, whatever its name', () => {
    expect(map([link('text', 'HOOK', 'signing_secret', 'a')], { a: text({ secret: 's' }) })).toEqual({
      secret: 's',
      signing_secret: 's',
    });
  });

  it('contain a record of several fields as a whole where it fills one declaration', () => {
    const fields = { host: 'mail.example', port: '587', username: 'ada', password: 'p' };
    const smtp = link('text', 'SMTP', 'smtp_config', 'a');
    expect(map([smtp], { a: text(fields) })).toEqual({ ...fields, smtp_config: fields });
    expect(map([smtp, link('text', 'X', 'x', 'a')], { a: text(fields) })).toEqual(fields);
  });

  it('contain a token only under the names of its own type, and never a client secret under another name', () => {
    const key = { type: 'api_key', fields: { token: 't' } };
    expect(map([link('api_key', 'CHAT', 'bot_token', 'a')], { a: key })).toEqual({ token: 't', bot_token: 't' });
    const oauth = { type: 'oauth2', fields: { client_id: 'c', access_token: 'a' } };
    expect(map([link('oauth2', 'CHAT', 'bearer', 'o')], { o: oauth })).toMatchObject({ bearer: 'a' });
    expect(map([link('oauth2', 'CHAT', 'client_secret', 'o')], { o: oauth })).toEqual(oauth.fields);
  });

  it('contain what a binding of the vault maps to a declared name', () => {
    const bound = { ...text({ user: 'u', password: 'p' }), credentials: { user: 'u', api_secret: 'p' } };
    const links = [link('text', 'X', 'api_secret', 'a'), link('text', 'USER', 'name', 'a')];
    expect(map(links, { a: bound })).toMatchObject({ api_secret: 'p', name: 'u' });
  });
});

describe('the fields that some names need', () => {
  const records: Record<string, OpenedCredential> = {
    both: text({ BOT_TOKEN: 't', signing: 's', signing_secret: 'n' }),
    named: { ...text({ key: 'k', other: 'o' }), credentials: { signing_secret: 'k', other: 'o' } },
    only: text({ whatever: 'w' }),
    pair: text({ secret: 'a', note: 'b' }),
    key: { type: 'api_key', fields: { token: 'a', webhook_secret: 'b', user: 'u' } },
    grant: { type: 'oauth2', fields: { client_id: 'c', client_secret: 'd', access_token: 'e' } },
  };
  const held = (id: string, names: string[] | null): OpenedCredential => {
    const { type, fields, credentials } = records[id]!;
    const renamed = Object.fromEntries(
      Object.entries(credentials ?? {}).map(([name, value]) => [
        Object.keys(fields).find((field) => fields[field] === value),
        name,
      ]),
    );
    const kept = Object.keys(fields).filter(
      (field) => names === null || names.includes(field) || names.includes(renamed[field] ?? field),
    );
    return {
      type,
      fields: Object.fromEntries(kept.map((field) => [field, fields[field]!])),
      ...(credentials
        ? { credentials: Object.fromEntries(kept.map((field) => [renamed[field] ?? field, fields[field]!])) }
        : {}),
    };
  };

  it.each<[string, LinkedCredential[], string[]]>([
    [
      'one record for two declarations',
      [link('text', 'BOT_TOKEN', 'token', 'both'), link('text', 'SIGNING', 'signing_secret', 'both')],
      ['signing_secret'],
    ],
    ['a name of the binding', [link('text', 'HOOK', 'signing_secret', 'named')], ['signing_secret']],
    [
      'a record of one field',
      [link('text', 'HOOK', 'signing_secret', 'only'), link('api_key', 'KEY', 'token', 'key')],
      ['signing_secret'],
    ],
    ['a record that is meant as a whole', [link('text', 'HOOK', 'signing_secret', 'pair')], ['signing_secret']],
    [
      'a field of a record that is declared for something else',
      [link('api_key', 'KEY', 'token', 'key')],
      ['webhook_secret'],
    ],
    ['the key itself', [link('api_key', 'KEY', 'hook', 'key')], ['hook']],
    ['a client of a grant', [link('oauth2', 'ACCOUNT', 'client_secret', 'grant')], ['client_secret']],
    [
      'two secrets of two records',
      [link('text', 'A', 'signing_secret', 'both'), link('text', 'B', 'signing_secret_next', 'only')],
      ['signing_secret', 'signing_secret_next'],
    ],
  ])('are sufficient: %s', (_what, links, wanted) => {
    const needed = fieldsFor(links, wanted);
    const ids = [...new Set(links.map(({ credential_id: id }) => id))];
    const pick = (open: (id: string) => OpenedCredential) => {
      const all = map(links, Object.fromEntries(ids.map((id) => [id, open(id)])));
      return wanted.map((name) => all[name]);
    };
    const whole = pick((id) => records[id]!);
    expect(whole.some((value) => value !== undefined)).toBe(true);
    expect(pick((id) => held(id, needed.get(id) ?? null))).toEqual(whole);
  });

  it('are minimal', () => {
    const links = [link('text', 'BOT_TOKEN', 'token', 'both'), link('text', 'SIGNING', 'signing_secret', 'both')];
    expect(fieldsFor(links, ['signing_secret'])).toEqual(new Map([['both', ['signing_secret', 'SIGNING', 'signing']]]));
    expect(fieldsFor(links, [])).toEqual(new Map());
    expect(fieldsFor([link('api_key', 'KEY', 'token', 'key')], ['hook'])).toEqual(new Map([['key', ['hook']]]));
  });
});

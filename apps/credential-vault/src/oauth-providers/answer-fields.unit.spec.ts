import { Secret } from '../sealing/secret.js';
import { answerFieldsOf, isAnswerField, mergedFields } from './answer-fields.js';

const kept = (answer: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries([...answerFieldsOf(answer)].map(([name, value]) => [name, value.reveal()]));

describe('what is kept of a token answer besides tokens', () => {
  it('is its texts and numbers', () => {
    const answer = { instance_url: 'https://na1.example', api_domain: 'https://eu.example', team: { id: 1 }, ok: true };
    expect(kept({ ...answer, team_id: 42, ratio: 0.5, list: ['a'], nothing: null })).toEqual({
      instance_url: 'https://na1.example',
      api_domain: 'https://eu.example',
      team_id: '42',
      ratio: '0.5',
    });
  });

  it.each([
    'access_token',
    'Refresh_Token',
    'idToken',
    'client_secret',
    'apiKey',
    'signature',
    'Client_ID',
    'scope',
    'expires_in',
    'password',
    'hosts',
    'Header',
    'scheme',
    'username',
    'value',
    '__proto__',
    'constructor',
    'toString',
    '',
    '1st',
    'with space',
    'a'.repeat(65),
  ])('is nothing named %j', (name) => {
    expect(isAnswerField(name)).toBe(false);
    expect(kept(JSON.parse(`{${JSON.stringify(name)}:"x"}`) as Record<string, unknown>)).toEqual({});
  });

  it.each([
    ['a long text', 'x'.repeat(2_049)],
    ['a control character', 'a\r\nb'],
    ['half of a character', '\ud800'],
    ['a number that has lost digits', 2 ** 63],
  ])('is not %s', (_what, value) => {
    expect(kept({ what: value, also: 'kept' })).toEqual({ also: 'kept' });
  });

  it('is no more than twenty, of which a refresh replaces those that it brings', () => {
    const many = (from: number) =>
      answerFieldsOf(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${from + at}`, at])));
    expect(many(0).size).toBe(20);
    expect([...mergedFields(many(0), many(10)).keys()]).toEqual([...many(10).keys()]);
    const [old, renewed] = [new Secret('old'), new Secret('new')];
    const merged = mergedFields(
      new Map([
        ['a', old],
        ['b', old],
      ]),
      new Map([['b', renewed]]),
    );
    expect([merged.get('a'), merged.get('b')]).toEqual([old, renewed]);
  });
});

import type { CredentialBinding } from '#libs/contracts';
import { choose, type CredentialWish } from './bound-credentials.js';
import { failure } from './tool.js';

const bound = (...names: string[]): CredentialBinding[] =>
  names.map((as) => ({ as, credential_id: `cred_${as}`, skill_id: 'skl_1' }));

describe('the credential of a call that may use several', () => {
  const kinds: Record<string, string> = { crm: 'api_key', mail: 'text', other: 'text', grant: 'oauth2' };
  const pick = async (names: string[], name: string | null, wish: CredentialWish = {}) => {
    const asked: string[] = [];
    const chosen = await choose(bound(...names), name, wish, ({ as }) => {
      asked.push(as);
      return Promise.resolve(kinds[as] ?? failure('credential_unavailable', 'not now'));
    });
    return { asked, chosen: 'error' in chosen ? chosen.error.message : chosen.as };
  };

  it('is the one that the call names, and no other', async () => {
    expect(await pick(['crm', 'mail'], 'mail')).toEqual({ asked: [], chosen: 'mail' });
    expect((await pick(['crm', 'mail'], 'bank')).chosen).toBe(
      'There is no credential bank here; there are: crm, mail.',
    );
  });

  it('is the only one, or the one of the usual name, without a look at their types', async () => {
    expect(await pick(['crm'], null, { types: ['text'] })).toEqual({ asked: [], chosen: 'crm' });
    expect(await pick(['other', 'mail'], null, { as: 'mail', types: ['text'] })).toEqual({ asked: [], chosen: 'mail' });
  });

  it('is the only one of a type that the tool can use', async () => {
    expect((await pick(['crm', 'mail'], null, { as: 'smtp', types: ['text'] })).chosen).toBe('mail');
    expect((await pick(['grant', 'mail'], null, { as: 'search', types: ['api_key', 'oauth2'] })).chosen).toBe('grant');
  });

  it('is not chosen where several fit or none does, and the error lists them with their types', async () => {
    expect((await pick(['mail', 'other'], null, { types: ['text'] })).chosen).toBe(
      'Several credentials fit, so name one: mail (text), other (text).',
    );
    expect((await pick(['mail', 'other'], null, { types: ['api_key'] })).chosen).toBe(
      'The tool needs a credential of the type api_key: mail (text), other (text).',
    );
    expect((await pick(['mail', 'away'], null, { types: ['api_key'] })).chosen).toBe('not now');
  });
});

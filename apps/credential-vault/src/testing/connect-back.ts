import { ServiceTokens } from '#libs/service-kit';
import { testServiceKey } from '#libs/testing';
import { type VaultWorld, writer } from './vault-world.js';

/**
 * Starts to connect a credential and comes back from the provider, as its browser would.
 * @param query what the provider adds to the callback besides `state`
 */
export async function connectBack(
  { app }: VaultWorld,
  credentialId: string,
  query: Record<string, string> = { code: 'a-code' },
): Promise<{ status: number; text: string }> {
  const bearer = await new ServiceTokens(testServiceKey, 'portal').mint('credential-vault', writer);
  const started = await app.inject({
    method: 'POST',
    url: `/api/v1/credentials/${credentialId}/connect`,
    headers: { authorization: `Bearer ${bearer}` },
    payload: {},
  });
  if (started.statusCode !== 201) throw new Error(started.body);
  const asked = new URL(started.json<{ authorization_url: string }>().authorization_url).searchParams;
  const back = new URL(asked.get('redirect_uri') ?? '');
  back.search = new URLSearchParams({ state: asked.get('state') ?? '', ...query }).toString();
  const cookie = String(started.headers['set-cookie']).split(';')[0] ?? '';
  const answer = await app.inject({ method: 'GET', url: `${back.pathname}${back.search}`, headers: { cookie } });
  return { status: answer.statusCode, text: answer.body };
}

import { type OauthWorld, startWorld } from './oauth-world.js';

let world: OauthWorld;

beforeAll(async () => {
  world = await startWorld({ count: 2 });
});
afterAll(() => world?.close());
afterEach(() => world.provider.configure({ faults: [], delayMs: 0 }));

/** What a caller gets who reports the token of a version as refused. */
const report = async (id: string, version: number, process = 0) => {
  const { status, body } = await world.vaults.resolve(id, process, 60, version);
  return { status, code: body.code, token: body.fields?.access_token, version: body.token_version };
};
/** Connected a while ago: tokens are not replaced right after they were obtained. */
const connected = async (name: string): Promise<string> => {
  const id = await world.connected(name);
  await age(id);
  return id;
};
const age = (id: string) => change(id, "obtained_at = now() - interval '1 minute'");
const change = (id: string, set: string) =>
  world.vaults.db.query(`UPDATE vault.oauth_grant SET ${set} WHERE credential_id = $1`, [id]);

describe('an access token that its provider refuses before it expires', () => {
  it('is replaced by one request, whoever reports it, and however many do', async () => {
    const id = await connected('refused');
    const before = (await world.vaults.resolve(id)).body;
    expect(before.token_version).toBe(1);
    const answers = await Promise.all(Array.from({ length: 40 }, (_, caller) => report(id, 1, caller % 2)));
    expect(new Set(answers.map(({ status, version }) => `${status} ${version}`))).toEqual(new Set(['200 2']));
    expect(answers[0]?.token).not.toBe(before.fields.access_token);
    expect(await world.provider.refreshes()).toHaveLength(1);
    // Who comes late gets the same one.
    expect(await report(id, 1)).toEqual(answers[0]);
    expect(await world.provider.refreshes()).toHaveLength(1);
  });

  it('is not replaced again when the one in its place is refused too, until some time has passed', async () => {
    const id = await connected('refused twice');
    const second = await report(id, 1);
    for (let reports = 0; reports < 3; reports += 1) expect(await report(id, 2)).toEqual(second);
    expect(await world.provider.refreshes()).toHaveLength(1);
    await change(id, "refused_at = now() - interval '1 hour', obtained_at = now() - interval '1 minute'");
    expect(await report(id, 2)).toMatchObject({ status: 200, version: 3 });
  });

  it('stays where there is no refresh token', async () => {
    const id = await connected('no refresh token');
    await change(id, 'refresh_token = NULL');
    expect(await report(id, 1)).toMatchObject({ status: 200, version: 1 });
    expect(await world.row(id)).toMatchObject({ state: 'active' });
  });

  it('ends the grant when its refresh token is refused too, and a new consent is not held against it', async () => {
    const id = await connected('dead');
    const text = '{"error":"invalid_grant"}';
    const headers = { 'content-type': 'application/json' };
    await world.provider.configure({ faults: [{ kind: 'status', status: 400, headers, text, times: 9 }] });
    expect(await report(id, 1)).toMatchObject({ status: 409, code: 'needs_reconnect' });
    await world.provider.configure({ faults: [] });
    await world.connect(id);
    await age(id);
    const { token_version: version } = (await world.vaults.resolve(id)).body;
    expect(await report(id, version ?? 0)).toMatchObject({ status: 200, version: (version ?? 0) + 1 });
  });

  it('has its caller try again later while the provider does not answer', async () => {
    const id = await connected('away');
    await world.provider.configure({ faults: [{ kind: 'status', status: 503, times: 9 }] });
    expect(await report(id, 1)).toMatchObject({ status: 503, code: 'refresh_pending' });
    await world.provider.configure({ faults: [] });
    await change(id, 'next_try_at = now()');
    expect(await report(id, 1)).toMatchObject({ status: 200, version: 2 });
  });
});

import { hmac, post } from '../system/webhook.js';
import { type System, startSmallSystem } from '../system/system.js';
import { type Clone, cloneOf, commandsOf, follow } from './guide.js';

describe('the guide to rotate keys, followed as it stands', () => {
  let system: System;
  let clone: Clone;
  const secret = 'the-signing-secret-that-is-replaced';
  beforeAll(async () => {
    system = await startSmallSystem();
    clone = cloneOf(system);
    const credential_id = await system.credential({ signing_secret: secret });
    await system.api('PATCH', `/api/v1/apps/${system.appId}`, { credential_id, signature: { scheme: 'hmac' } });
  });
  afterAll(async () => {
    clone?.remove();
    await system?.stop();
  });

  it('replaces a URL, a signing secret and an API key, and each step leaves what it says', async () => {
    const [functions = ''] = commandsOf('receive-a-webhook.md');
    // The key of the vault needs a restart of npm start: test/deploy/local-keys.system.spec.ts.
    const [vault, ...blocks] = commandsOf('rotate-keys.md');
    expect(vault).toMatch(/vault new-key/);
    expect(blocks).toHaveLength(4);
    const [url = '', rotate = '', finish = '', key = ''] = blocks;
    const [, printedUrl, rotated, finished, revoked] = await follow(clone, [
      functions,
      `${url}\necho "$HOOK"`,
      `${rotate}\necho; echo "secret $NEW_SECRET"`,
      finish,
      `${key}\necho; node -p 'JSON.parse(fs.readFileSync("new-key.json", "utf8")).key'`,
    ]);
    const newUrl = (printedUrl ?? '').trim();
    expect(newUrl).not.toBe(system.webhookUrl);
    expect(rotated).toMatch(/"rotating":/);
    expect(finished).toMatch(/"id":"cred_/);
    const body = '{"task":"hello"}';
    const newSecret = /^secret (\S+)$/m.exec(rotated ?? '')?.[1] ?? '';
    const send = async (to: string, by: string) => (await post(to, body, { 'x-signature-256': hmac(by, body) })).status;
    // The old URL works for one more day; the old secret does not.
    expect([await send(newUrl, newSecret), await send(system.webhookUrl, newSecret)]).toEqual([200, 200]);
    expect(await send(newUrl, secret)).toBe(401);
    const apiKey = (revoked ?? '').split('\n').at(-1) ?? '';
    expect(apiKey).toMatch(/^gh/);
    const answer = await fetch(`${system.origin('portal')}/api/v1/events`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    expect(answer.status).toBe(401);
  });
});

import { isJsonObject } from '../../json-value.js';
import { CheckFailed, Skipped } from '../check.js';
import type { Kit } from '../kit.js';
import type { Point } from './point.js';

const CANARY = 'canary-2f6d81c4-secret';
const ADVICE = 'Name fields, never values, in answers, errors and logs; do not pass on what the provider echoes.';

export const secrets: Point = {
  number: 13,
  title: 'No secret leaves the adapter',
  async run(kit) {
    await kit.check('13.answers', 'has no secret in any answer', ADVICE, async () => {
      for (const [path, body] of calls(kit)) {
        const answer = await kit.adapter.post(path, body);
        if (answer.text.includes(CANARY))
          throw new CheckFailed(answer.request, 'no credential in the answer', answer.text);
      }
      const [leak] = kit.leaks;
      if (leak) throw new CheckFailed(leak.request, "none of the fixtures' secrets in the answer", leak.text);
    });
    await kit.check('13.log', 'has no secret in its log', ADVICE, async () => {
      const { first } = kit.settings;
      if (!first.logs) throw new Skipped('the log of the adapter is not at hand; name its file');
      const log = first.logs();
      const line = log.split('\n').find((entry) => [CANARY, ...kit.secrets()].some((secret) => entry.includes(secret)));
      if (line !== undefined)
        throw new CheckFailed('the log of the adapter', 'no secret', line.replaceAll(CANARY, '[canary]'));
    });
  },
};

/** Every route with canaries as credentials, once well-formed and once malformed. */
function calls(kit: Kit): [string, object][] {
  const declared: unknown[] = Array.isArray(kit.manifest.credentials) ? kit.manifest.credentials : [];
  const fields = declared.flatMap((entry) =>
    isJsonObject(entry) && typeof entry.maps_to === 'string' ? [entry.maps_to] : [],
  );
  const names = [...new Set([...fields, ...Object.keys(kit.credentials), 'access_token'])];
  const credentials = Object.fromEntries(names.map((name) => [name, CANARY]));
  const webhook = { request: { method: 'POST', headers: {}, body: '{"text":"hello"}' } };
  const { channel_address = 'nowhere' } = kit.fixtures.deliver ?? {};
  const { resource_path = 'nowhere' } = kit.fixtures.sources ?? {};
  const wellFormed: [string, object][] = [
    ['/verify', {}],
    ['/verify-webhook', webhook],
    ['/parse-inbound', webhook],
    ['/deliver', { channel_address, message: { text: 'hello', thread_id: '' } }],
    ['/format', { text: 'hello', mode: 'rich' }],
    ['/format', { text: 'hello', mode: 'plain' }],
    ['/deliver/lookup', { channel_address, idempotency_key: 'conformance' }],
    ['/sources/list-changes', { resource_path, cursor: null }],
    ['/sources/fetch-file', { resource_path, file_path: 'a.txt' }],
  ];
  return wellFormed.flatMap(([path, body]): [string, object][] => [
    [path, { credentials, ...body }],
    [path, { credentials, request: 7, channel_address: 7, resource_path: 7 }],
    [path, { credentials: [credentials] }],
  ]);
}

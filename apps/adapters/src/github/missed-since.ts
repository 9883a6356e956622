import {
  deliverFailure,
  type HeaderMap,
  headerValue,
  type MissedSinceCall,
  type MissedSinceResult,
} from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';
import { missedFailure, missedNotConfigured } from '../provider-calls/missed-failure.js';
import { accessToken } from './api/access-token.js';
import { appJwt, readApp } from './api/app-jwt.js';
import { callWithToken, type GithubSettings } from './api/github-api.js';

/** One answer redelivers at most so many. */
const PAGE = 50;
const PARALLEL = 5;
/** GitHub's clock, and the time that a delivery took to fail. */
const LOOK_BACK_MS = 60_000;
const OWNER = /^\w[\w.-]{0,99}$/;
const REPOSITORY = /^\w[\w.-]{0,99}\/(?!\.{1,2}$)[\w.-]{1,100}$/;
const NUMBER = /^\d{1,20}$/;

interface Hook {
  /** Of its deliveries, below the API's address. */
  path: string;
  token: string;
}

/**
 * Has GitHub send again what failed: GitHub itself never does. A redelivery has the id of the first delivery, so what
 * arrived after all is a duplicate. Source: https://docs.github.com/en/rest/repos/webhooks and /rest/apps/webhooks
 */
export async function redeliverMissed(call: MissedSinceCall, settings: GithubSettings): Promise<MissedSinceResult> {
  const hook = await hookOf(call, settings);
  if ('ok' in hook) return hook;
  const cursor = call.cursor === null ? '' : `&cursor=${encodeURIComponent(call.cursor)}`;
  const page = await callWithToken(
    `${hook.path}?per_page=${PAGE}${cursor}`,
    { keepNumbers: true },
    hook.token,
    settings,
  );
  if (!page.ok) return missedFailure(page);
  const fromMs = Date.parse(call.since) - LOOK_BACK_MS;
  const deliveries = objectsOf(page.body).map(readDelivery);
  const inTime = deliveries.filter(({ atMs }) => atMs >= fromMs);
  const arrived = new Set(inTime.filter(({ arrived: ok }) => ok).map(({ guid }) => guid));
  // The newest attempt of each, oldest first.
  const failed = new Map<string, string>();
  for (const { guid, id } of inTime)
    if (!arrived.has(guid) && !failed.has(guid) && NUMBER.test(id)) failed.set(guid, id);
  const ids = [...failed.values()].reverse();
  while (ids.length > 0) {
    const some = ids.splice(0, PARALLEL).map((id) => `${hook.path}/${id}/attempts`);
    const answers = await Promise.all(
      some.map((path) => callWithToken(path, { method: 'POST', json: {} }, hook.token, settings)),
    );
    // Asking again for those that were asked for already only makes duplicates.
    for (const answer of answers) if (!answer.ok && answer.error !== 'not_found') return missedFailure(answer);
  }
  const next = nextCursor(page.headers);
  const more = next !== undefined && deliveries.length === inTime.length;
  return { ok: true, redeliveries: failed.size, requests: [], ...(more && { cursor: next, has_more: true }) };
}

/** The webhook whose address is the App's: of a GitHub App, or of the repository or organization that the App names. */
async function hookOf(call: MissedSinceCall, settings: GithubSettings): Promise<Hook | MissedSinceResult> {
  const { credentials, webhook_url: url } = call;
  const of = textOf(credentials.webhook_of);
  const app = readApp(credentials);
  if (of === undefined && app !== undefined) {
    const token = appJwt(app, new Date());
    if (token === undefined) {
      return missedFailure(deliverFailure('auth_failed', 'the private key of the app cannot be read'));
    }
    const config = await callWithToken('/app/hook/config', {}, token, settings);
    if (!config.ok) return missedFailure(config);
    if (!isSame(objectOf(config.body).url, url)) return missedNotConfigured("the GitHub App's webhook has another URL");
    return { path: '/app/hook/deliveries', token };
  }
  const owner = of !== undefined && (REPOSITORY.test(of) ? `/repos/${of}` : OWNER.test(of) ? `/orgs/${of}` : undefined);
  if (!owner) {
    return missedNotConfigured('webhook_of is not set: owner/repository, or the organization, whose webhook it is');
  }
  const token = await accessToken(credentials, settings);
  if ('ok' in token) return missedFailure(token);
  const hooks = await callWithToken(`${owner}/hooks?per_page=100`, { keepNumbers: true }, token.token, settings);
  if (!hooks.ok) return missedFailure(hooks);
  const hook = objectsOf(hooks.body).find(({ config }) => isSame(objectOf(config).url, url));
  const id = textOf(hook?.id);
  if (id === undefined || !NUMBER.test(id)) return missedNotConfigured(`${of} has no webhook with the URL of this App`);
  return { path: `${owner}/hooks/${id}/deliveries`, token: token.token };
}

function readDelivery(entry: Record<string, unknown>) {
  const status = Number(entry.status_code);
  const atMs = Date.parse(textOf(entry.delivered_at) ?? '');
  return {
    id: textOf(entry.id) ?? '',
    guid: textOf(entry.guid) ?? '',
    atMs: Number.isNaN(atMs) ? 0 : atMs,
    arrived: status >= 200 && status < 300,
  };
}

/** Of the `Link` header: its addresses are GitHub's own, so only the cursor is taken. */
function nextCursor(headers: HeaderMap): string | undefined {
  const link = headerValue(headers, 'link') ?? '';
  const next = /<([^>]*)>;\s*rel="next"/.exec(link)?.[1];
  return (next && URL.parse(next)?.searchParams.get('cursor')) || undefined;
}

function isSame(address: unknown, url: string): boolean {
  const [one, other] = [URL.parse(textOf(address) ?? ''), URL.parse(url)];
  return one !== null && one.href === other?.href;
}

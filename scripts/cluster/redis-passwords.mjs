// Other passwords of the services' users in Redis, as docs/guides/rotate-keys.md says.
import { createHash, randomBytes } from 'node:crypto';
import { until } from '../disturbance/command.mjs';

const sha256 = (/** @type {string} */ text) => createHash('sha256').update(text).digest('hex');
const plain = (/** @type {string} */ data) => Buffer.from(data, 'base64').toString();

/** Both passwords of each user work until all services have the new one. @param {import('./installation.mjs').Installation} on */
export async function redisPasswords(on) {
  const { items } = await on.kubectl.json('secrets', '-n', 'gatehouse');
  const stores = items
    .filter(({ data }) => data?.REDIS_URL)
    .map(({ metadata, data }) => ({ secret: metadata.name, url: new URL(plain(data.REDIS_URL)) }));
  const next = stores.map(({ secret, url }) => ({ secret, url, password: randomBytes(24).toString('hex') }));
  const file = plain(
    items.find((/** @type {any} */ { metadata }) => metadata.name === 'redis-users').data['users.acl'],
  );
  const lines = file.trimEnd().split('\n');
  /** @param {(line: string, hash: string) => string} change */
  const rewritten = (change) =>
    lines
      .map((line) => {
        const user = next.find(({ url }) => line.startsWith(`user ${url.username} `));
        return user ? change(line, `#${sha256(user.password)}`) : line;
      })
      .join('\n');
  await load(
    on,
    rewritten((line, hash) => line.replace(/ (#[0-9a-f]{64})/, ` $1 ${hash}`)),
  );
  for (const { secret, url, password } of next) {
    url.password = password;
    await patch(on, secret, { REDIS_URL: url.href });
  }
  await on.kubectl(['rollout', 'restart', '-n', 'gatehouse', 'deployment']);
  await on.settled();
  await load(
    on,
    rewritten((line, hash) => line.replace(/ #[0-9a-f]{64}/, ` ${hash}`)),
  );
}

/** The kubelet brings it into the pod within a minute or two. @param {import('./installation.mjs').Installation} on @param {string} file */
async function load(on, file) {
  await patch(on, 'redis-users', { 'users.acl': `${file}\n` });
  const inPod = ['exec', '-n', 'gatehouse', 'redis-0', '--'];
  await until("Redis' pod has the file", async () => {
    const there = await on.kubectl([...inPod, 'cat', '/etc/redis/users.acl']);
    return there.trim() === file.trim();
  });
  await on.kubectl([...inPod, 'redis-cli', '--user', 'gatehouse_admin', '--no-auth-warning', 'ACL', 'LOAD']);
}

/** @param {import('./installation.mjs').Installation} on @param {string} secret @param {Record<string, string>} stringData */
const patch = (on, secret, stringData) =>
  on.kubectl(['patch', 'secret', secret, '-n', 'gatehouse', '-p', JSON.stringify({ stringData })]);

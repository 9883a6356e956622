import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandIn, until } from './installation.mjs';

const PAGE = 'docs/backup.md';
const SECRET = 'a secret that only the vault keeps';

/**
 * Backs up a running installation, deletes it with its volumes and its .env, and restores it with the commands of
 * docs/backup.md. Afterwards the earlier data is there, credentials decrypt, and messages are processed.
 * @param {object} on
 * @param {ReturnType<typeof import('./installation.mjs').installation>} on.system
 * @param {() => string} on.base the portal's address
 * @param {() => void} on.anew called after a restart, which may change the address
 * @param {(path: string, body?: object) => Promise<any>} on.api
 * @param {(task: string) => Promise<string>} on.send
 * @param {(id: string) => Promise<unknown>} on.answered
 * @param {(text: string) => void} on.say
 */
export async function tryRestore({ system, base, anew, api, send, answered, say }) {
  const credential = await api('credentials', { name: 'signs', type: 'text', fields: { signing_secret: SECRET } });
  const signature = { scheme: 'hmac' };
  const app = await api('apps', { name: 'Signed', kind: 'builtin', credential_id: credential.id, signature });
  const accepted = () => until('what is signed is accepted', () => post(base() + app.webhook_path, SECRET));
  const before = await send('before the backup');
  await answered(before);
  await answered(await accepted());

  const elsewhere = mkdtempSync(join(tmpdir(), 'gatehouse-backup-'));
  try {
    /** With this test's own paths. @param {string} beginning @param {string} taken */
    const written = (beginning, taken = '') =>
      commandIn(PAGE, beginning)
        .replace('/var/backups/gatehouse/<time>', taken)
        .replace('/var/backups/gatehouse', join(elsewhere, 'backups'))
        .replace('/media/keys', elsewhere);
    const taken = system.must(written('sh deploy/backup.sh')).trim();
    const after = await send('after the backup');
    await answered(after);
    system.must('docker compose down -v && rm .env');
    say('backed up while running, then deleted with its volumes and keys');

    for (const beginning of [
      'cp /media/keys',
      'docker compose build',
      'docker compose up --detach --wait postgres',
      'docker compose run --rm database-roles',
      'sh deploy/restore.sh',
    ])
      system.must(written(beginning, taken));
    const refused = system.fails(written('sh deploy/restore.sh', taken));
    if (!refused.includes('--replace')) throw new Error(`a database that is not empty is restored into: ${refused}`);
    system.must(written('docker compose up --wait'));
    anew();
    say(`restored with the commands of ${PAGE}, all healthy`);

    await answered(before);
    await answered(await accepted());
    if ((await post(base() + app.webhook_path, 'another secret')) !== false)
      throw new Error('a wrong signature is accepted: the credential was not asked for');
    await answered(await send('after the restore'));
    const lost = await api(`events/${after}`).then(
      () => null,
      (error) => String(error),
    );
    if (!lost?.includes('404')) throw new Error(`what came after the backup is there, or in pieces: ${lost}`);
    say(
      'the old timeline can be read, the credential decrypts, a new message gets its turn; nothing from after the backup is there',
    );
  } finally {
    rmSync(elsewhere, { recursive: true, force: true });
  }
}

/**
 * @param {string} url @param {string} secret
 * @returns {Promise<string | false>} the event's id; false where the signature is refused
 */
async function post(url, secret) {
  const body = JSON.stringify({ task: 'signed' });
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
    body,
    signal: AbortSignal.timeout(10_000),
  });
  if (answer.status === 401) return false;
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return /** @type {{id: string}} */ (await answer.json()).id;
}

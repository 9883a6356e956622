import { Hopeless, until } from '#libs/testing';
import { SignJWT } from 'jose';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { type FakeModel, fakeModel } from '../../apps/engine/src/testing/fake-model.js';
import { storedMessages } from '../../apps/router/src/testing/router-world.js';
import { startSystem, type System } from './system.js';

const identitySecret = 'TWFkZSBmb3IgdGVzdHM6IHRoZSBmaXJzdCBhY2NvdW50';
const origin = 'https://shop.example';

interface Erasure {
  state: string;
  pass: number;
  asked_by: string;
  ended_at: string | null;
  report: Record<string, Record<string, number>>;
  detail: string | null;
}

describe('the erasure of a contact', () => {
  let system: System;
  let model: FakeModel;
  let db: pg.Client;
  let app: string;

  beforeAll(async () => {
    model = await fakeModel();
    const soon = { ERASURE_SETTLE_MS: '500', ERASURE_SWEEP_MS: '100', SWEEP_EVERY_MS: '1000' };
    system = await startSystem({ ...soon, MODEL_BASE_URL: model.url, MODEL_NAME: 'fake' }, { linked: false });
    db = new pg.Client({ connectionString: system.databaseUrl });
    await db.connect();
    const fields = { origins: origin, identity_secret: identitySecret };
    const { id } = await system.api<{ id: string }>('POST', '/api/v1/credentials', {
      name: 'shop',
      type: 'text',
      fields,
    });
    const credentials = { WEB_CHAT_ORIGINS: id, WEB_CHAT_IDENTITY_SECRET: id };
    app = (await system.api<{ id: string }>('POST', '/api/v1/listings/webchat/install', { credentials })).id;
    await system.api('PUT', `/api/v1/channels/${app}`, { unknown_senders: 'open', inbox_mode: 'queue' });
  });
  afterAll(async () => {
    await db?.end();
    await system?.stop();
    await model?.close();
  });

  async function write(who: string, text: string, more: object = {}): Promise<void> {
    const token = await new SignJWT({ sub: `sub-${who}`, name: `Name ${who}`, email: `${who}@example.net` })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('5m')
      .sign(new TextEncoder().encode(identitySecret));
    const post = (path: string, body: object) =>
      fetch(`${system.origin('portal')}/api/v1/web-chat/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain', origin },
        body: JSON.stringify({ app, visitor: { token }, ...body }),
      });
    const file = {
      id: randomUUID(),
      name: `${who}.txt`,
      content_type: 'text/plain',
      content_base64: btoa(`file of ${who}`),
    };
    expect((await post('files', file)).status).toBe(200);
    expect((await post('messages', { id: randomUUID(), text, files: [file.id], ...more })).status).toBe(200);
  }

  const contactOf = (who: string) =>
    until(`the contact of ${who} is known`, async () => {
      const { data } = await system.api<{ data: { id: string }[] }>('GET', `/api/v1/contacts?search=user:sub-${who}`);
      return data[0]?.id ?? null;
    });
  const answered = (text: string) =>
    until(`${text} is answered`, async () => {
      const { rows } = await db.query(
        `SELECT id FROM gateway.delivery WHERE content ->> 'text' = $1 AND state = 'delivered'`,
        [text],
      );
      return rows[0]?.id ?? null;
    });

  /** Tables that hold one of these words, in a text or in bytes, packed or not. */
  async function tablesWith(...words: string[]): Promise<string[]> {
    const { rows: tables } = await db.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
        WHERE schemaname IN ('gateway', 'router', 'engine', 'ingress', 'journal', 'registry', 'vault', 'portal') ORDER BY 1`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const patterns = words.flatMap((word) => [`%${word}%`, `%${Buffer.from(word).toString('hex')}%`]);
      const { rows } = await db.query(`SELECT 1 FROM ${name} t WHERE t::text ILIKE ANY($1) LIMIT 1`, [patterns]);
      if (rows.length > 0) found.push(name);
    }
    const unpacked = JSON.stringify(await storedMessages(rowsOf, '')).toLowerCase();
    if (words.some((word) => unpacked.includes(word))) found.push('router.message');
    return [...new Set(found)];
  }

  const rowsOf = {
    query: async <T>(sql: string, parameters?: unknown[]) => (await db.query(sql, parameters)).rows as T[],
  };

  const ended = (contact: string) =>
    until(
      'the erasure has ended',
      async () => {
        const row = await system.api<Erasure>('GET', `/api/v1/contacts/${contact}/erasure`);
        if (row.state === 'dead') throw new Hopeless(`it is dead: ${row.detail}`);
        return row.state === 'done' ? row : null;
      },
      90_000,
    );

  it('leaves no word of them in any service, through kills, and everything of others', async () => {
    model.script('Answer to quokka.', 'Answer to wombat.', 'Another answer to quokka.');
    await write('quokka', 'I am quokka and live in Perth-quokka.');
    await answered('Answer to quokka.');
    await write('wombat', 'I am wombat.');
    await answered('Answer to wombat.');
    await write('quokka', 'More of quokka.');
    const last = await answered('Another answer to quokka.');
    const [contact, other] = [await contactOf('quokka'), await contactOf('wombat')];
    const { rows: sessions } = await db.query(
      'SELECT id, project_id, organization_id FROM engine.session WHERE contact_id = $1',
      [contact],
    );
    const { id: session, project_id, organization_id } = sessions[0];
    await db.query(
      `INSERT INTO engine.session_note (id, session_id, made_by, text, at) VALUES ('nte_1', $1, 'user:a', 'quokka is nice', now())`,
      [session],
    );
    await db.query(
      `INSERT INTO engine.contact_memory (id, organization_id, project_id, agent_id, contact_id, text, key, content_trust, turn_id, receipt_id, created_at)
       VALUES ('mem_1', $1, $2, 'agt_1', $3, 'quokka likes tea', 'k', 'own', 'trn_1', 'evt_1', now())`,
      [organization_id, project_id, contact],
    );
    // By SQL: the audit log, which stays, would have it too.
    await db.query(
      `UPDATE router.contact SET name = 'Somebody', reads_as = '{group:friends-of-quokka}' WHERE id = $1`,
      [contact],
    );
    const before = await tablesWith('quokka');
    expect(before).toEqual(
      expect.arrayContaining([
        'engine.session_note',
        'engine.contact_memory',
        'gateway.web_chat_file',
        'router.contact',
      ]),
    );

    const asked = await system.api<Erasure>('DELETE', `/api/v1/contacts/${contact}/data`);
    expect(['queued', 'running']).toContain(asked.state);
    for (const service of ['engine', 'router', 'adapter-gateway']) {
      await system.kill(service);
      await system.restart(service);
    }
    const row = await ended(contact);
    expect(row).toMatchObject({ pass: 2, asked_by: asked.asked_by });
    expect(row.report).toMatchObject({
      router: { identities: 1, contacts: 1 },
      engine: { memories: 1, notes: 1 },
      'adapter-gateway': { web_chat_messages: 4, web_chat_files: 2 },
    });
    expect(await tablesWith('quokka')).toEqual([]);

    // Ids, times, counts and outcomes are there, and the timeline says who erased the rest.
    const { data } = await system.api<{ data: { receipt_id: string; message: { message: string } }[] }>(
      'GET',
      `/api/v1/contacts/${contact}/messages`,
    );
    expect(data.map(({ message }) => message.message)).toEqual(['', '']);
    const event = await system.api<{ timeline: { reason: string | null; detail: { by?: string } | null }[] }>(
      'GET',
      `/api/v1/events/${data[0]!.receipt_id}`,
    );
    expect(event.timeline.findLast(({ reason }) => reason === 'erased')?.detail).toMatchObject({ by: asked.asked_by });
    const delivery = await system.api<{ state: string; content: { text: string; erased?: { by: string } } }>(
      'GET',
      `/api/v1/deliveries/${last}`,
    );
    expect(delivery).toMatchObject({ state: 'delivered', content: { text: '', erased: { by: asked.asked_by } } });
    expect(await system.api('GET', `/api/v1/contacts/${contact}`)).toMatchObject({
      name: 'Erased contact',
      identities: [],
    });
    await expect(system.api('POST', `/api/v1/events/${data[0]!.receipt_id}/replay`, {})).rejects.toThrow(
      /event_erased/,
    );

    // Asked twice, nothing more is done. Of others, nothing is gone.
    expect(await system.api('DELETE', `/api/v1/contacts/${contact}/data`)).toEqual(row);
    const others = await system.api<{ data: { message: { message: string } }[] }>(
      'GET',
      `/api/v1/contacts/${other}/messages`,
    );
    expect(others.data.map(({ message }) => message.message)).toEqual(['I am wombat.']);
    expect(await tablesWith('wombat')).toEqual(expect.arrayContaining(['gateway.web_chat_message', 'router.message']));
    // Who writes again is somebody new.
    model.script('Hello again.');
    await write('quokka', 'It is me.');
    await answered('Hello again.');
    expect(await contactOf('quokka')).not.toBe(contact);
  });
});

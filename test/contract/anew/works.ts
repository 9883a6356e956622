import { until } from '#libs/testing';
import type { Schema } from '../../../apps/console/src/api/named-schema.js';
import type { CourierWorld } from './courier-world.js';
import { courierEvent, type SentMessage } from './courier.js';
import { signingSecret } from './courier-world.js';

/** Every call of the contract, while all is well: what it brings, and by how many calls. @param shared the world */
export function holdWorks(shared: () => CourierWorld): void {
  describe('while all is well', () => {
    let world: CourierWorld;
    beforeAll(() => {
      world = shared();
    });
    const answers = (route: string): number => world.adapter.answered(route).length;
    /** The calls that something took. */
    const callsOf = async (route: string, work: () => Promise<unknown>): Promise<number> => {
      const before = answers(route);
      await work();
      return answers(route) - before;
    };
    const arrived = async (id: string): Promise<SentMessage> => {
      await world.system.reached(id, 'delivery', 'delivered');
      const [delivery] = await world.deliveries(id);
      const sent = world.courier.sent.find((message) => delivery && message.key.startsWith(delivery.id));
      return sent ?? Promise.reject(new Error(`nothing was sent for ${id}`));
    };

    it('is registered by one look at /manifest.json, and refreshed by another', async () => {
      expect(await world.page()).toMatchObject({ slug: 'courier', state: 'ready', version: 'first', violation: null });
      const asked = await callsOf('GET /manifest.json', () => world.system.ask('POST', `adapters/${world.id}/refresh`));
      expect(asked).toBe(1);
    });

    it('has another build as soon as /health says so', async () => {
      await world.adapter.start({ BUILD: 'second' });
      // Verify polls, so nothing has to wait for the next regular poll.
      expect((await world.verify()).checks.find(({ id }) => id === 'adapter_ready')?.sentence).toContain('second');
      expect((await world.page()).version).toBe('second');
    });

    it('tells by one call of /verify whose the credentials are', async () => {
      const asked = await callsOf('POST /verify', async () => {
        expect(await world.verify()).toMatchObject({ ok: true, user: 'Agent', account: { id: 'u-agent' } });
      });
      expect(asked).toBe(1);
    });

    it.each<[string, (sendTo: string) => Promise<Response>, string]>([
      [
        'signed by another',
        (url) => courierEvent(url, { kind: 'message' }, 'another-secret-of-nobody'),
        'bad_signature',
      ],
      [
        'signed an hour ago',
        (url) => courierEvent(url, {}, signingSecret, Date.now() / 1000 - 3_600),
        'stale_timestamp',
      ],
      ['not signed', (url) => fetch(url, { method: 'POST', body: '{}' }), 'missing_signature'],
    ])('refuses at the first look what is %s, and does not parse it', async (_what, send, reason) => {
      const parsed = answers('POST /parse-inbound');
      const verified = await callsOf('POST /verify-webhook', async () => {
        const { id } = (await (await send(world.app.webhook_url ?? '')).json()) as { id: string };
        expect(await world.system.ended(id)).toMatchObject({ outcome: 'refused', reason });
      });
      expect([verified, answers('POST /parse-inbound')]).toEqual([1, parsed]);
    });

    it('answers a message in its room and its thread, each step by one call', async () => {
      const before = ['verify-webhook', 'parse-inbound', 'format', 'deliver'].map((name) => answers(`POST /${name}`));
      const sent = await arrived(await world.write({ id: 'in-a-thread', thread: 't-7', text: '**Is** it done?' }));
      expect(sent).toMatchObject({ room: 'r-1', thread: 't-7', text: expect.stringContaining('*Is* it done?') });
      const after = ['verify-webhook', 'parse-inbound', 'format', 'deliver'].map((name) => answers(`POST /${name}`));
      expect(after).toEqual(before.map((calls) => calls + 1));
    });

    it('knows the message that comes again by its dedup_key, and its own by is_bot', async () => {
      await arrived(await world.write({ id: 'once' }));
      const repeated = await world.system.ended(await world.write({ id: 'once', resent: true }));
      expect(repeated).toMatchObject({ outcome: 'duplicate', turns: [] });
      const own = await world.system.ended(await world.write({ author: { id: 'u-agent', name: 'Agent' } }));
      expect(own).toMatchObject({ outcome: 'dropped_bot', turns: [] });
    });

    it('pauses who only repeats a text, informs them once, and answers everybody else', async () => {
      const author = { id: 'u-machine', name: 'Machine' };
      const isPaused = async (): Promise<boolean> => {
        const id = await world.write({ author, text: 'I am out of the office.' });
        const event = await until('it was answered, or paused', async () => {
          const now = await world.event(id);
          const isAnswered = now.timeline.some(({ stage, outcome }) => stage === 'delivery' && outcome === 'delivered');
          // Its notice is a turn, which the engine stores a moment later.
          const isPausedNow = now.outcome === 'loop_paused' && now.turns.length > 0;
          return isAnswered || isPausedNow ? now : null;
        });
        if (event.outcome !== 'loop_paused') return false;
        // Of no session and no run: the notice to whoever is paused.
        expect(event).toMatchObject({ reason: 'identical_texts', turns: [{ session_id: null, run_id: null }] });
        expect(event.text).toContain('LOOP_SAME_TEXTS');
        return true;
      };
      let answered = 0;
      while (!(await isPaused())) answered += 1;
      expect(answered).toBe(7);
      const later = await world.system.ended(await world.write({ author, text: 'I am out of the office.' }));
      expect(later).toMatchObject({ outcome: 'loop_paused', turns: [] });
      await arrived(await world.write({ text: 'I am out of the office.' }));
    });

    it('shows in the room that an answer is written, until it is there', async () => {
      const room = 'u-writing';
      const asked = await callsOf('POST /indicate', async () => {
        await arrived(await world.write({ room, text: 'Are you there?' }));
        await until('it has said that it is over', () => world.courier.writing.includes(`${room} done`));
      });
      expect(asked).toBe(2);
      expect(world.courier.writing.filter((each) => each.startsWith(room))).toEqual([
        `${room} working`,
        `${room} done`,
      ]);
    });

    it('takes an event that is nothing for anybody, and a handshake before all', async () => {
      const typing = await world.system.ended(await world.write({ kind: 'typing' }));
      expect(typing).toMatchObject({ outcome: 'ignored', turns: [] });
      const handshake = { kind: 'url_verification', challenge: 'a-word' };
      const answer = await courierEvent(world.app.webhook_url ?? '', handshake, signingSecret);
      expect([answer.status, await answer.text()]).toEqual([200, 'a-word']);
      const forged = await courierEvent(world.app.webhook_url ?? '', handshake, 'another-secret-of-nobody');
      expect([forged.status, (await forged.text()).includes('a-word')]).toEqual([401, false]);
    });

    it('keeps what was written as it was, and gives the model no character that a person does not see', async () => {
      const text = 'Is\u202e it\u200b d\u{e0041}one?';
      const id = await world.write({ text });
      expect((await arrived(id)).text).toContain('Is it done?');
      const url = `${world.system.origin('portal')}/api/v1/events/${id}/body`;
      const body = await fetch(url, { headers: { authorization: `Bearer ${world.system.apiKey}` } });
      expect(await body.json()).toMatchObject({ text });
    });

    it('shows nobody what its credentials hold, in any answer or log', async () => {
      const paths = [`credentials/${world.token}`, 'credentials', `apps/${world.app.id}`, `adapters/${world.id}`];
      const answers = await Promise.all(paths.map((path) => world.system.ask('GET', path)));
      expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
      for (const secret of ['a-token-of-courier', signingSecret, world.secret]) {
        expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain(secret);
        expect(world.system.logs()).not.toContain(secret);
      }
    });

    const onEvent = async (type: string, reply: string): Promise<number> => {
      const workflow = { name: `on ${type}`, instructions: `reply: ${reply}` };
      const { id } = await world.system.api<{ id: number }>('POST', '/api/v1/workflows', workflow);
      const trigger = { app_id: world.app.id, workflow_id: id, event_types: [type] };
      await world.system.api('POST', '/api/v1/triggers', trigger);
      return id;
    };

    it('starts the workflow whose trigger names its event_type', async () => {
      const id = await onEvent('report_filed', 'noted');
      const event = await world.system.ended(await world.write({ about: 'report_filed' }));
      expect(event.runs).toMatchObject([{ workflow_id: id }]);
    });

    it('gets what is too long for one message in parts, in their order', async () => {
      const text =
        Array.from({ length: 30 }, (_, n) => `${n}. A **sentence** that fills some room.`).join(' ') + ' The end.';
      await onEvent('long_report', text);
      const id = await world.write({ about: 'long_report' });
      const parts = await until('all has arrived', async () => {
        const sent = (await world.deliveries(id)).flatMap(({ id: delivery }) =>
          world.courier.sent.filter(({ key }) => key.startsWith(`${delivery}/`)),
        );
        return sent.some((part) => part.text.endsWith('The end.')) ? sent : null;
      });
      expect(parts.filter((part) => part.text.length > 400)).toEqual([]);
      expect(parts.map(({ text: part }) => part).join(' ')).toBe(text.replaceAll('**', '*'));
    });

    it('waits as long as Courier says, and sends once', async () => {
      world.courier.limited = 1;
      const { key } = await arrived(await world.write());
      const times = world.courier.sent.filter((message) => message.key === key).length;
      expect([times, world.courier.limited]).toEqual([1, 0]);
    });

    it('brings its documents page by page, from the cursor before', async () => {
      for (const name of ['a.md', 'b.md', 'c.md']) world.courier.pages.set(name, `All about ${name}.`);
      const made = { app_id: world.app.id, name: 'Handbook', resource_path: 'handbook' };
      const { id } = await world.system.api<{ id: string }>('POST', '/api/v1/sources', made);
      const synced = async (): Promise<Schema<'SyncRunView'>> => {
        const { body } = await world.system.ask<Schema<'SyncRunView'>>('POST', `sources/${id}/sync`);
        return until('the sync has ended', async () => {
          const run = (await world.system.ask<Schema<'SyncRunView'>>('GET', `sources/${id}/runs/${body.id}`)).body;
          return run.finished_at ? run : null;
        });
      };
      const fetches = await callsOf('POST /sources/fetch-file', async () => {
        const pages = await callsOf('POST /sources/list-changes', async () => {
          expect(await synced()).toMatchObject({ state: 'succeeded', added: 3, removed: 0, failed: 0 });
        });
        expect(pages).toBe(2);
        world.courier.pages.set('a.md', 'Something else.');
        world.courier.pages.delete('b.md');
        expect(await synced()).toMatchObject({ state: 'succeeded', added: 0, changed: 1, removed: 1, failed: 0 });
      });
      expect(fetches).toBe(4);
    });

    it('gives Courier the address of its webhook, without anybody asking', async () => {
      await until('it is subscribed', () => world.courier.subscriptions.includes(world.app.webhook_url ?? 'none'));
      const renewal = await world.system.ask<{ expires_at: string }>('GET', `apps/${world.app.id}/webhook-renewal`);
      expect(renewal.body.expires_at).toMatch(/^\d{4}-/);
    });

    it('is asked for what Courier keeps, where Courier cannot reach the installation', async () => {
      const id = `kept-${Date.now()}`;
      const author = { id: `u-${id}`, name: 'Jane' };
      const message = { id, kind: 'message', room: 'hall', author, text: 'Kept for you.' };
      world.courier.kept.push({ id, body: JSON.stringify(message) });
      await world.system.ask('PUT', `apps/${world.app.id}/connection`);
      const connection = async () =>
        (await world.system.ask<Schema<'HeldConnectionView'>>('GET', `apps/${world.app.id}/connection`)).body;
      await until('the event is taken', async () => (await connection()).events === 1);
      expect(await connection()).toMatchObject({ state: 'connected', gap: null });
      await until('it is answered', () => world.courier.sent.some(({ room }) => room === 'hall'));
      await world.system.ask('DELETE', `apps/${world.app.id}/connection`);
    });

    it('is asked for what Courier could not deliver, and what it answers twice is stored once', async () => {
      const id = `undelivered-${Date.now()}`;
      const author = { id: `u-${id}`, name: 'Jane' };
      const message = { id, kind: 'message', room: 'porch', author, text: 'Nobody was at the door.' };
      world.courier.undelivered.push({ id, body: JSON.stringify(message), at: new Date(Date.now() - 60_000) });
      const asked = async (): Promise<Schema<'MissedAskView'>> => {
        const since = new Date(Date.now() - 3_600_000).toISOString();
        await world.system.ask('POST', `apps/${world.app.id}/missed`, { since });
        return until('Courier was asked', async () => {
          const { body } = await world.system.ask<Schema<'MissedAskView'>>('GET', `apps/${world.app.id}/missed`);
          return body.ended_at ? body : null;
        });
      };
      expect(await asked()).toMatchObject({ state: 'done', stored: 1 });
      await until('it is answered', () => world.courier.sent.some(({ room }) => room === 'porch'));
      expect(await asked()).toMatchObject({ state: 'done', stored: 0 });
    });

    it('gets the organization with every call, /health and /manifest.json too', () => {
      const strange = world.adapter.answered().filter(({ organization }) => organization?.startsWith('org_') !== true);
      expect(strange).toEqual([]);
    });
  });
}

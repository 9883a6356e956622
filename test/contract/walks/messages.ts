import { until } from '#libs/testing';
import type { InstalledApp } from '../../system/api.js';
import { hmac, post } from '../../system/webhook.js';
import { askOf, type Ground, type Listed, type Named } from './walk.js';

const secret = `whsec_${Buffer.from('a secret that both ends know').toString('base64')}`;

/** A call that waits for a person's approval. */
interface Asked extends Named {
  turn_id: string;
}

/** What messages lead to: events, runs, deliveries, contacts and sessions. */
export function walkMessages(ground: () => Ground): void {
  const ask = askOf(ground);
  const askForVersions = async (rule: string): Promise<void> => {
    await ask('GET', `${rule}/versions`);
    await ask('GET', `${rule}/versions/1/differences`);
    await ask('POST', `${rule}/versions/1/restore`, {});
  };
  let made = 0;
  const key = (): Record<string, string> => ({ 'idempotency-key': `walk-${(made += 1)}` });

  it('for statistics', async () => {
    await ask('GET', 'statistics/messages');
    await ask('GET', 'statistics/messages?step=hour');
    await ask('GET', `statistics/states?since=${new Date(0).toISOString()}`);
  });

  it('for runs that wait for an event', async () => {
    const steps = [{ name: 'paid', kind: 'wait', event_type: 'paid', wait_minutes: 5 }];
    const { id } = await ask<{ id: number }>('POST', 'workflows', { name: 'waits', steps });
    await ask('POST', `workflows/${id}/runs`, { message: 'go' }, key());
    const open = `event-waits?workflow_id=${id}&state=open`;
    const wait = await until('the run waits', async () => (await ask<Listed>('GET', open)).data[0]);
    await ask('POST', `event-waits/${wait.id}/cancel`);
  });

  it('for workflows, triggers and runs', async () => {
    const { system } = ground();
    const { id: workflow_id } = await ask<{ id: number }>('POST', 'workflows', {
      name: 'walk',
      instructions: 'reply: walked',
    });
    await ask('GET', 'workflows');
    await ask('GET', `workflows/${workflow_id}`);
    const run = await ask('POST', `workflows/${workflow_id}/runs?wait=20`, { message: 'go' }, key());
    await ask('POST', `workflows/${workflow_id}/runs`, { message: 'go on' }, key());
    await ask('GET', 'runs');
    await ask('GET', `runs/${run.id}`);
    await ask('POST', `runs/${run.id}/replay`, {});
    await ask('PATCH', `workflows/${workflow_id}`, { status: 'suspended' });
    const waiting = await ask('POST', `workflows/${workflow_id}/runs`, { message: 'wait' }, key());
    await ask('POST', `runs/${waiting.id}/cancel`);
    await ask('POST', `workflows/${workflow_id}/discard`);
    await ask('PATCH', `workflows/${workflow_id}`, { status: 'active' });
    const rules = { app_id: system.appId, workflow_id, event_types: ['walk.begun'] };
    const trigger = await ask('POST', 'triggers', rules);
    await ask('GET', 'triggers');
    await ask('GET', `triggers/${trigger.id}`);
    await ask('PATCH', `triggers/${trigger.id}`, { where: 'event.message != ""' });
    await askForVersions(`triggers/${trigger.id}`);
    await askForVersions(`workflows/${workflow_id}`);
    const { id } = await post(system.webhookUrl, { task: 'begin', metadata: { event_type: 'walk.begun' } });
    await system.ended(id);
    await ask('POST', 'triggers/dry-run', { app_id: system.appId, where: 'event.message == "begin"' });
    await ask('DELETE', `triggers/${trigger.id}`);
  });

  it('for schedules', async () => {
    const { id: workflow_id } = await ask<{ id: number }>('POST', 'workflows', {
      name: 'timed',
      instructions: 'reply: on time',
    });
    const timed = { name: 'Every minute', cron: '* * * * *', time_zone: 'Europe/Berlin', workflow_id };
    await ask('POST', 'schedules/times', { cron: timed.cron });
    const { id } = await ask('POST', 'schedules', timed);
    await ask('GET', 'schedules');
    await ask('GET', `schedules/${id}`);
    await until('a tick has run', async () => {
      const { data } = await ask<{ data: { state: string }[] }>('GET', `schedules/${id}/ticks`);
      return data.some(({ state }) => state === 'ran');
    });
    await ask('PATCH', `schedules/${id}`, { active: false });
    await ask('DELETE', `schedules/${id}`);
  });

  it('for events, their deliveries and dead letters', async () => {
    const { system, sink } = ground();
    await ask('POST', system.webhookPath.replace('/api/v1/', ''), { task: 'as any program sends it' });
    await ask('PUT', `channels/${system.appId}`, { reply_address: `${sink.url}/walk` });
    sink.answer = () => ({ status: 400 });
    const { id } = await post(system.webhookUrl, { task: 'answer me' });
    await system.reached(id, 'delivery', 'dead');
    sink.answer = () => ({ status: 200 });
    await ask('GET', 'events?limit=5');
    await ask('GET', `events/${id}`);
    await ask('GET', `events/${id}/request`);
    expect(await ask<object>('GET', `events/${id}/body`)).toEqual({ task: 'answer me' });
    const { data } = await ask<Listed>('GET', `deliveries?event_id=${id}`);
    await ask('GET', `deliveries/${data[0]?.id}`);
    const letters = await until(
      'the dead letter is listed',
      async () => (await ask<Listed>('GET', 'events/dead-letters')).data[0],
    );
    await ask('GET', `events/dead-letters/${letters.id}`);
    const { data: problems } = await ask<Listed>('GET', 'problems');
    await ask('POST', `problems/${problems[0]?.id}/mute`, { hours: 1 });
    await ask('POST', `problems/${problems[0]?.id}/resolve`);
    await ask('POST', `problems/${problems[0]?.id}/reopen`);
    await ask('POST', `events/dead-letters/${letters.id}/redrive`, undefined, key());
    await system.reached(id, 'delivery', 'delivered');
    await ask('POST', 'events/dead-letters/redrive', {}, key());
    await ask('POST', `events/${id}/replay`, {}, key());
    const batch = await ask('POST', 'events/replay', { text: 'answer me' }, key());
    await ask('GET', `events/batches/${batch.id}`);
    await ask('POST', `events/batches/${batch.id}/cancel`);
  });

  it('for a dead delivery that is redriven', async () => {
    const { system, sink } = ground();
    sink.answer = () => ({ status: 400 });
    const { id } = await post(system.webhookUrl, { task: 'answer me later' });
    await system.reached(id, 'delivery', 'dead');
    sink.answer = () => ({ status: 200 });
    const { data } = await ask<Listed>('GET', `deliveries?event_id=${id}`);
    await ask('POST', `deliveries/${data[0]?.id}/redrive`);
  });

  it('for contacts, sessions and turns of a person', async () => {
    const { system, sink } = ground();
    const url = `${system.origin('adapters')}/generic`;
    const adapter = await ask('POST', 'adapters', { url });
    const credential_id = await system.credential({ signing_secret: secret });
    const installed = { name: 'generic', kind: 'adapter', adapter_id: adapter.id, credential_id };
    const app = await ask<InstalledApp>('POST', 'apps', installed);
    await ask('PUT', `channels/${app.id}`, { unknown_senders: 'pair', session_scope: 'contact' });
    await ask('POST', 'contacts/pairing-codes', { app_id: app.id });
    await ask('PUT', `channels/${app.id}`, { unknown_senders: 'hold', session_scope: 'contact' });
    await askForVersions(`channels/${app.id}`);
    const write = async (sender: string, message: string): Promise<string> => {
      const body = JSON.stringify({ sender, message, id: `${(made += 1)}`, reply_to: `${sink.url}/${sender}` });
      return (await post(app.webhook_url, body, { 'x-signature-256': hmac(secret, body) })).id;
    };
    for (const sender of ['ann', 'bob']) await system.ended(await write(sender, 'let me in'));
    const held = await ask<Listed>('GET', 'held-messages');
    await ask('POST', 'held-messages/release', { message_ids: [held.data[0]?.id] }, key());
    const contacts = await ask<{ data: (Named & { name: string })[] }>('GET', 'contacts');
    const [ann, bob] = ['ann', 'bob'].map((name) => contacts.data.find((contact) => contact.name === name)?.id);
    await ask('GET', `contacts/${ann}`);
    await ask('PATCH', `contacts/${ann}`, { daily_budget: 100 });
    await ask('POST', `contacts/${ann}/admit`);
    await ask('GET', `contacts/${ann}/messages`);
    for (const verb of ['block', 'unblock', 'resume']) await ask('POST', `contacts/${bob}/${verb}`);
    await ask('POST', `contacts/${bob}/merge`, { into: ann });
    await ask('POST', `contacts/${bob}/unmerge`);
    await ask('DELETE', `contacts/${bob}/data`);
    await ask('GET', `contacts/${bob}/erasure`);
    await system.reached(await write('ann', 'hello'), 'delivery', 'delivered');
    const { data } = await ask<Listed>('GET', `sessions?contact_id=${ann}`);
    const session = data[0]?.id;
    await ask('GET', `sessions/${session}`);
    const turns = await ask<Listed>('GET', `sessions/${session}/turns`);
    const [turn] = turns.data;
    await ask('GET', `turns/${turn?.id}`);
    await ask('GET', `turns/${turn?.id}/tool-calls`);
    const { data: agents } = await ask<{ data: (Named & { is_chief_of_staff: boolean })[] }>('GET', 'agents');
    const comparisons = `agents/${agents.find((agent) => agent.is_chief_of_staff)?.id}/comparisons`;
    const rules = [{ contains: 'hello' }, { pointer: '/total', equals: 3 }];
    const body = { candidate: 1, turn_ids: [turn?.id], rules, judge: { criteria: 'It is polite.' } };
    const comparison = await ask('POST', comparisons, body, key());
    await until('it is compared', async () => {
      const { open } = await ask<Named & { open: number }>('GET', `${comparisons}/${comparison.id}`);
      return open === 0;
    });
    await ask('GET', comparisons);
    await ask('GET', `${comparisons}/${comparison.id}/cases`);
    await ask('POST', `${comparisons}/${comparison.id}/cancel`);
    const sets = comparisons.replace('comparisons', 'case-sets');
    const set = await ask('POST', sets, { name: 'Kept', cases_of: comparison.id, rules });
    await ask('GET', sets);
    await ask('GET', `${sets}/${set.id}`);
    await ask('DELETE', `${sets}/${set.id}`);
    await ask('PUT', `sessions/${session}/seen`);
    await ask('PUT', `sessions/${session}/assignee`, {});
    await ask('POST', `sessions/${session}/notes`, { text: 'Wants tea.' });
    const answer = await ask<{ id: string }>('PUT', 'canned-answers', { name: 'Tea', text: 'Tea is served at four.' });
    await ask('GET', 'canned-answers');
    await ask('DELETE', `canned-answers/${answer.id}`);
    await ask('POST', `sessions/${session}/takeover`);
    await ask('POST', `sessions/${session}/reply`, { text: 'A person speaks.' }, key());
    await system.ended(await write('ann', 'to a person'));
    await ask('POST', `sessions/${session}/hand-back`, { answer_waiting: true });
    await ask('GET', `sessions/${session}/turns`);
    await ask('POST', `sessions/${session}/resolve`);
    await ask('POST', `sessions/${session}/reopen`);
  });

  it('for calls that wait for a person', async () => {
    const { sink } = ground();
    const call = `call http_request ${JSON.stringify({ method: 'POST', url: sink.url, body: '{}' })}`;
    const instructions = `${call}\nreply: done`;
    const approver = await keyOfMember({ name: 'approver', scopes: ['approvals:decide'] });
    const approvers = [`key:${approver.id}`];
    const agent = { name: 'careful', instructions, may_do: 'read', approvers, tools: ['http_request'] };
    const { id: agent_id } = await ask('POST', 'agents', agent);
    const workflow = await ask<{ id: number }>('POST', 'workflows', { name: 'careful', agent_id });
    for (const verb of ['approve', 'refuse', 'cancel']) {
      const run = await ask('POST', `workflows/${workflow.id}/runs`, { message: verb }, key());
      const approval = await until(
        'a call waits',
        async () => (await ask<{ data: Asked[] }>('GET', 'approvals?state=pending')).data[0],
      );
      await ask('GET', `approvals/${approval.id}`);
      await ask('GET', 'open-calls');
      if (verb === 'cancel') {
        await ask('POST', `turns/${approval.turn_id}/cancel`);
        await until(
          'the run is cancelled',
          async () => (await ask<{ state: string }>('GET', `runs/${run.id}`)).state === 'cancelled',
        );
        await ask('POST', `runs/${run.id}/retry`, undefined, key());
      } else {
        const authorization = `Bearer ${approver.key}`;
        await ask('POST', `approvals/${approval.id}/${verb}`, { note: 'walked' }, { authorization });
      }
    }
  });

  /** Whoever starts a run may not decide on its calls, nor may a key that theirs made: a member makes this one. */
  async function keyOfMember(key: object): Promise<Named & { key: string }> {
    const { id } = await ask('POST', 'members', { email: 'approver@example.com', role: 'admin' });
    const { sign_in_link } = await ask<{ sign_in_link: string }>('POST', `members/${id}/sign-in-link`);
    const { origin, hash } = new URL(sign_in_link);
    const post = (path: string, body: object, headers: Record<string, string> = {}) =>
      fetch(`${ground().system.origin('portal')}/api/v1/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin, ...headers },
        body: JSON.stringify(body),
      });
    const signedIn = await post('sign-in/link', { token: hash.replace('#token=', '') });
    const { csrf_token } = (await signedIn.json()) as { csrf_token: string };
    const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const made = await post('api-keys', key, { cookie, 'x-csrf-token': csrf_token });
    expect(made.status).toBe(201);
    return (await made.json()) as Named & { key: string };
  }
}

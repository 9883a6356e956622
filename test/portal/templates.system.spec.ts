import { until } from '#libs/testing';
import { startSmallSystem, type System } from '../system/system.js';

interface Tool {
  name: string;
  grade: string;
}

interface Part {
  kind: string;
  name: string;
  tools: Tool[];
  state: string;
  id: string | null;
  problem: object | null;
}

interface Template {
  complete: boolean;
  parts: Part[];
  open_steps: { kind: string; done: boolean; resource: { kind: string; id: string | null } }[];
}

interface Turn {
  state: string;
  reply_text: string | null;
  steps: { kind: string; content: { result?: { result?: unknown } } }[];
}

interface Step {
  name: string;
  state: string;
}

interface Answered {
  state: string;
  text: string | null;
  results: unknown[];
  steps: Record<string, string>;
}

const all = ['support-inbox', 'alert-triage', 'invoice-filer', 'github-triage'];

/** Lists of the API by the kind of part that they have. */
const lists = {
  apps: 'app',
  agents: 'agent',
  skills: 'skill',
  tools: 'tool',
  workflows: 'workflow',
  credentials: 'credential',
};

describe('a template, through all services', () => {
  let system: System;
  const get = (id: string): Promise<Template> => system.api('GET', `/api/v1/templates/${id}`);
  const apply = (id: string): Promise<Template> => system.api('POST', `/api/v1/templates/${id}/apply`);

  beforeAll(async () => {
    system = await startSmallSystem();
  });
  afterAll(async () => {
    await system?.stop();
  });

  const send = (id: string, number: number): Promise<{ event_id: string | null; problem: { code: string } | null }> =>
    system.api('POST', `/api/v1/templates/${id}/samples/${number}`);

  const answered = async (id: string, number: number): Promise<Answered> => turnOf((await send(id, number)).event_id);

  /** The turn of an event once it has ended, and the steps of its run by name. */
  async function turnOf(eventId: string | null): Promise<Answered> {
    const { turns, runs } = await system.ended(eventId ?? '');
    const turn = await until(`the turn of ${eventId} ended`, async () => {
      const read = await system.api<Turn>('GET', `/api/v1/turns/${turns[0]?.id}`);
      return ['succeeded', 'failed'].includes(read.state) ? read : null;
    });
    const run = runs[0] && (await system.api<{ steps: Step[] | null }>('GET', `/api/v1/runs/${runs[0].id}`));
    const steps = Object.fromEntries((run?.steps ?? []).map(({ name, state }) => [name, state]));
    const results = turn.steps
      .filter(({ kind }) => kind === 'tool_result')
      .map(({ content }) => content.result?.result);
    return { state: turn.state, text: turn.reply_text, results, steps };
  }

  it('is offered, and looking at it makes nothing', async () => {
    const { data } = await system.api<{ data: { id: string }[] }>('GET', '/api/v1/templates');
    expect(data.map(({ id }) => id)).toEqual(all);
    for (const id of all) {
      const { complete, parts } = await get(id);
      expect([complete, new Set(parts.map(({ state }) => state))]).toEqual([false, new Set(['missing'])]);
    }
    await expect(send('support-inbox', 1)).rejects.toThrow('template_not_applied');
  });

  it('of which a part is refused says which, and goes on from there once that is repaired', async () => {
    // The App wants the field signing_secret, which this credential of the same name does not have.
    const taken = { name: 'Signing secret of Support inbox', type: 'api_key', fields: { token: 'other' } };
    const { id } = await system.api<{ id: string }>('POST', '/api/v1/credentials', taken);
    const stopped = await apply('support-inbox');
    expect(stopped.parts.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      'tool made',
      'skill made',
      'agent made',
      'credential there',
      'app failed',
      'channel missing',
    ]);
    expect(stopped.parts[4]?.problem).toMatchObject({ code: expect.any(String), detail: expect.any(String) });
    expect(stopped.complete).toBe(false);

    await system.api('PATCH', `/api/v1/credentials/${id}`, { name: 'another one' });
    const { parts } = await apply('support-inbox');
    expect(parts.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      'tool there',
      'skill there',
      'agent there',
      'credential made',
      'app made',
      'channel made',
    ]);
  });

  it.each(all)('%s is made once, with the grades that it names, whoever applies it at the same time', async (id) => {
    const attempts = await Promise.allSettled([apply(id), apply(id), apply(id)]);
    for (const attempt of attempts) {
      if (attempt.status === 'rejected') expect(String(attempt.reason)).toContain('template_in_progress');
      // Without the lock, whoever is later collides with what the others make.
      else expect(attempt.value.parts.filter(({ state }) => state === 'failed')).toEqual([]);
    }
    const { complete, parts } = await apply(id);
    expect([complete, new Set(parts.map(({ state }) => state))]).toEqual([true, new Set(['there'])]);
    for (const { id: toolId, tools } of parts.filter(({ kind }) => kind === 'tool')) {
      const { name, grade } = await system.api<Tool>('GET', `/api/v1/tools/${toolId}`);
      expect(tools).toEqual([{ name, grade }]);
    }
    for (const [list, kind] of Object.entries(lists)) {
      const { data } = await system.api<{ data: { name: string }[] }>('GET', `/api/v1/${list}`);
      const names = parts.filter((part) => part.kind === kind).map(({ name }) => name);
      for (const name of names) expect([name, data.filter((row) => row.name === name).length]).toEqual([name, 1]);
    }
  });

  it('leaves what people changed as they left it', async () => {
    const agent = (await get('support-inbox')).parts.find(({ kind }) => kind === 'agent');
    await system.api('PATCH', `/api/v1/agents/${agent?.id}`, { instructions: 'Ours now.' });
    await apply('support-inbox');
    const { instructions } = await system.api<{ instructions: string }>('GET', `/api/v1/agents/${agent?.id}`);
    expect(instructions).toBe('Ours now.');
    await system.api('PATCH', `/api/v1/agents/${agent?.id}`, { instructions: 'reply: Ours now: {{message}}' });
    expect((await answered('support-inbox', 2)).text).toBe(
      'Ours now: The lamp arrived broken. I would like my money back, please.',
    );
  });

  it('takes its samples all the way: tools, branches and answers', async () => {
    const critical = await answered('alert-triage', 1);
    expect(critical.steps).toEqual({ group: 'done', critical: 'done', page: 'done', note: 'skipped' });
    expect(critical.text).toMatch(/^Critical: Checkout/);
    const warning = await answered('alert-triage', 2);
    expect(warning.steps).toEqual({ group: 'done', critical: 'done', page: 'skipped', note: 'done' });
    const resolved = await send('alert-triage', 3);
    expect((await system.ended(resolved.event_id ?? '')).outcome).toBe('no_match');

    const wrong = await answered('invoice-filer', 2);
    expect(wrong.results).toEqual([
      { correct: false, expected_total: '118.88', problems: 'its lines and tax add up to 118.88, and it says 128.88' },
    ]);
    expect(wrong.steps).toMatchObject({ check: 'done', file: 'skipped', letter: 'done' });
    expect(wrong.text).toMatch(/^This invoice is not right/);

    const issue = await answered('github-triage', 1);
    expect(issue.text).toBe(
      'Proposed for "Checkout crashes": labels bug, needs-info; missing: version, steps to reproduce, error text.',
    );
  });

  it('files a right invoice once its approver has agreed', async () => {
    const { event_id: eventId } = await send('invoice-filer', 1);
    const approval = await until('the call waits for its approver', async () => {
      const { data } = await system.api<{ data: { id: string; tool: string }[] }>(
        'GET',
        '/api/v1/approvals?state=pending',
      );
      return data.find(({ tool }) => tool === 'store_knowledge') ?? null;
    });
    await system.api('POST', `/api/v1/approvals/${approval.id}/approve`);
    const filed = await turnOf(eventId);
    expect([filed.state, filed.text]).toEqual([
      'succeeded',
      expect.stringMatching(/^Checked and filed: Invoice R-2041/),
    ]);
    expect(filed.steps).toEqual({ check: 'done', correct: 'done', file: 'done', filed: 'done', letter: 'skipped' });
    const { data } = await system.api<{ data: { title: string }[] }>('GET', '/api/v1/knowledge');
    expect(data.map(({ title }) => title)).toEqual([expect.stringMatching(/^Invoice R-2041-/)]);
  });

  it('names what is left to people, and ticks it off once it is done', async () => {
    const before = (await get('github-triage')).open_steps;
    expect(before.map(({ kind, done }) => [kind, done])).toEqual([
      ['model', false],
      ['credential', false],
      ['approver', expect.any(Boolean)],
      ['sender', false],
    ]);
    const [, credential, , sender] = before;
    const token = { name: 'github token', type: 'api_key', fields: { token: 'ghp_x' } };
    const { id } = await system.api<{ id: string }>('POST', '/api/v1/credentials', token);
    const credentials = [{ credential_id: id, as: 'github', hosts: ['api.github.com'] }];
    await system.api('PATCH', `/api/v1/skills/${credential?.resource.id}`, { credentials });
    await system.api('PATCH', `/api/v1/apps/${sender?.resource.id}`, { sender: 'github' });
    const after = (await get('github-triage')).open_steps;
    expect(after.filter(({ done }) => done).map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['credential', 'sender']),
    );
  });

  it('is refused to whoever may not make one of its parts, and makes nothing then', async () => {
    const scopes = ['apps:write', 'agents:write', 'tools:write', 'workflows:write', 'channels:write'];
    const { key } = await system.api<{ key: string }>('POST', '/api/v1/api-keys', { name: 'short', scopes });
    const refused = await fetch(`${system.origin('portal')}/api/v1/templates/alert-triage/apply`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
    });
    expect([refused.status, await refused.json()]).toMatchObject([403, { code: 'scope_missing' }]);
  });

  it('is made in the project that was asked for, and its audit log says what', async () => {
    const { id: other } = await system.api<{ id: string }>('POST', '/api/v1/projects', { name: 'Other' });
    const inOther = { 'x-project-id': other };
    const template = await system.api<Template>('GET', '/api/v1/templates/alert-triage', undefined, inOther);
    expect(new Set(template.parts.map(({ state }) => state))).toEqual(new Set(['missing']));
    const applied = await system.api<Template>('POST', '/api/v1/templates/alert-triage/apply', undefined, inOther);
    expect(applied.complete).toBe(true);
    const audit = await system.api<{ data: { subject: string; after: { made: object[]; failed: null } }[] }>(
      'GET',
      '/api/v1/audit?action=template.applied',
      undefined,
      inOther,
    );
    expect(audit.data).toHaveLength(1);
    const made = applied.parts.map(({ kind, name, id }) => ({ kind, name, id }));
    expect(audit.data[0]).toMatchObject({ subject: 'alert-triage', after: { made, failed: null } });
    await system.api('POST', `/api/v1/projects/${other}/close`);
    await expect(system.api('POST', '/api/v1/templates/support-inbox/apply', undefined, inOther)).rejects.toThrow(
      'project_closed',
    );
  });
});

import { newId } from '#libs/contracts';
import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { until } from '#libs/testing';
import { openApi, type InstalledApp } from '../../system/api.js';
import { post } from '../../system/webhook.js';

/** A caller of the API: a project, with one of its keys. */
export interface Tenant {
  key: string;
}

/**
 * Another organization, or another project of one, with an administrator's key. Both are inserted as rows, as an
 * operator would.
 */
export async function makeTenant(databaseUrl: string, organization?: string): Promise<Tenant> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const organizationId = organization ?? newId('org');
    const projectId = newId('prj');
    const key = `gh_${randomBytes(32).toString('base64url')}`;
    if (!organization) {
      await client.query('INSERT INTO portal.organization (id, name) VALUES ($1, $2)', [organizationId, 'Another']);
    }
    const project = [projectId, organizationId, 'Another'];
    await client.query('INSERT INTO portal.project (id, organization_id, name) VALUES ($1, $2, $3)', project);
    const hash = createHash('sha256').update(key).digest();
    const owned = [
      newId('key'),
      organizationId,
      projectId,
      'Another',
      hash,
      key.slice(-4),
      ['admin', 'approvals:manage'],
    ];
    await client.query(
      `INSERT INTO portal.api_key (id, organization_id, project_id, name, hash, last4, scopes)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      owned,
    );
    return { key };
  } finally {
    await client.end();
  }
}

/** Creates one object of nearly every kind through the API.  @param word is part of every name and text */
export async function fillTenant(origin: string, { key }: Tenant, word: string): Promise<void> {
  const { api, ended } = openApi(origin, key);
  const ask = <T = { id: string }>(method: string, path: string, body?: object): Promise<T> =>
    api<T>(method, `/api/v1/${path}`, body);
  const name = `of ${word}`;
  const url = `${origin}/nothing/${word}`;
  await ask('POST', 'api-keys', { name, scopes: ['events:read'] });
  const fields = { password: word, codes: [`${word} 1`, `${word} 2`] };
  const credential = await ask('POST', 'credentials', { name, type: 'text', fields });
  // A refusal repeats the requested slug. That reveals nothing, so the slug contains no canary.
  const slug = `skill-${createHash('sha256').update(word).digest('hex').slice(0, 8)}`;
  const manifest = { slug, name, description: name, category: 'Integration' };
  const knowledge = { name, knowledge: name };
  await ask('POST', 'adapters', { manifest: { schema_version: '1.0', ...manifest, skill: knowledge } });
  const app = await ask<InstalledApp>('POST', 'apps', { name, kind: 'builtin' });
  const bound = { consumer_kind: 'app', consumer_id: app.id, fields: ['password'] };
  await ask('POST', `credentials/${credential.id}/bindings`, bound);
  const source = `def tool_${word}(number: int) -> int:\n    """${name}"""\n    return number * 2\n`;
  const tool = await ask('POST', 'tools', { source });
  const skill = await ask('POST', 'skills', knowledge);
  const agent = await ask('POST', 'agents', {
    name,
    instructions: `reply: ${word}`,
    may_do: 'read',
    approvers: ['key:nobody'],
    tools: ['http_request'],
    skills: [skill.id],
    python_tools: [tool.id],
  });
  const workflow = await ask<{ id: number }>('POST', 'workflows', { name, agent_id: agent.id });
  await ask('POST', 'triggers', { app_id: app.id, workflow_id: workflow.id, event_types: [word] });
  await ask('POST', 'schedules', { name, cron: '0 0 1 1 *', workflow_id: workflow.id, message: name });
  const call = `call http_request ${JSON.stringify({ method: 'POST', url, body: word })}`;
  const asking = { name, instructions: `${call}\nreply: done`, may_do: 'read', approvers: ['key:nobody'] };
  const careful = await ask('POST', 'agents', { ...asking, tools: ['http_request'] });
  const { id: waits } = await ask<{ id: number }>('POST', 'workflows', { name: `${name} 2`, agent_id: careful.id });
  await ask('POST', `workflows/${waits}/runs`, { message: word });
  await ask('POST', 'knowledge', { title: name, text: `${word} has two doors.` });
  await until('the channel can be set', () =>
    ask('PUT', `channels/${app.id}`, { reply_address: url }).then(() => true),
  );
  const message = { task: word, thread_id: word, metadata: { event_type: word, source: word } };
  const { id } = await until('the webhook is known', async () => {
    const answer = await post(app.webhook_url, message);
    return answer.status === 200 && answer;
  });
  await ended(id);
  await until('the call waits for a person', async () => {
    const { data } = await ask<{ data: object[] }>('GET', 'approvals?state=pending');
    return data.length > 0;
  });
}

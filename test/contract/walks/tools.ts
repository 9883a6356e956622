import { newId } from '#libs/contracts';
import { FakeMcpServer, tool } from '../../../apps/mcp-registry/src/testing/fake-mcp-server.js';
import { fakeEmbeddings } from '../../../apps/engine/src/testing/fake-embeddings.js';
import { fakeModel } from '../../../apps/engine/src/testing/fake-model.js';
import { askOf, type Ground, type Listed } from './walk.js';

const source = 'def double(number: int) -> int:\n    """Twice the number."""\n    return number * 2\n';

/** MCP servers, tools, Skills, agents and knowledge. */
export function walkTools(ground: () => Ground): void {
  const ask = askOf(ground);

  it('for MCP servers and their tools', async () => {
    const server = await FakeMcpServer.start();
    try {
      const { id } = await ask('POST', 'mcp-servers', { url: server.url, name: 'Fake' });
      await ask('GET', 'mcp-servers');
      await ask('GET', `mcp-servers/${id}`);
      await ask('PATCH', `mcp-servers/${id}`, { name: 'Renamed' });
      const { data } = await ask<Listed>('GET', `tools?server_id=${id}`);
      const first = data[0]?.id;
      await ask('GET', `tools/${first}`);
      await ask('PATCH', `tools/${first}`, { grade: 'read' });
      await ask('POST', `tools/${first}/try`, { arguments: { text: 'hello' } });
      await ask('POST', `tools/${first}/rehearse`, { arguments: { text: 'hello' } });
      await ask('GET', `tools/${first}/calls`);
      server.script.list = () => ({ tools: [tool('first', { description: 'Does something else.' })] });
      await ask('POST', `mcp-servers/${id}/discover`);
      const { candidate_pin: pin } = await ask<{ candidate_pin: string }>('GET', `tools/${first}`);
      await ask('GET', `tools/${first}/difference`);
      await ask('POST', `tools/${first}/approve`, { pin });
      await ask('GET', `tools/${first}/versions`);
      await ask('DELETE', `mcp-servers/${id}`);
      const remotes = [{ type: 'streamable-http', url: server.url }];
      await ask('POST', 'mcp-servers/import', { server: { name: 'io.example/fake', version: '1', remotes } });
    } finally {
      await server.stop();
    }
  });

  it('for Python tools', async () => {
    const { id } = await ask('POST', 'tools', { source });
    await ask('PUT', `tools/${id}/source`, { source: source.replace('* 2', '+ number') });
    const tried = await ask('POST', `tools/${id}/try`, { arguments: { number: 2 } });
    expect(tried).toMatchObject({ ok: true, result: 4 });
    await ask('GET', 'tools?limit=5');
    await ask('DELETE', `tools/${id}`);
  });

  it('for templates', async () => {
    await ask('GET', 'templates');
    await ask('GET', 'templates/support-inbox');
    await ask('POST', 'templates/support-inbox/apply');
    await ask('POST', 'templates/support-inbox/samples/1');
  });

  it('for Skills', async () => {
    const { id } = await ask('POST', 'skills', { name: 'Walked', knowledge: 'How to walk.' });
    await ask('GET', 'skills');
    await ask('GET', `skills/${id}`);
    await ask('PATCH', `skills/${id}`, { knowledge: 'How to run.', tools: [{ tool: 'builtin:http_request' }] });
    await ask('GET', `skills/${id}/versions`);
    await ask('POST', `skills/${id}/versions/1/restore`);
    const { files } = await ask<{ files: { path: string; content: string }[] }>('GET', `skills/${id}/export`);
    await ask('DELETE', `skills/${id}`);
    await ask('POST', 'skills/import', { files });
    const manifest = { slug: 'told', name: 'Told', skill: { name: 'Told', knowledge: 'Of a manifest.' } };
    await ask('POST', 'skills/manifest', { manifest });
  });

  it('for agents', async () => {
    const { id } = await ask('POST', 'agents', { name: 'walker', instructions: 'reply: walked', caps: { steps: 3 } });
    await ask('GET', 'agents');
    await ask('GET', `agents/${id}`);
    await ask('GET', `agents/${id}/toolset?sender=unsigned`);
    await ask('PATCH', `agents/${id}`, { name: 'runner' });
    await ask('GET', `agents/${id}/versions`);
    const { version } = await ask<{ version: number }>('POST', `agents/${id}/versions`, { instructions: 'reply: ran' });
    await ask('GET', `agents/${id}/versions/${version}`);
    await ask('GET', `agents/${id}/versions/${version}/differences?with=1`);
    await ask('POST', `agents/${id}/versions/${version}/promote`, { note: 'It runs.' });
    await ask('PUT', `agents/${id}/publication`, { name: 'walker', description: 'Walks.' });
    await ask('GET', `agents/${id}/publication`);
    await ask('DELETE', `agents/${id}/publication`);
    const trial = await ask<{ id: string }>('POST', `agents/${id}/trials`);
    await ask('POST', `agents/${id}/trials/${trial.id}/messages`, { text: 'Does it run?', version });
    await ask('GET', `agents/${id}/trials/${trial.id}`);
    await ask('DELETE', `agents/${id}`);
    await ask('GET', 'usage');
    await ask('GET', 'usage/paths');
    await ask('GET', 'usage/export');
    await ask('GET', 'model');
    await ask('GET', 'usage?group_by=day_agent');
  });

  it('for what agents remember', async () => {
    const contact = newId('con');
    await ask('GET', `memories?contact_id=${contact}`);
    await ask('DELETE', `memories?contact_id=${contact}`);
  });

  it('for providers of models', async () => {
    const model = await fakeModel();
    try {
      await ask('GET', 'providers/presets');
      const body = { name: 'walked', kind: 'openai-compatible', base_url: model.url };
      const { id } = await ask('POST', 'providers', body);
      await ask('GET', 'providers');
      await ask('GET', `providers/${id}`);
      await ask('PATCH', `providers/${id}`, { models: ['fake'] });
      await ask('POST', `providers/${id}/test`, {});
      await ask('DELETE', `providers/${id}`);
    } finally {
      await model.close();
    }
  });

  it('for the meaning of knowledge', async () => {
    const endpoint = await fakeEmbeddings([['door']]);
    try {
      const body = { name: 'vectors', kind: 'openai-compatible', base_url: endpoint.url };
      const { id } = await ask('POST', 'providers', body);
      await ask('PUT', 'knowledge/meaning', { provider_id: id, model: 'fake' });
      await ask('GET', 'knowledge/meaning');
      await ask('GET', 'knowledge/search?q=doors');
      await ask('DELETE', 'knowledge/meaning');
      await ask('DELETE', `providers/${id}`);
    } finally {
      await endpoint.close();
    }
  });

  it('for knowledge', async () => {
    const entities = [{ name: 'Gatehouse', kind: 'product' }];
    const { id } = await ask('POST', 'knowledge', { title: 'Doors', text: 'Gatehouse has two doors.', entities });
    await ask('GET', 'knowledge');
    await ask('GET', 'knowledge/search?q=doors');
    await ask('GET', `knowledge/${id}`);
    await ask('PATCH', `knowledge/${id}`, { audience: 'listed', readers: ['group:walkers'] });
    const { data } = await ask<Listed>('GET', 'knowledge/entities?q=gate');
    await ask('GET', `knowledge/entities/${data[0]?.id}`);
    await ask('DELETE', `knowledge/${id}`);
  });
}

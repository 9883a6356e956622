import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSmallSystem, type System } from '../system/system.js';
import { type Ended, gatehouse } from './gatehouse.js';

describe('gatehouse eval', () => {
  let system: System;
  let folder: string;
  let agent: string;

  beforeAll(async () => {
    system = await startSmallSystem();
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-eval-'));
    const instructions = 'reply: Refunds take 14 days, {{message}}.';
    const made = await system.api<{ id: string }>('POST', '/api/v1/agents', {
      name: 'Desk',
      instructions,
      tools: ['http_request'],
    });
    agent = made.id;
    const order = 'call http_request {"method": "POST", "url": "https://orders.example/"}';
    const draft = { instructions: `${order}\nreply: Sorry, no.` };
    await system.api('POST', `/api/v1/agents/${agent}/versions`, draft);
  });
  afterAll(async () => {
    await system?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const environment = () => ({ GATEHOUSE_URL: system.origin('portal'), GATEHOUSE_API_KEY: system.apiKey });
  const run = (cases: object[], ...options: string[]): Promise<Ended> => {
    const file = join(folder, 'cases.json');
    writeFileSync(file, JSON.stringify({ cases }));
    return gatehouse(['eval', agent, file, ...options], environment(), folder);
  };
  const refund = {
    name: 'refund',
    messages: ['Hello', 'How long does a refund take?'],
    rules: [{ contains: '14 days' }, { forbids: ['sorry'] }],
  };
  const order = { name: 'order', messages: ['Two chairs.'], rules: [{ calls: 'http_request' }] };

  it('ends with 0 where every answer holds to its rules, and sends nothing', async () => {
    const { code, out } = await run([refund]);
    expect(code).toBe(0);
    expect(out).toMatch(/^passed +\d+ +\d+ +refund$/m);
    expect(out).toContain('1 of 1 passed');
    await expect(system.api('GET', '/api/v1/events')).resolves.toMatchObject({ data: [] });
  });

  it('ends with 1 and names what is wrong, for a draft too', async () => {
    const { code, out } = await run([refund, order], '--version', '2', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      version: 2,
      passed: 1,
      total: 2,
      cases: [
        {
          name: 'refund',
          state: 'failed',
          answer: 'Sorry, no.',
          problems: ['does not contain "14 days"', 'contains "sorry"'],
        },
        { name: 'order', state: 'passed', problems: [] },
      ],
    });
  });

  it('asks the message of an earlier turn again', async () => {
    const workflow = await system.api<{ id: number }>('POST', '/api/v1/workflows', { name: 'Desk', agent_id: agent });
    const path = `/api/v1/workflows/${workflow.id}/runs?wait=30`;
    const { turns } = await system.api<{ turns: { id: string }[] }>('POST', path, { message: 'Mrs Jones' });
    const repeated = { name: 'Jones', turn: turns[0]?.id, rules: [{ contains: 'Mrs Jones' }] };
    const { code, out } = await run([repeated], '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ cases: [{ answer: 'Refunds take 14 days, Mrs Jones.', state: 'passed' }] });
    expect((await run([repeated], '--version', '2')).code).toBe(1);
  });

  it('asks the messages of a set by its rules', async () => {
    const workflow = await system.api<{ id: number }>('POST', '/api/v1/workflows', { name: 'Set', agent_id: agent });
    const path = `/api/v1/workflows/${workflow.id}/runs?wait=30`;
    const { turns } = await system.api<{ turns: { id: string }[] }>('POST', path, { message: 'Mr Smith' });
    const set = { name: 'Smiths', turn_ids: [turns[0]?.id], rules: [{ contains: '14 days' }] };
    await system.api('POST', `/api/v1/agents/${agent}/case-sets`, set);
    const ofSet = (...options: string[]): Promise<Ended> =>
      gatehouse(['eval', agent, '--set', 'Smiths', '--json', ...options], environment(), folder);
    const passed = await ofSet();
    expect(passed.code).toBe(0);
    expect(JSON.parse(passed.out)).toMatchObject({ total: 1, cases: [{ name: 'Mr Smith', state: 'passed' }] });
    const failed = await ofSet('--version', '2');
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.out)).toMatchObject({ cases: [{ problems: ['does not contain "14 days"'] }] });
    const unknown = await gatehouse(['eval', agent, '--set', 'Jones'], environment(), folder);
    expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('It has Smiths.') });
    expect((await gatehouse(['eval', agent], environment(), folder)).code).toBe(2);
  });

  it('ends with 2 for a file that is no list of cases, and with 3 for an agent that is not there', async () => {
    const wrong = await run([{ messages: ['a'], rules: [{}] }]);
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('cases[0].rules[0]') });
    expect(await run([order], '--version', '99')).toMatchObject({ code: 3 });
    expect(await run([order], '--max-tokens', 'many')).toMatchObject({ code: 2 });
  });
});

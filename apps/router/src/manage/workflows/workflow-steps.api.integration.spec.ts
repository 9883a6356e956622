import type { WorkflowStep } from '#libs/contracts';
import type { WorkflowRow } from '../../entities/rules.entity.js';
import { type RouterWorld, routerWorld } from '../../testing/router-world.js';

let world: RouterWorld;

beforeAll(async () => {
  world = await routerWorld();
  await world.start();
});
afterAll(() => world.close());

const read: WorkflowStep = { name: 'read', kind: 'agent', instructions: 'Read it.' };
const large: WorkflowStep = { name: 'large', kind: 'branch', where: 'metadata.amount > 100 && steps.read.text != ""' };
const order: WorkflowStep = {
  name: 'order',
  kind: 'tool',
  tool: 'http_request',
  arguments: { method: 'POST', url: 'https://shop.example/orders', body: { text: { cel: 'steps.read.text' } } },
  only_if: { step: 'large', is: true },
};
const right: WorkflowStep = {
  name: 'right',
  kind: 'approval',
  text: 'Is it right?',
  approvers: ['user:ada'],
  wait_minutes: 60,
};

const paid: WorkflowStep = {
  name: 'paid',
  kind: 'wait',
  event_type: 'payment',
  where: 'metadata.order == steps.order.result.body.id && metadata.shop == run.metadata.shop',
  wait_minutes: 60,
  on_timeout: 'go_on',
  consume: true,
  since_begin: true,
};

describe('the steps of a workflow', () => {
  it('are stored, changed and removed, and go to the engine with a run', async () => {
    const steps = [read, large, right, order, paid, { ...read, name: 'tell', only_if: { step: 'paid', is: true } }];
    const made = await world.call<WorkflowRow>('POST', 'workflows', { name: 'w', steps });
    expect(made).toMatchObject({ status: 201, body: { steps } });
    const path = `workflows/${made.body.id}`;
    await world.call('POST', `${path}/runs`, { message: 'how much?' });
    const [message] = await world.messages('ORDER BY id DESC LIMIT 1');
    expect(message?.turns[0]).toMatchObject({ run: { workflow_id: made.body.id } });
    expect(message?.turns[0]?.input.steps).toEqual(steps);
    expect((await world.call<WorkflowRow>('PATCH', path, { steps: [read] })).body.steps).toEqual([read]);
    expect((await world.call<WorkflowRow>('PATCH', path, { steps: null })).body.steps).toBeNull();
    expect((await world.call<WorkflowRow>('POST', 'workflows', { name: 'w' })).body.steps).toBeNull();
  });

  it.each<[string, object[], string, string]>([
    ['none', [], 'steps', 'at least one'],
    ['a name twice', [read, read], 'steps.1.name', 'Step 2 (read): an earlier step has this name.'],
    ['a name that no expression can read', [{ ...read, name: 'Read it' }], 'steps.0.name', 'lower-case letter'],
    ['a tool step without a tool', [{ name: 'a', kind: 'tool' }], 'steps.0.tool', 'Step 1 (a): a tool step needs it.'],
    ['a field of another kind', [{ ...read, tool: 'x' }], 'steps.0.tool', 'Step 1 (read): an agent step has none.'],
    ['a condition on a later step', [order, large], 'steps.0.only_if.step', 'large is no earlier step'],
    [
      'a condition on a step that decides nothing',
      [read, { ...read, name: 'b', only_if: { step: 'read', is: true } }],
      'steps.1.only_if.step',
      'neither yes nor no',
    ],
    [
      'an expression that is none',
      [{ name: 'a', kind: 'branch', where: 'metadata.x >' }],
      'steps.0.where',
      'Step 1 (a): ',
    ],
    [
      'an expression that is no condition',
      [{ name: 'a', kind: 'branch', where: '1 + 1' }],
      'steps.0.where',
      'not bool',
    ],
    ['an expression over a later step', [large, read], 'steps.0.where', 'steps.read is no earlier step'],
    [
      'an argument over a later step',
      [{ ...order, only_if: undefined }, read],
      'steps.0.arguments.body.text',
      'steps.read is no earlier step',
    ],
    ['an approver who is nobody', [{ ...right, approvers: ['ada'] }], 'steps.0.approvers', 'ada is neither'],
    ['a wait for nothing', [{ name: 'a', kind: 'wait', wait_minutes: 5 }], 'steps.0.where', 'say which event'],
    ['a wait without an end', [{ ...paid, wait_minutes: undefined }], 'steps.0.wait_minutes', 'a wait step needs it'],
    ['a wait that is too long', [{ ...paid, wait_minutes: 43_201 }], 'steps.0.wait_minutes', '43200'],
    ['a wait by a later step', [paid, order], 'steps.0.where', 'steps.order is no earlier step'],
    [
      'a wait by a contact',
      [{ ...paid, where: 'contact.name == "Ada"' }],
      'steps.0.where',
      'contact is not known to waits',
    ],
    ['what is done after a wait in a way that is none', [{ ...paid, on_timeout: 'x' }], 'steps.0.on_timeout', 'one of'],
    ['a field that nothing has', [{ ...read, colour: 'red' }], 'steps.0.colour', 'there is no such field'],
    ['a kind that is none', [{ ...read, kind: 'poem' }], 'steps.0.kind', 'must be one of'],
    ['too many', Array.from({ length: 21 }, (_, at) => ({ ...read, name: `s${at}` })), 'steps', 'no more than 20'],
  ])('%s: 422 says where and what', async (_what, steps, field, words) => {
    for (const [method, path] of [
      ['POST', 'workflows'],
      ['PATCH', `workflows/${(await world.call<WorkflowRow>('POST', 'workflows', { name: 'w' })).body.id}`],
    ]) {
      const answer = await world.call<{ errors: { field: string; message: string }[] }>(
        method as 'POST',
        path as string,
        { name: 'w', steps },
      );
      expect(answer.status).toBe(422);
      expect(answer.body.errors[0]?.field).toBe(field);
      expect(answer.body.errors[0]?.message).toContain(words);
    }
  });

  it('have an agent that answers in any case, where the workflow declares an output schema', async () => {
    const output_schema = { type: 'object', properties: {} };
    const none = await world.call('POST', 'workflows', { name: 'w', output_schema, steps: [large] });
    expect(none.body).toMatchObject({ code: 'invalid_fields' });
    const { body } = await world.call<WorkflowRow>('POST', 'workflows', { name: 'w', steps: [read, large] });
    expect((await world.call('PATCH', `workflows/${body.id}`, { output_schema })).status).toBe(200);
    const skipped = [read, large, { ...read, name: 'tell', only_if: { step: 'large', is: true } }];
    const answer = await world.call('PATCH', `workflows/${body.id}`, { steps: skipped });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ field: 'steps.2.only_if' }] } });
  });
});

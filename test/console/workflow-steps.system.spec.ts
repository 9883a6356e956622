import { until } from '#libs/testing';
import type { Locator, Page } from 'playwright-core';
import type { InstalledApp } from '../system/api.js';
import type { System } from '../system/system.js';
import { post } from '../system/webhook.js';
import { isForEverybody, violations } from './accessibility.js';
import { inBrowser, type Visit } from './browser.js';
import { openConsole, type OwnersConsole } from './owners-console.js';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

inBrowser('the steps of a workflow in the console', () => {
  let opened: OwnersConsole;
  let system: System;
  let owner: Visit;

  beforeAll(async () => {
    opened = await openConsole();
    ({ system, owner } = opened);
  });
  afterAll(() => opened?.close());

  const go = (path: string): Promise<unknown> => opened.go(path);

  it('are made, refused at the step that is wrong, moved, and shown on a run that a webhook started', async () => {
    const { page } = owner;
    const { id } = await system.api<{ id: number }>('POST', '/api/v1/workflows', { name: 'Orders' });
    await go(`/workflows/${id}?tab=steps`);
    await page.getByText('Without steps, its agent answers alone.').waitFor();

    await button(page, 'Add a branch').click();
    await button(page, 'Add an agent').click();
    await button(page, 'Add an agent').click();
    const items = page.getByRole('list', { name: 'Steps', exact: true }).locator('> li');
    const [branch, large, small] = [items.nth(0), items.nth(1), items.nth(2)];
    const fill = (item: Locator, name: string, value: string): Promise<void> =>
      item.getByRole('textbox', { name }).fill(value);
    await fill(large, 'Name', 'large');
    await fill(large, 'Instructions', 'reply: It is large.');
    await fill(small, 'Name', 'small');
    await fill(small, 'Instructions', 'reply: It is small.');
    await fill(branch, 'Condition', 'event.message.contains(');
    await branch.getByRole('combobox', { name: 'Only if it says yes' }).click();
    await page.getByRole('option', { name: 'large' }).click();
    await page.keyboard.press('Escape');
    await branch.getByRole('combobox', { name: 'Only if it says no' }).click();
    await page.getByRole('option', { name: 'small' }).click();
    await page.keyboard.press('Escape');
    // Whoever depends on it follows its new name.
    await fill(branch, 'Name', 'is_large');
    await small.getByText('only if is_large says no').waitFor();

    await button(page, 'Save').click();
    await branch.getByText(/^Step 1 \(is_large\): /).waitFor();
    expect(await page.getByText(/^Step 1 \(is_large\): /).count()).toBe(1);
    expect(await violations(page)).toEqual([]);
    await button(page, 'Close is_large').click();
    await branch.getByRole('alert').filter({ hasText: 'Step 1 (is_large)' }).waitFor();

    // The error stays at its step, and the API refuses what reads a later one.
    await button(page, 'Move is_large down').click();
    await items.nth(1).getByRole('alert').filter({ hasText: 'Step 1 (is_large)' }).waitFor();
    await button(page, 'Edit is_large').click();
    await fill(items.nth(1), 'Condition', 'event.message.contains("100")');
    await button(page, 'Save').click();
    await items.nth(0).getByText('is_large is no earlier step').waitFor();
    await button(page, 'Move is_large up').click();
    // Drawn anew: a text that is replaced keeps its colour as a style of its own, also in the other theme.
    await button(page, 'Close is_large').click();
    await button(page, 'Edit is_large').click();
    // The button's hint leaves with the pointer.
    await page.mouse.move(0, 0);
    await page.getByRole('tooltip').waitFor({ state: 'detached' });
    await isForEverybody(owner, 'workflow-steps');
    await button(page, 'Save').click();
    await page.getByText('Saved.').waitFor();
    await expect(system.api('GET', `/api/v1/workflows/${id}`)).resolves.toMatchObject({
      steps: [
        { name: 'is_large', kind: 'branch', where: 'event.message.contains("100")' },
        { name: 'large', kind: 'agent', only_if: { step: 'is_large', is: true } },
        { name: 'small', kind: 'agent', only_if: { step: 'is_large', is: false } },
      ],
    });

    const app = await system.api<InstalledApp>('POST', '/api/v1/apps', { name: 'Shop', kind: 'builtin' });
    await system.api('POST', '/api/v1/triggers', { app_id: app.id, workflow_id: id, event_types: [] });
    const event = await post(app.webhook_url, { text: 'I order 100 chairs.' });
    const { runs } = await system.ended(event.id);
    await go(`/runs/${runs[0]?.id}`);
    const done = page.getByRole('list', { name: 'Steps of the workflow' }).locator('> li');
    await done.filter({ hasText: 'large' }).filter({ hasText: 'Done' }).nth(1).waitFor();
    await done.nth(2).getByText('The step on which it depends answered otherwise.').waitFor();
    expect(await done.nth(2).textContent()).toContain('Skipped');
    await done.nth(1).getByRole('button', { name: 'What it gave' }).click();
    await done.nth(1).getByRole('group', { name: 'What it gave' }).getByText('It is large.').waitFor();
    await isForEverybody(owner, 'run-steps');

    await go(`/events/${event.id}`);
    await page.getByRole('list', { name: 'Steps of the workflow' }).getByText('Skipped').waitFor();
    expect(await violations(page)).toEqual([]);
    await owner.picture('event-steps');
  });

  it('have forms for a tool and for an approval, which a person decides', async () => {
    const { page } = owner;
    const { id: agent_id } = await system.api<{ id: string }>('POST', '/api/v1/agents', {
      name: 'Clerk',
      instructions: 'reply: done',
      tools: ['query_knowledge_graph'],
    });
    const { id } = await system.api<{ id: number }>('POST', '/api/v1/workflows', { name: 'Refunds', agent_id });
    await go(`/workflows/${id}?tab=steps`);
    await button(page, 'Add a tool').click();
    await button(page, 'Add an approval').click();
    const items = page.getByRole('list', { name: 'Steps', exact: true }).locator('> li');
    const [tool, approval] = [items.nth(0), items.nth(1)];

    await tool.getByRole('textbox', { name: 'Name' }).fill('look');
    // What the agent of the workflow has.
    const name = tool.getByRole('combobox', { name: 'Tool', exact: true });
    await name.fill('query');
    await page.getByRole('option', { name: 'query_knowledge_graph' }).click();
    const args = tool.getByRole('textbox', { name: 'Arguments' });
    await args.fill('{"query": ');
    await tool.getByText('The arguments are not a JSON object yet.').waitFor();
    await args.fill('{"query": {"cel": "event.message"}}');

    await approval.getByRole('textbox', { name: 'Name' }).fill('ask');
    await approval.getByRole('textbox', { name: 'Question' }).fill('May it be refunded?');
    const person = approval.getByRole('combobox', { name: 'Approvers' });
    await person.click();
    await page.getByRole('option').first().click();
    await page.keyboard.press('Escape');
    await approval.getByRole('textbox', { name: 'Waits at most, in minutes' }).fill('90');
    expect(await violations(page)).toEqual([]);
    await owner.picture('workflow-steps-tool-approval');
    await button(page, 'Save').click();
    await page.getByText('Saved.').waitFor();
    await expect(system.api('GET', `/api/v1/workflows/${id}`)).resolves.toMatchObject({
      steps: [
        { name: 'look', kind: 'tool', tool: 'query_knowledge_graph', arguments: { query: { cel: 'event.message' } } },
        {
          name: 'ask',
          kind: 'approval',
          text: 'May it be refunded?',
          wait_minutes: 90,
          approvers: [expect.any(String)],
        },
      ],
    });

    await system.api('POST', `/api/v1/workflows/${id}/runs`, { message: 'A refund, please.' });
    await go('/approvals');
    await page.getByText('May it be refunded?').waitFor();
    await button(page, 'Approve').click();
    const run = async () => {
      const { data } = await system.api<{ data: { state: string }[] }>('GET', `/api/v1/runs?workflow_id=${id}`);
      return data[0]?.state;
    };
    await until('the run has ended', async () => (await run()) === 'succeeded');
  });

  it('wait for an event: the form, the run that waits and goes on, its event, and a wait that is cancelled', async () => {
    const { page } = owner;
    const { id } = await system.api<{ id: number }>('POST', '/api/v1/workflows', { name: 'Payments' });
    const app = await system.api<InstalledApp>('POST', '/api/v1/apps', { name: 'Bank', kind: 'builtin' });
    await go(`/workflows/${id}?tab=steps`);
    await button(page, 'Add a wait').click();
    const step = page.getByRole('list', { name: 'Steps', exact: true }).locator('> li').nth(0);
    await step.getByRole('textbox', { name: 'Name' }).fill('paid');
    await button(page, 'Save').click();
    await step.getByText('say which event: an App, an event type or a condition.').waitFor();
    const from = step.getByRole('combobox', { name: 'App', exact: true });
    await from.click();
    await page.getByRole('option', { name: 'Bank' }).click();
    const which = step.getByRole('textbox', { name: 'Which event' });
    await which.fill('metadata.order == run.metadata.');
    await button(page, 'Save').click();
    await step.getByText(/^Step 1 \(paid\): /).waitFor();
    await which.fill('metadata.payload.paid_order == run.metadata.payload.order');
    await step.getByRole('textbox', { name: 'Waits at most, in minutes' }).fill('90');
    const then = step.getByRole('combobox', { name: 'Without an event in that time' });
    await then.click();
    await page.getByRole('option', { name: 'The run goes on' }).click();
    await step.getByRole('checkbox', { name: 'The event starts nothing else' }).click();
    // Drawn anew: a text that is replaced keeps its colour as a style of its own, also in the other theme.
    await button(page, 'Close paid').click();
    await button(page, 'Edit paid').click();
    await page.mouse.move(0, 0);
    await page.getByRole('tooltip').waitFor({ state: 'detached' });
    await isForEverybody(owner, 'workflow-steps-wait');
    await button(page, 'Save').click();
    await page.getByText('Saved.').waitFor();
    await expect(system.api('GET', `/api/v1/workflows/${id}`)).resolves.toMatchObject({
      steps: [
        {
          name: 'paid',
          kind: 'wait',
          app_id: app.id,
          where: 'metadata.payload.paid_order == run.metadata.payload.order',
          wait_minutes: 90,
          on_timeout: 'go_on',
          consume: true,
        },
      ],
    });

    for (const order of [7, 8]) {
      const { id: event } = await post(system.webhookUrl, { workflow_id: id, order });
      await system.ended(event);
    }
    await go(`/workflows/${id}?tab=runs`);
    const waits = page.getByRole('list', { name: 'Runs that wait for an event' }).locator('> li');
    await waits.nth(1).waitFor();
    await page.getByText('event_awaited').nth(1).waitFor();
    await isForEverybody(owner, 'event-waits');
    // The newest is the first.
    await waits.nth(0).getByRole('button', { name: 'Cancel the wait' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the wait' }).click();
    await waits.nth(1).waitFor({ state: 'detached' });
    await waits.nth(0).getByRole('link').click();
    const steps = page.getByRole('list', { name: 'Steps of the workflow' }).locator('> li');
    await steps.nth(0).getByText('Waits for an event', { exact: true }).waitFor();
    await steps.nth(0).getByText('The run waits for an event.').waitFor();
    await isForEverybody(owner, 'run-waits');

    const { id: payment } = await post(app.webhook_url, { paid_order: 7 });
    await steps.nth(0).getByText('Done').waitFor();
    await go(`/events/${payment}`);
    await page.getByText('Runs that waited for this event').waitFor();
    await page.getByText('It started nothing else: the step consumes it.').waitFor();
    await isForEverybody(owner, 'event-continued');
    await page.getByRole('link', { name: /^…/ }).first().click();
    await steps.nth(0).getByText('Done').waitFor();

    const { data: runs } = await system.api<{ data: { id: string; state: string }[] }>(
      'GET',
      `/api/v1/runs?workflow_id=${id}`,
    );
    expect(runs.map(({ state }) => state)).toEqual(['failed', 'succeeded']);
    await go(`/runs/${runs[0]?.id}`);
    await steps.nth(0).getByText('A person cancelled the wait.').waitFor();
  });
});

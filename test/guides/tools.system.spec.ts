import { type System, startSmallSystem } from '../system/system.js';
import { type Clone, cloneOf, commandsOf, follow, untilReply } from './guide.js';

const [functions = ''] = commandsOf('receive-a-webhook.md');
let system: System;
let clone: Clone;

beforeAll(async () => {
  system = await startSmallSystem();
  clone = cloneOf(system);
});
afterAll(async () => {
  clone?.remove();
  await system?.stop();
});

it('the guide to add an MCP server, followed as it stands, leads to an answer with what its tool has found', async () => {
  const printed = await follow(clone, [functions, ...commandsOf('add-an-mcp-server.md').map(untilReply)]);
  const [, , registered, tried, , run, recorded, unsigned] = printed;
  expect(registered).toMatch(/"name":"stock"/);
  expect(JSON.parse(tried ?? '')).toMatchObject({ ok: true, content: '12 of bolts' });
  expect(JSON.parse(run ?? '')).toMatchObject({ state: 'succeeded', reply_text: 'There are 12 of nuts.' });
  expect(recorded).toMatch(/"outcome":"ok"/);
  expect(unsigned).toMatch(/^Withheld +acme-stock__stock: the system that the event came from was not authenticated$/m);
  expect(unsigned).toMatch(/^Reply +Rehearsal model: this turn does not have acme-stock__stock\.$/m);
});

it('the guide to write a tool, followed as it stands, leads to an answer with its result', async () => {
  const printed = await follow(clone, [functions, ...commandsOf('write-a-tool.md')]);
  const [, , , tried = '', , run, recorded] = printed;
  expect(tried).toMatch(/"ok":true,"result":\{"total":119,"rate":19\}/);
  expect(tried).toMatch(/"ok":false[^]*no rate is known for XX[^]*"line":10/);
  expect(JSON.parse(run ?? '')).toMatchObject({ state: 'succeeded', reply_text: 'With tax it costs 120' });
  expect(recorded).toMatch(/"outcome":"ok"/);
});
